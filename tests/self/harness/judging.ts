import { rmSync } from 'node:fs';
import path from 'node:path';
import type { FullConfig, FullResult, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import ConformanceReporter from '../../../reports/reporter.ts';
import type { Contract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../configuration/target.ts';
import { failureText } from '../../contract/failure.ts';
import { readResults } from '../../run/results.ts';
import { currentRun } from '../../run/run-id.ts';
import { gatesOf } from '../../run/test-titles.ts';
import { noteUse } from '../../run/used-results.ts';
import { verdictAtEnd } from '../../setup.ts';
import { gateSentence } from '../../verdict/gates.ts';
import { concludeRun, type Shard } from '../../verdict/verdict.ts';

/** Which tests are judged, and what is reported of them. */
export interface Judging {
  /** Which tests, by address; all unless given. */
  select?(addresses: string[]): string[];
  /** As `--reporter` names it; the suite's own unless given. */
  reporter?: string;
  shard?: Shard;
}

/** What judging has come to. */
export interface Judged {
  code: number;
  /** Addresses of the tests that failed. */
  failed: string[];
}

/** Configuration as Playwright passes it on, as far as the suite reads it. */
export const configOf = ({ reporter = './reports/reporter.ts', shard }: Judging): FullConfig => {
  const settled: Partial<FullConfig> = { reporter: [[reporter]], shard: shard ?? null };
  return settled as FullConfig;
};

/** What Playwright does with the suite when global setup has asked: runs the tests, and ends the run. */
export async function judge(
  contract: Contract | Error,
  target: Target,
  problem: string | undefined,
  judging: Judging,
): Promise<Judged> {
  if (contract instanceof Error && problem === undefined) throw contract;
  const tests =
    contract instanceof Error || problem !== undefined ? none : testsOf(contract, target, judging);
  if (problem !== undefined) process.stdout.write(`${problem}\n`);
  for (const { text } of tests.failures) process.stdout.write(`${text}\n`);
  const config = configOf(judging);
  const end = verdictAtEnd(config, target);
  const green = problem === undefined && tests.failures.length === 0;
  const passed = end ? endWith(end, target, tests) && green : await report(config, tests, problem, green);
  return { code: passed ? 0 : 1, failed: tests.failures.map(({ address }) => address) };
}

interface Tests {
  /** Of all tests, before they are divided. */
  all: string[];
  addresses: string[];
  failures: { address: string; text: string }[];
}

const none: Tests = { all: [], addresses: [], failures: [] };

/** The tests of `tests/contract`, and those of them that fail. */
function testsOf(contract: Contract, target: Target, { select = (all) => all }: Judging): Tests {
  const results = readResults(contract, target, currentRun());
  const all = [...results.requirementResults, ...gatesOf(contract, target)].map(({ address }) => address);
  const addresses = select(all);
  const about = { problems: [], startedAt: new Date(), failed: new Set<string>() };
  const { requirements, gates } = concludeRun({ contract, target, results, addresses, ...about });
  const failures = [
    ...requirements
      .filter(({ verdict }) => verdict === 'violation')
      .map((one) => ({ address: one.address, text: failureText(one) })),
    ...gates
      .filter(({ verdict }) => verdict !== 'pass')
      .map((one) => ({ address: one.address, text: gateSentence(one) })),
  ];
  return { all, addresses, failures };
}

/** With the suite's own reporter. */
async function report(
  config: FullConfig,
  { all, addresses, failures }: Tests,
  problem: string | undefined,
  green: boolean,
): Promise<boolean> {
  const reporter = new ConformanceReporter();
  const suiteOf = (some: string[]) => ({ allTests: () => some.map(testOf) }) as Suite;
  if (problem === undefined) await reporter.preprocess({ suite: suiteOf(all) });
  reporter.onBegin(config, suiteOf(addresses));
  if (problem !== undefined) reporter.onError({ message: problem });
  for (const { address } of failures) reporter.onTestEnd(testOf(address), { status: 'failed' } as TestResult);
  const ended = { status: green ? 'passed' : 'failed' } as FullResult;
  const { status = ended.status } = await reporter.onEnd(ended);
  return status === 'passed';
}

const testOf = (address: string) => ({ tags: [`@${address}`] }) as TestCase;

/** With another reporter: the tests note that they ran, for what is called at the end. */
function endWith(end: () => void, target: Target, { addresses, failures }: Tests): boolean {
  rmSync(path.join(target.reportsDir, 'observations', 'used.txt'), { force: true });
  for (const address of addresses) noteUse(target, address);
  for (const { address } of failures) noteUse(target, address, ' failed');
  try {
    end();
    return true;
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : 'something that is no error'}\n`);
    return false;
  }
}
