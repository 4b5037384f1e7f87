import { rmSync } from 'node:fs';
import { describeEndedWorker, type RunStore } from './store.ts';

/** Marks that matchers leave in the store, for runs without the conformance reporter. */
export const marks = { judged: 'judged', blocked: 'blocked', notExercised: 'not-exercised' } as const;

/**
 * Fails a run without the conformance reporter (`--reporter=list`) if something was blocked, a worker ended early, or nothing was
 * judged: Playwright counts such requirements as skipped, and the run as passed. Removes the store.
 * @throws an error without stack, for people
 */
export function concludeWithoutReporter(store: RunStore): void {
  const reason = store.readMark(marks.blocked) ?? store.unfinished().map(describeEndedWorker)[0];
  const nothingJudged = store.readMark(marks.judged) === undefined && store.readMark(marks.notExercised);
  rmSync(store.folder, { recursive: true, force: true });
  if (reason === undefined && !nothingJudged) return;
  const error = new Error(`ERROR: ${reason ?? `nothing was judged: ${nothingJudged}`}`);
  error.stack = error.message;
  throw error;
}
