import type { FullConfig } from '@playwright/test';
import { loadContract } from '../schemas/contract/contract.ts';
import { readConfiguration, type Target } from './configuration/target.ts';
import { checkAndAsk } from './run/checked-run.ts';
import { settleVerdict } from './run/exit-guard.ts';
import { assertFolderHeld } from './run/held-folder.ts';
import { plainError } from './run/plain-error.ts';
import { readResults, writeResults } from './run/results.ts';
import { currentRun, isInteractive, nameRun } from './run/run-id.ts';
import { assertGrep } from './run/single-run.ts';
import { print } from './run/terminal.ts';
import { isUnused, usesOf } from './run/used-results.ts';
import { verdictSentence } from './verdict/sentence.ts';
import { concludeRun } from './verdict/verdict.ts';

/**
 * Playwright's global setup: asks and judges everything in this one process, so that no answer ever reaches a
 * worker. Tests read the verdicts. Where Playwright stays open, nothing is asked before a test is started.
 * @throws an error without stack, for people, when the run cannot begin.
 */
export default async function setup(config: FullConfig): Promise<(() => void) | undefined> {
  if (isInteractive()) return undefined;
  const { target } = readConfiguration();
  try {
    assertGrep(loadContract(), target);
    const run = currentRun() ?? nameRun({ onDemand: false });
    writeResults(target, run, await checkAndAsk(config.shard ?? undefined));
  } catch (error) {
    throw plainError(error, target);
  }
  return verdictAtEnd(config, target);
}

/** What is called when the tests have ended: nothing where the suite's own reporter gives the verdict. */
export function verdictAtEnd({ reporter, shard }: FullConfig, target: Target): (() => void) | undefined {
  const reported = reporter.some(([name]) => name.endsWith('reports/reporter.ts'));
  return reported ? undefined : () => assertPass(target, shard);
}

/**
 * Where `--reporter` leaves out the one that gives the verdict, the same verdict is given here, on the tests that ran.
 * @throws an error for people, when the run must not end green.
 */
function assertPass(target: Target, shard: FullConfig['shard']): void {
  assertFolderHeld(target.reportsDir);
  const { addresses, failed } = usesOf(target);
  const contract = loadContract();
  const conclusion = concludeRun({
    contract,
    target,
    results: readResults(contract, target, currentRun()),
    addresses,
    failed,
    problems: [],
    startedAt: new Date(),
    shard: shard ?? undefined,
    // Playwright itself rejects a filter that selects no test: then other shards have all that it selects.
    isUnused: isUnused(target),
  });
  settleVerdict(conclusion.verdict);
  const about = { mock: target.isMock, traffic: target.traffic, shard: shard ?? undefined };
  const sentence = verdictSentence({ ...conclusion, ...about });
  if (conclusion.verdict !== 'pass')
    throw plainError(new Error(`The run does not pass: ${sentence}`), target);
  if (addresses.length === 0) print(`\n  ${sentence}\n`);
}
