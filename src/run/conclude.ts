import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/** Names for `RunStore.mark`: at least one requirement was judged, blocked or not exercised. */
export const marks = { judged: 'judged', blocked: 'blocked', notExercised: 'not-exercised' } as const;

/**
 * Ends a run without the conformance reporter (`--reporter=list`), and removes its `RunStore`. Throws if a test was blocked, a
 * worker ended early, or no requirement was judged, because Playwright would count such a run as passed.
 */
export function concludeWithoutReporter(store: RunStore): void {
  const blockedReason = store.readMark(marks.blocked);
  const [endedWorker] = store.listUnfinishedNames().map(describeEndedWorker);
  const reason = blockedReason ?? endedWorker ?? explainNothingJudged(store);
  rmSync(store.folder, { recursive: true, force: true });
  if (reason === undefined) return;
  const error = new Error(`ERROR: ${reason}`);
  // Playwright prints the stack.
  error.stack = error.message;
  throw error;
}

function explainNothingJudged(store: RunStore): string | undefined {
  if (store.readMark(marks.judged) !== undefined) return undefined;
  const reason = store.readMark(marks.notExercised);
  // Undefined or empty if no requirement was selected, which is no error.
  return reason ? `nothing was judged: ${reason}` : undefined;
}
