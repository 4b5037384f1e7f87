import type {
  FullConfig,
  FullResult,
  Suite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter';
import type { MockOptions } from '../../../mock/server.ts';
import ConformanceReporter from '../../../reports/reporter.ts';
import { type Contract, loadContractOrError } from '../../../schemas/contract/contract.ts';
import type { Shard, Target } from '../../../src/client/target.ts';
import type { StoredPart } from '../../../src/run/store.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { formatFailure } from '../../../src/verdict/entry.ts';
import { selectRequirements } from '../../../src/verdict/evaluate.ts';
import { describeGate, selectGates } from '../../../src/verdict/gates.ts';
import type { Results } from '../../../src/verdict/results.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';
import { WorkerSession } from '../../worker-session.ts';
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

/** Judges the stored responses as a separate run. */
export type Judge = (judging?: Judging) => Promise<WholeRun & Judged>;

/**
 * Runs the suite in this process without Playwright: the same requirements and reporter, without the files of other reporters.
 * `grep` selects requirements by address. Only one run at a time is possible, because it replaces the environment.
 */
export const runInProcess = (env: Environment = {}, grep = /./): Promise<WholeRun> =>
  askInProcess(env, (judge) =>
    judge({ select: (addresses) => addresses.filter((address) => grep.test(address)) }),
  );

/** Runs the suite in this process against a mock behind `BASE_URL`. */
export const runInProcessAgainst = (
  options: MockOptions,
  env: Environment = {},
  grep?: RegExp,
): Promise<MockedRun> => againstMock(options, env, (completeEnv) => runInProcess(completeEnv, grep));

/**
 * Lets `use` judge a target, as a run or as one of its shards, any number of times. Only the first judgement sends requests;
 * the others read their stored results.
 */
export function askInProcess<T>(env: Environment, use: (judge: Judge) => Promise<T>): Promise<T> {
  const reportsDir = reportsDirOf(env);
  return withEnvironment({ ...cleanEnvironment(), ...env, REPORTS_DIR: reportsDir }, () => {
    const parts: Record<string, StoredPart> = {};
    return use(async (judging = {}) => {
      const { result, output } = await captureOutput(() => judge(judging, parts));
      const conformance = readConformance(reportsDir);
      return { ...result, output, conformance, reportsDir, files: () => filesBelow(reportsDir) };
    });
  });
}

interface Judging {
  /** Selects tests by address; all by default. */
  select?(addresses: string[]): string[];
  shard?: Shard;
}

interface Judged {
  code: number;
  /** Addresses of the tests that failed. */
  failed: string[];
}

/** Calls the reporter as Playwright does: begins the run, sends the requests of the selected tests, and ends the run. */
async function judge(
  { shard, select = (addresses) => addresses }: Judging,
  parts: Record<string, StoredPart>,
): Promise<Judged> {
  const reporter = new ConformanceReporter();
  const config = { shard: shard ?? null, projects: [], reporter: [], workers: 1 } as unknown as FullConfig;
  const { target } = readConfiguration();
  const contract = loadContractOrError(target.callersLedger);
  const allAddresses = contract instanceof Error ? ['contract'] : listAddresses(contract, target);
  const selected = select(allAddresses);
  const problem = await reporter
    .preprocess({ config, suite: createSuite(shard ? allAddresses : selected) })
    .then(
      () => undefined,
      (error: Error) => error.message,
    );
  if (problem !== undefined) process.stdout.write(`${problem}\n`);
  const addresses = problem === undefined ? selected : [];
  reporter.onBegin(config, createSuite(addresses));
  if (problem !== undefined) reporter.onError({ message: problem } as TestError);
  const failures = addresses.length > 0 ? await runTests(addresses, config, parts) : [];
  for (const { address, text } of failures) reporter.onTestEnd(createTest(address), createFailedResult(text));
  const isPassed = problem === undefined && failures.length === 0;
  const finalResult = { status: isPassed ? 'passed' : 'failed' } as FullResult;
  const { status = finalResult.status } = await reporter.onEnd(finalResult);
  return { code: status === 'passed' ? 0 : 1, failed: failures.map(({ address }) => address) };
}

/** Does the work of fixtures and matchers. Returns the tests that fail, with their failure texts. */
async function runTests(addresses: string[], config: FullConfig, parts: Record<string, StoredPart>) {
  const session = await WorkerSession.open(config);
  try {
    if (Object.keys(parts).length > 0) await storeParts(session, parts);
    else await sendRequestsOf(session, addresses, parts);
    const { contract, target, problem } = session;
    if (!contract || problem) return [{ address: 'contract', text: problem ?? 'no contract' }];
    return listFailures(contract, target, addresses, await session.evaluate());
  } finally {
    await session.close();
  }
}

const storeParts = (session: WorkerSession, parts: Record<string, StoredPart>) =>
  Promise.all(Object.entries(parts).map(([name, part]) => session.store.once(name, async () => part)));

async function sendRequestsOf(
  session: WorkerSession,
  addresses: string[],
  parts: Record<string, StoredPart>,
) {
  const { shard } = session.target;
  // The test "open questions" needs every response. It is the last test, so the last shard runs it.
  const needsAll = shard
    ? shard.current === shard.total
    : addresses.some((address) => address.startsWith('run/'));
  await session.sweepShare();
  for (const { id } of session.contract?.operations ?? [])
    if (needsAll || addresses.some((address) => address.startsWith(`${id}/`)))
      await session.prepare(id).send();
  if (needsAll) await session.requestBehaviour();
  Object.assign(parts, session.store.readAll());
}

const createFailedResult = (text: string) =>
  ({ status: 'failed', retry: 0, attachments: [], errors: [{ message: text }] }) as object as TestResult;

const createSuite = (addresses: string[]) => ({ allTests: () => addresses.map(createTest) }) as Suite;
const createTest = (address: string) =>
  ({ tags: [`@${address}`], retries: 0, parent: { project: () => undefined } }) as object as TestCase;

/** Lists the addresses of all requirements and gates. */
const listAddresses = (contract: Contract, target: Target): string[] =>
  [...selectRequirements(contract, target), ...selectGates(target, contract.ledger)].map(
    ({ address }) => address,
  );

/** Lists the tests that fail, with their failure texts. A shard has no gates. */
function listFailures(contract: Contract, target: Target, addresses: string[], results: Results) {
  const about = { problems: [], startedAt: new Date(), failed: new Set<string>() };
  const { requirements, gates } = concludeRun({ contract, target, results, addresses, ...about });
  return [
    ...requirements
      .filter(({ verdict }) => verdict === 'violation')
      .map((result) => ({ address: result.address, text: formatFailure(result, result.findings) })),
    ...(target.shard ? [] : gates.filter(({ verdict }) => verdict !== 'pass')).map((gate) => ({
      address: gate.address,
      text: describeGate(gate),
    })),
  ];
}
