import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/** Names of the texts that tests store for the end of the run (`RunStore.mark`). */
export const marks = {
  judged: 'judged',
  /** The stored text is the reason why a test could not judge. */
  blocked: 'blocked',
  /** The stored text is the reason why no response could show whether a requirement is met. */
  notExercised: 'not-exercised',
} as const;

/**
 * Ends a run that has no conformance reporter (`--reporter=list`), and removes its `RunStore`.
 * @throws an `Error` if a test was blocked, a worker ended early, or requirements were tested but none was judged
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
