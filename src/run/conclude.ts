import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/** Names of the files that tests create with `RunStore.mark`. The files `blocked` and `notExercised` hold the first reason. */
export const marks = {
  judged: 'judged',
  blocked: 'blocked',
  notExercised: 'not-exercised',
} as const;

/**
 * Ends a run without the conformance reporter, as with `--reporter=list`. Removes the stored results of the run.
 * @throws an `Error` if a test was blocked, or if a worker ended early. Also throws if at least one requirement was tested, but no
 *   requirement was judged.
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
  const isAnyJudged = store.readMark(marks.judged) !== undefined;
  const notExercisedReason = store.readMark(marks.notExercised);
  // Playwright alone would let a run pass whose tests were all skipped. A run without tests of requirements (`--grep custom`) may pass.
  if (isAnyJudged || !notExercisedReason) return undefined;
  return `nothing was judged: ${notExercisedReason}`;
}
