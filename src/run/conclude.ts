import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/** Names of the marks that `expect(…).toMeet(…)` leaves in the store; `concludeWithoutReporter` reads them. */
export const marks = { judged: 'judged', blocked: 'blocked', notExercised: 'not-exercised' } as const;

/**
 * Ends a run without the conformance reporter (`--reporter=list`): removes its store, and fails the run if a test was blocked, a
 * worker ended early, or no requirement was judged. Playwright would count such tests as skipped, and the run as passed.
 * @throws an `Error` with the reason; its stack is only the message, because Playwright prints the stack
 */
export function concludeWithoutReporter(store: RunStore): void {
  const reason = store.readMark(marks.blocked) ?? store.unfinished().map(describeEndedWorker)[0];
  const isJudged = store.readMark(marks.judged) !== undefined;
  // Undefined or empty also if no requirement was selected, which is no error.
  const notExercisedReason = isJudged ? undefined : store.readMark(marks.notExercised);
  rmSync(store.folder, { recursive: true, force: true });
  if (reason === undefined && !notExercisedReason) return;
  const error = new Error(`ERROR: ${reason ?? `nothing was judged: ${notExercisedReason}`}`);
  error.stack = error.message;
  throw error;
}
