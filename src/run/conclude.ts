import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/** Names of the marks that `toMeet` writes to the `RunStore` when it has judged a requirement or could not judge it. */
export const marks = { judged: 'judged', blocked: 'blocked', notExercised: 'not-exercised' } as const;

/**
 * Ends a run without conformance reporter, and removes its `RunStore`. Throws if a test was blocked, a worker ended early, or no
 * requirement was judged, because Playwright counts such tests as skipped, and the run as passed.
 * @throws an `Error` without a stack, because Playwright prints the stack
 */
export function concludeWithoutReporter(store: RunStore): void {
  const blockedReason = store.readMark(marks.blocked);
  const endedWorker = store.listUnfinished().map(describeEndedWorker)[0];
  const reason = blockedReason ?? endedWorker ?? explainNothingJudged(store);
  rmSync(store.folder, { recursive: true, force: true });
  if (reason === undefined) return;
  const error = new Error(`ERROR: ${reason}`);
  error.stack = error.message;
  throw error;
}

function explainNothingJudged(store: RunStore): string | undefined {
  if (store.readMark(marks.judged) !== undefined) return undefined;
  const reason = store.readMark(marks.notExercised);
  // Undefined or empty if no requirement was selected, which is no error.
  return reason ? `nothing was judged: ${reason}` : undefined;
}
