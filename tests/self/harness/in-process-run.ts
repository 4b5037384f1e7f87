import type { FullConfig, FullResult, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import type { MockOptions } from '../../../mock/server.ts';
import ConformanceReporter from '../../../reports/reporter.ts';
import { type Contract, contractOrProblem } from '../../../schemas/contract/contract.ts';
import type { Shard, Target } from '../../../src/client/target.ts';
import { beginRun } from '../../../src/run/begin-run.ts';
import { isCurrentRun, nameRun } from '../../../src/run/reports-dir.ts';
import { readResults, writeResults } from '../../../src/run/results.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { failureText } from '../../../src/verdict/entry.ts';
import { evaluate, requirementsFor } from '../../../src/verdict/evaluate.ts';
import { gateSentence, gatesFor } from '../../../src/verdict/gates.ts';
import type { RunResults } from '../../../src/verdict/results.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';
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

/** Judges what was asked, each time as a run of its own would. */
export type Judge = (judging?: Judging) => Promise<WholeRun & Judged>;

/**
 * A run without Playwright around it: the same requirements and reporter, in this process. What only other reporters write is
 * missing. `grep` selects requirements by address. One at a time, since it replaces the environment.
 */
export const runInProcess = (env: Environment = {}, grep = /./): Promise<WholeRun> =>
  askInProcess(env, (judge) =>
    judge({ select: (addresses) => addresses.filter((address) => grep.test(address)) }),
  );

/** The same against a mock that is not the embedded one. */
export const runInProcessAgainst = (
  options: MockOptions,
  env: Environment = {},
  grep?: RegExp,
): Promise<MockedRun> => againstMock(options, env, (all) => runInProcess(all, grep));

/** Asks once, as the whole of a run or a part of it, for as many judgements as `use` makes. */
export function askInProcess<T>(env: Environment, use: (judge: Judge) => Promise<T>): Promise<T> {
  const reportsDir = reportsDirOf(env);
  return withEnvironment({ ...cleanEnvironment(), ...env, REPORTS_DIR: reportsDir }, () => {
    const { target } = readConfiguration();
    const contract = contractOrProblem(target.callersLedger);
    const ask = askOnce();
    return use(async (judging = {}) => {
      const { result, output } = await captureOutput(() => judge(contract, target, judging, ask));
      const conformance = readConformance(reportsDir);
      return { ...result, output, conformance, reportsDir, files: () => filesBelow(reportsDir) };
    });
  });
}

/** Asks as a run does; what it has found is there for each run that follows. */
function askOnce(): typeof beginRun {
  let asked: { results: RunResults; output: string } | undefined;
  return async (shard, isEmpty) => {
    if (asked) {
      process.stdout.write(asked.output);
      writeResults(readConfiguration().target, nameRun(), asked.results);
      return asked.results;
    }
    const { output, result } = await captureOutput(() =>
      beginRun(shard, isEmpty).catch((error: Error) => error),
    );
    process.stdout.write(output);
    if (result instanceof Error) throw result;
    if (!isEmpty) asked = { results: result, output };
    return result;
  };
}

interface Judging {
  /** Which tests, by address; all unless given. */
  select?(addresses: string[]): string[];
  shard?: Shard;
}

interface Judged {
  code: number;
  /** Addresses of the tests that failed. */
  failed: string[];
}

/** What Playwright does with the suite: lets its reporter ask, runs the tests, and ends the run. */
async function judge(
  contract: Contract | Error,
  target: Target,
  { shard, select = (all) => all }: Judging,
  ask: typeof beginRun,
): Promise<Judged> {
  const reporter = Object.assign(new ConformanceReporter(), { ask });
  const config = { shard: shard ?? null } as FullConfig;
  const all = contract instanceof Error ? [] : allAddresses(contract, target);
  const problem = await reporter.preprocess({ config, suite: suiteOf(shard ? all : select(all)) }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (problem !== undefined) process.stdout.write(`${problem}\n`);
  const isPrevented = contract instanceof Error || problem !== undefined;
  const addresses = isPrevented ? [] : select(all);
  const failures = isPrevented ? [] : failuresOf(contract, target, addresses);
  reporter.onBegin(config, suiteOf(addresses));
  if (problem !== undefined) reporter.onError({ message: problem });
  for (const { address, text } of failures)
    reporter.onTestEnd(testOf(address), {
      status: 'failed',
      attachments: [],
      errors: [{ message: text }],
    } as object as TestResult);
  const green = problem === undefined && failures.length === 0;
  const ended = { status: green ? 'passed' : 'failed' } as FullResult;
  const { status = ended.status } = await reporter.onEnd(ended);
  return { code: status === 'passed' ? 0 : 1, failed: failures.map(({ address }) => address) };
}

const suiteOf = (some: string[]) => ({ allTests: () => some.map(testOf) }) as Suite;
const testOf = (address: string) => ({ tags: [`@${address}`] }) as TestCase;

/** The tests of `tests/contract` that judge. */
const allAddresses = (contract: Contract, target: Target): string[] =>
  [...requirementsFor(contract, target), ...gatesFor(target, contract.ledger)].map(({ address }) => address);

/** Those of them that fail, with what they say. */
function failuresOf(contract: Contract, target: Target, addresses: string[]) {
  const results = evaluate(contract, target, readResults(target.reportsDir, isCurrentRun));
  const about = { problems: [], startedAt: new Date(), failed: new Set<string>() };
  const { requirements, gates } = concludeRun({ contract, target, results, addresses, ...about });
  return [
    ...requirements
      .filter(({ verdict }) => verdict === 'violation')
      .map((one) => ({ address: one.address, text: failureText(one, one.findings) })),
    ...gates
      .filter(({ verdict }) => verdict !== 'pass')
      .map((one) => ({ address: one.address, text: gateSentence(one) })),
  ];
}
