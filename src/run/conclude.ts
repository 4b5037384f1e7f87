import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/**
 * Names of the files that `RunStore.mark` writes during a run. `judged`: at least one requirement was judged. `blocked`: a test
 * had no usable response. `notExercised`: no response contained what a requirement is about.
 */
export const marks = { judged: 'judged', blocked: 'blocked', notExercised: 'not-exercised' } as const;

/**
 * Ends a run without the conformance reporter (`--reporter=list`), and removes its `RunStore`. Playwright counts skipped tests as
 * passed, so this function fails a run in which the tests of requirements were skipped, and none judged its requirement.
 * @throws an `Error` if a test was blocked, a worker ended early, or requirements were tested and none was judged
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
