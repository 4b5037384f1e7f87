import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { contractOrProblem } from '../../schemas/contract/contract.ts';
import { readConfiguration, type Target } from '../configuration/target.ts';
import { checkAndAsk } from './checked-run.ts';
import { type Lock, Locked, takeLock } from './lock-file.ts';
import { plainError, sentenceOf } from './plain-error.ts';
import { ownReportsDir } from './reports-dir.ts';
import { storedRun, writeResults } from './results.ts';
import { currentRun } from './run-id.ts';

/** Asks and judges for the run of the worker that has started this process, unless another worker's did. */
async function main(target: Target, run: string): Promise<void> {
  const folder = ownReportsDir(contractOrProblem(), target, run);
  const asking = await waitFor(path.join(target.reportsDir, 'asking.lock'));
  try {
    if (storedRun(target) !== run) writeResults(target, run, await outcome(target));
  } finally {
    asking.release();
    folder.release();
  }
}

/** What is wrong with the configuration is a result too: each test of the run says it. */
async function outcome(target: Target) {
  try {
    return await checkAndAsk(undefined, false);
  } catch (error) {
    return { run: undefined, observations: [], problem: sentenceOf(error, target) };
  }
}

async function waitFor(file: string): Promise<Lock> {
  for (;;)
    try {
      return takeLock(file, `process ${process.pid}`);
    } catch (error) {
      if (!(error instanceof Locked)) throw error;
      await pause(50);
    }
}

// A worker that is stopped needs no answer any more.
process.once('disconnect', () => process.exit(1));
const { target } = readConfiguration();
try {
  await main(target, currentRun() ?? '');
} catch (error) {
  process.send?.(plainError(error, target).message);
} finally {
  process.removeAllListeners('disconnect');
  process.disconnect?.();
}
