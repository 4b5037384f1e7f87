import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/**
 * Names of the marks, which are small text files that a run stores with `RunStore.mark`.
 * - `judged`: a requirement was judged, as met or as violated.
 * - `blocked`: a requirement could not be judged. The text is the reason.
 * - `notExercised`: no response could show whether a requirement is met. The text is the reason.
 */
export const marks = { judged: 'judged', blocked: 'blocked', notExercised: 'not-exercised' } as const;

/**
 * Ends a run without the conformance reporter (`--reporter=list`), and removes its `RunStore`.
 * @throws an `Error` if a test was blocked or a worker ended early. Also if all tests of requirements were skipped as not exercised,
 * because Playwright alone would let this run pass
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
  // A run without tests of requirements, such as `--grep custom`, has no reason, and does not fail.
  if (isAnyJudged || !notExercisedReason) return undefined;
  return `nothing was judged: ${notExercisedReason}`;
}
