import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/**
 * Names of the files with a short text (marks) that `expect(…).toMeet(…)` writes to the `RunStore` when it judges a requirement,
 * finds it blocked, or finds it not exercised. `concludeWithoutReporter` reads them.
 */
export const marks = { judged: 'judged', blocked: 'blocked', notExercised: 'not-exercised' } as const;

/**
 * Ends a run that has no conformance reporter (`--reporter=list`): removes its `RunStore`, and throws if a test was blocked, a
 * worker ended early, or no requirement was judged. Without that, Playwright would count such tests as skipped, and the run as
 * passed.
 * @throws an `Error` with the reason; its stack is only the message, because Playwright prints the stack
 */
export function concludeWithoutReporter(store: RunStore): void {
  const reason = store.readMark(marks.blocked) ?? store.unfinished().map(describeEndedWorker)[0];
  const isAnyJudged = store.readMark(marks.judged) !== undefined;
  // Undefined or empty also if no requirement was selected, which is no error.
  const notExercisedReason = isAnyJudged ? undefined : store.readMark(marks.notExercised);
  rmSync(store.folder, { recursive: true, force: true });
  if (reason === undefined && !notExercisedReason) return;
  const error = new Error(`ERROR: ${reason ?? `nothing was judged: ${notExercisedReason}`}`);
  error.stack = error.message;
  throw error;
}
