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
import type { StoredResult } from '../../../src/run/store.ts';
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
  locateReports,
  type MockedRun,
  readConformance,
  readFilesBelow,
  type WholeRun,
} from './whole-run.ts';

/** Judges the target. Only the first call sends requests; further calls judge the same responses. */
export type Judge = (selection?: Selection) => Promise<WholeRun & TestOutcome>;

/** Stored results of the requests, keyed by name, such as `getCard`. Empty before the first call of `Judge`. */
type StoredResults = Record<string, StoredResult>;

/**
 * Runs the suite in this process without Playwright, with the conformance reporter alone. Replaces `process.env` meanwhile, so
 * only one run at a time is possible.
 * @param grep pattern of the requirements to judge, by address, such as `/^getCard/`; default: all
 */
export const runInProcess = (env: Environment = {}, grep = /./): Promise<WholeRun> =>
  judgeInProcess(env, (judge) =>
    judge({ select: (addresses) => addresses.filter((address) => grep.test(address)) }),
  );

export const runInProcessAgainst = (
  options: MockOptions,
  env: Environment = {},
  grep?: RegExp,
): Promise<MockedRun> => againstMock(options, env, (completeEnv) => runInProcess(completeEnv, grep));

/** Calls `use` with a function that judges the target of `env`. Replaces `process.env` meanwhile. */
export function judgeInProcess<T>(env: Environment, use: (judge: Judge) => Promise<T>): Promise<T> {
  const reportsDir = locateReports(env);
  const storedResults: StoredResults = {};
  const judge: Judge = async (selection = {}) => {
    const { result, output } = await captureOutput(() => runReporter(selection, storedResults));
    const conformance = readConformance(reportsDir);
    return { ...result, output, conformance, reportsDir, files: () => readFilesBelow(reportsDir) };
  };
  return withEnvironment({ ...cleanEnvironment(), ...env, REPORTS_DIR: reportsDir }, () => use(judge));
}

interface Selection {
  /** Selects the requirements to judge, by address such as `getCard/code`; default: all. */
  select?(addresses: string[]): string[];
  shard?: Shard;
}

interface TestOutcome {
  code: number;
  failed: string[];
}

/** Judges the selected requirements. Calls the methods of the conformance reporter in the order in which Playwright does. */
async function runReporter(
  { shard, select = (addresses) => addresses }: Selection,
  storedResults: StoredResults,
): Promise<TestOutcome> {
  const reporter = new ConformanceReporter();
  const config = { shard: shard ?? null, projects: [], reporter: [], workers: 1 } as unknown as FullConfig;
  const { target } = readConfiguration();
  const contract = loadContractOrError(target.extraLedger);
  const allAddresses = contract instanceof Error ? ['contract'] : listAddresses(contract, target);
  const selectedAddresses = select(allAddresses);
  // Playwright passes the tests of all shards to `preprocess`, but only those of this shard to `onBegin`.
  const problem = await findProblem(reporter, config, shard ? allAddresses : selectedAddresses);
  if (problem !== undefined) {
    process.stdout.write(`${problem}\n`);
    reporter.onBegin(config, createSuite([]));
    reporter.onError({ message: problem } as TestError);
    return endRun(reporter, 'failed', []);
  }
  reporter.onBegin(config, createSuite(selectedAddresses));
  const failures =
    selectedAddresses.length > 0 ? await findFailures(selectedAddresses, config, storedResults) : [];
  for (const { address, text } of failures) reporter.onTestEnd(createTest(address), createFailedResult(text));
  const failed = failures.map(({ address }) => address);
  return endRun(reporter, failed.length === 0 ? 'passed' : 'failed', failed);
}

/** Returns the message if `preprocess` throws, as for a wrong configuration; else undefined. */
async function findProblem(reporter: ConformanceReporter, config: FullConfig, addresses: string[]) {
  try {
    await reporter.preprocess({ config, suite: createSuite(addresses) });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function endRun(
  reporter: ConformanceReporter,
  testStatus: 'passed' | 'failed',
  failed: string[],
): Promise<TestOutcome> {
  const { status = testStatus } = await reporter.onEnd({ status: testStatus } as FullResult);
  return { code: status === 'passed' ? 0 : 1, failed };
}

/** Sends the requests, or restores the results of the first call. Returns the selected requirements and gates that fail. */
async function findFailures(addresses: string[], config: FullConfig, storedResults: StoredResults) {
  const session = await WorkerSession.open(config);
  try {
    for (const [resultName, storedResult] of Object.entries(storedResults))
      await session.store.createOnce(resultName, async () => storedResult);
    const isFirstCall = Object.keys(storedResults).length === 0;
    if (isFirstCall) await sendRequests(session, addresses, storedResults);
    const { contract, target, problem } = session;
    if (!contract || problem) return [{ address: 'contract', text: problem ?? 'no contract' }];
    return listFailures(contract, target, addresses, await session.evaluate());
  } finally {
    await session.close();
  }
}

/** Sends the requests of the selected operations. Sends all requests of a run if a gate (`run/…`) is selected, or for the last shard. */
async function sendRequests(session: WorkerSession, addresses: string[], storedResults: StoredResults) {
  const { shard } = session.target;
  const isSelected = (operation: string) => addresses.some((address) => address.startsWith(`${operation}/`));
  // The test "open questions" needs every response. It is the last test, so the last shard runs it.
  const needsEveryResponse = shard ? shard.current === shard.total : isSelected('run');
  await session.sweepOwnShare();
  if (needsEveryResponse) await session.sendAllRequests();
  else
    for (const { id } of session.contract?.operations ?? [])
      if (isSelected(id)) await session.run?.requestOperation(id);
  Object.assign(storedResults, session.store.readAll());
}

/* Stand-ins for Playwright's objects, with only what the conformance reporter reads. */
const createFailedResult = (text: string) =>
  ({ status: 'failed', retry: 0, attachments: [], errors: [{ message: text }] }) as object as TestResult;

const createSuite = (addresses: string[]) => ({ allTests: () => addresses.map(createTest) }) as Suite;
const createTest = (address: string) =>
  ({ tags: [`@${address}`], retries: 0, parent: { project: () => undefined } }) as object as TestCase;

const listAddresses = (contract: Contract, target: Target): string[] =>
  [...selectRequirements(contract, target), ...selectGates(target, contract.ledger)].map(
    ({ address }) => address,
  );

function listFailures(contract: Contract, target: Target, addresses: string[], results: Results) {
  const outcome = { problems: [], startedAt: new Date(), failed: new Set<string>() };
  const { requirements, gates } = concludeRun({ contract, target, results, addresses, ...outcome });
  const violations = requirements
    .filter(({ verdict }) => verdict === 'violation')
    .map((result) => ({ address: result.address, text: formatFailure(result, result.findings) }));
  if (target.shard) return violations;
  const failedGates = gates.filter(({ verdict }) => verdict !== 'pass');
  return [...violations, ...failedGates.map((gate) => ({ address: gate.address, text: describeGate(gate) }))];
}
