import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Contract } from '../../schemas/contract/contract.ts';
import type { Target } from '../configuration/target.ts';
import { type Results, readResults, storedRun } from './results.ts';
import { asksOnDemand, currentRun, environmentOf, runProblem } from './run-id.ts';
import { usesOf } from './used-results.ts';

/** Finds the results of the run that the test of an address belongs to. */
export type ResultsOf = (address: string) => Promise<Results>;

/**
 * The results of the run that a test belongs to. Where global setup has not asked, the first test that needs them
 * starts the asking in a process of its own: no raw answer enters a worker.
 */
export async function resultsFor(contract: Contract, target: Target, address: string): Promise<Results> {
  const problem = runProblem();
  if (problem) return { ...readResults(contract, target, undefined), problem };
  if (!asksOnDemand()) return readResults(contract, target, currentRun());
  const run = currentRun() ?? unnamedRun(target, address);
  const failure = storedRun(target) === run ? undefined : await askInProcess(run);
  const results = readResults(contract, target, run);
  return failure ? { ...results, problem: failure } : results;
}

/** Tests of one run follow each other closely; a pause is the end of it. */
const pauseMs = 5_000;

/**
 * Nobody has named the run when the reporter that does is replaced (`--reporter`): then what is there is used unless
 * this test was judged by it before, or it lay there unused for a while.
 */
function unnamedRun(target: Target, address: string): string {
  const { addresses, lastMs } = usesOf(target);
  const fresh = !addresses.includes(address) && Date.now() - lastMs < pauseMs;
  return (fresh && storedRun(target)) || randomUUID();
}

/** Asks and judges for a run in a process of its own, and says what prevented it. */
async function askInProcess(run: string): Promise<string | undefined> {
  const file = fileURLToPath(new URL('ask-process.ts', import.meta.url));
  const child = fork(file, { execArgv: ['--import', 'tsx'], env: environmentOf(run), silent: true });
  let problem: string | undefined;
  child.stdout?.pipe(process.stdout, { end: false });
  child.stderr?.pipe(process.stderr, { end: false });
  child.on('message', (sentence) => {
    problem = String(sentence);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return (
    problem ?? (code === 0 ? undefined : 'the process that asks the target was ended before it had asked')
  );
}
