import type { FullConfig, FullResult, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import type { MockOptions } from '../../mock/server.ts';
import ConformanceReporter from '../../reports/reporter.ts';
import { type Contract, contractOrProblem } from '../../schemas/contract.ts';
import { readConfiguration, type Target } from '../client/target.ts';
import { failureText } from '../contract/failure.ts';
import { ownReportsDir } from '../run/reports-dir.ts';
import { readResults } from '../run/results.ts';
import { currentRun, nameRun } from '../run/run-id.ts';
import setup from '../setup.ts';
import { gateSentence, gatesFor } from '../verdict/gates.ts';
import { checkedEntries } from '../verdict/ledger-use.ts';
import { concludeRun } from '../verdict/verdict.ts';
import { captureOutput, withEnvironment } from './process-state.ts';
import {
  againstMock,
  cleanEnvironment,
  type Environment,
  filesBelow,
  type MockedRun,
  readConformance,
  reportsDirOf,
  type WholeRun,
} from './whole-run.ts';

const passing = { status: 'passed' } as FullResult;
const failing = { status: 'failed' } as FullResult;
const failedTest = { status: 'failed' } as TestResult;
const settled: Partial<FullConfig> = { reporter: [['./reports/reporter.ts']], shard: null };
const config = settled as FullConfig;
const everything = /./;

/**
 * A run without Playwright around it: the same global setup, requirements and reporter, in this process. What only
 * other reporters write is missing. `grep` selects requirements by address. One at a time, since it replaces the
 * environment.
 */
export async function runInProcess(env: Environment = {}, grep = everything): Promise<WholeRun> {
  const reportsDir = reportsDirOf(env);
  const { result, output } = await withEnvironment(
    { ...cleanEnvironment(), ...env, REPORTS_DIR: reportsDir },
    () => captureOutput(() => runSteps(grep)),
  );
  const conformance = readConformance(reportsDir);
  return { code: result, output, conformance, reportsDir, files: () => filesBelow(reportsDir) };
}

/** The same against a mock that is not the embedded one. */
export const runInProcessAgainst = (
  options: MockOptions,
  env: Environment = {},
  grep = everything,
): Promise<MockedRun> => againstMock(options, env, (all) => runInProcess(all, grep));

/** What Playwright does with the suite, step by step. */
async function runSteps(grep: RegExp): Promise<number> {
  const { target } = readConfiguration();
  const contract = contractOrProblem();
  const lock = ownReportsDir(contract, target, nameRun({ onDemand: false }));
  const reporter = new ConformanceReporter();
  try {
    const problem = await setup(config).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const { addresses, failures } = problem === undefined ? testsOf(contract, target, grep) : noTests;
    reporter.onBegin(config, { allTests: () => addresses.map(testOf) } as Suite);
    if (problem !== undefined) reportProblem(reporter, problem);
    for (const failure of failures) reportFailure(reporter, failure);
    const ended = problem === undefined && failures.length === 0 ? passing : failing;
    const { status = ended.status } = await reporter.onEnd(ended);
    return status === 'passed' ? 0 : 1;
  } finally {
    lock.release();
  }
}

interface Failure {
  address: string;
  text: string;
}

const noTests: { addresses: string[]; failures: Failure[] } = { addresses: [], failures: [] };

/** The tests of `tests/contract`, and those of them that fail. */
function testsOf(contract: Contract | Error, target: Target, grep: RegExp): typeof noTests {
  if (contract instanceof Error) throw contract;
  const results = readResults(contract, target, currentRun());
  const entries = checkedEntries(target, new Date().toISOString().slice(0, 10), contract.ledger).length;
  const all = [...results.requirementResults, ...gatesFor(target, entries)].map(({ address }) => address);
  const addresses = all.filter((address) => grep.test(address));
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
  return { addresses, failures };
}

const testOf = (address: string) => ({ tags: [`@${address}`] }) as TestCase;

function reportProblem(reporter: ConformanceReporter, message: string): void {
  process.stdout.write(`${message}\n`);
  reporter.onError({ message });
}

function reportFailure(reporter: ConformanceReporter, { address, text }: Failure): void {
  process.stdout.write(`${text}\n`);
  reporter.onTestEnd(testOf(address), failedTest);
}
