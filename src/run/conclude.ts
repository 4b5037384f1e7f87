import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/** Names of the files that `RunStore.mark` writes once a requirement is judged, blocked (no usable response) or not exercised. */
export const marks = { judged: 'judged', blocked: 'blocked', notExercised: 'not-exercised' } as const;

/**
 * Ends a run without the conformance reporter (`--reporter=list`), and removes its `RunStore`. Throws if a test was blocked, a
 * worker ended early, or no requirement was judged, because Playwright would count such a run as passed.
 */
export function concludeWithoutReporter(store: RunStore): void {
  const reason = findFailureReason(store);
  rmSync(store.folder, { recursive: true, force: true });
  if (reason === undefined) return;
  const error = new Error(`ERROR: ${reason}`);
  // Playwright prints the stack.
  error.stack = error.message;
  throw error;
}

function findFailureReason(store: RunStore): string | undefined {
  const blockedReason = store.readMark(marks.blocked);
  if (blockedReason !== undefined) return blockedReason;
  const [unfinishedName] = store.listUnfinishedNames();
  if (unfinishedName !== undefined) return describeEndedWorker(unfinishedName);
  if (store.readMark(marks.judged) !== undefined) return undefined;
  const notExercisedReason = store.readMark(marks.notExercised);
  // Undefined or empty if no requirement was selected, which is no error.
  return notExercisedReason ? `nothing was judged: ${notExercisedReason}` : undefined;
}
