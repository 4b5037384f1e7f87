import path from 'node:path';
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
import { selectRequirements } from '../../../src/verdict/evaluate.ts';
import { describeGate, selectGates } from '../../../src/verdict/gates.ts';
import type { Results } from '../../../src/verdict/results.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';
import { formatViolations, UnmetRequirement } from '../../failure.ts';
import { WorkerSession } from '../../worker-session.ts';
import { captureOutput, withEnvironment } from './process-state.ts';
import { root } from './project-files.ts';
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

/** Judges the responses that an earlier call stored. If there are none, first sends the requests and stores the responses. */
export type Judge = (selection?: Selection) => Promise<WholeRun & TestOutcome>;

/** Stored results of a run, keyed by their names in the store: an operation such as `getCard`, or another part such as `api`. */
type StoredResults = Record<string, StoredResult>;

/**
 * Runs the suite in this process, without Playwright. Two runs must not overlap.
 * @param grep selects requirements and gates by address, such as `/^getCard/`
 */
export function runInProcess(env: Environment = {}, grep = /./): Promise<WholeRun> {
  const select = (addresses: string[]) => addresses.filter((address) => grep.test(address));
  return judgeInProcess(env, (judge) => judge({ select }));
}

export const runInProcessAgainst = (
  options: MockOptions,
  env: Environment = {},
  grep?: RegExp,
): Promise<MockedRun> => againstMock(options, env, (completeEnv) => runInProcess(completeEnv, grep));

/** Calls `use` with a function that judges the target of `env`. */
export function judgeInProcess<T>(env: Environment, use: (judge: Judge) => Promise<T>): Promise<T> {
  const reportsDir = locateReports(env);
  // Filled by the first call of `judge`. Later calls judge the same results, and send nothing.
  const storedResults: StoredResults = {};
  const judge: Judge = async (selection = {}) => {
    const { result: outcome, output } = await captureOutput(() => runReporter(selection, storedResults));
    const conformance = readConformance(reportsDir);
    return { ...outcome, output, conformance, reportsDir, files: () => readFilesBelow(reportsDir) };
  };
  // Two runs must not overlap, because `withEnvironment` replaces `process.env`.
  const runEnvironment = { ...cleanEnvironment(), ...env, REPORTS_DIR: reportsDir };
  return withEnvironment(runEnvironment, () => use(judge));
}

interface Selection {
  /** Selects the requirements and gates to judge, by address; default: all. */
  select?(addresses: string[]): string[];
  /** Shard, as set by Playwright's `--shard`; `select` must choose its tests. */
  shard?: Shard;
}

interface TestOutcome {
  code: number;
  failed: string[];
}

/**
 * Judges the selected requirements and gates, and calls `ConformanceReporter` like Playwright.
 * @param storedResults results to judge; if empty, the call sends the requests first and adds their results here
 */
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
  const preprocessedAddresses = shard ? allAddresses : selectedAddresses;
  const problem = await preprocessAndCatch(reporter, config, preprocessedAddresses);
  if (problem !== undefined) return endRunWithError(reporter, config, problem);
  reporter.onBegin(config, createSuite(selectedAddresses));
  const failures = await judgeSelected(selectedAddresses, config, storedResults);
  for (const { address, text } of failures) reporter.onTestEnd(createTest(address), createFailedResult(text));
  const failed = failures.map(({ address }) => address);
  return endRun(reporter, failed.length === 0 ? 'passed' : 'failed', failed);
}

async function preprocessAndCatch(
  reporter: ConformanceReporter,
  config: FullConfig,
  addresses: string[],
): Promise<string | undefined> {
  try {
    await reporter.preprocess({ config, suite: createSuite(addresses) });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Ends a run, as Playwright does, after `reporter.preprocess` threw an error with the message `problem`. */
async function endRunWithError(
  reporter: ConformanceReporter,
  config: FullConfig,
  problem: string,
): Promise<TestOutcome> {
  process.stdout.write(`${problem}\n`);
  reporter.onBegin(config, createSuite([]));
  reporter.onError({ message: problem } as TestError);
  return endRun(reporter, 'failed', []);
}

async function endRun(
  reporter: ConformanceReporter,
  testStatus: 'passed' | 'failed',
  failed: string[],
): Promise<TestOutcome> {
  // The reporter returns a status if the verdict of the run is not `pass`.
  const { status = testStatus } = await reporter.onEnd({ status: testStatus } as FullResult);
  return { code: status === 'passed' ? 0 : 1, failed };
}

/**
 * Lists the failed requirements and gates among `addresses`, with the stack of each error as `text`.
 * If the settings or the contract have a mistake, lists only `contract` (if `addresses` is empty, nothing).
 * @param storedResults results to judge; if empty, the call sends the requests first and adds their results here
 */
async function judgeSelected(
  addresses: string[],
  config: FullConfig,
  storedResults: StoredResults,
): Promise<{ address: string; text: string }[]> {
  if (addresses.length === 0) return [];
  const session = await WorkerSession.open(config);
  try {
    const isFirstCall = Object.keys(storedResults).length === 0;
    if (isFirstCall) {
      await sendRequests(session, addresses);
      Object.assign(storedResults, session.store.readAll());
    } else await restoreResults(session, storedResults);
    const { contract, target, problem } = session;
    // A mistake in the settings or the contract.
    if (!contract || problem) return [{ address: 'contract', text: problem ?? 'no contract' }];
    return listFailures(contract, target, addresses, await session.evaluate());
  } finally {
    await session.run?.close();
  }
}

async function restoreResults(session: WorkerSession, storedResults: StoredResults) {
  for (const [name, storedResult] of Object.entries(storedResults))
    await session.store.createOnce(name, async () => storedResult);
}

async function sendRequests(session: WorkerSession, addresses: string[]) {
  const { shard } = session.target;
  const isSelected = (operation: string) => addresses.some((address) => address.startsWith(`${operation}/`));
  // Without shards, or without a sweep (requests for many records), this call sends nothing.
  await session.sweepOwnShare();
  // The test "open questions" of the gates (`run/…`) needs every response. It is the last test, so the last shard runs it.
  const needsEveryResponse = shard ? shard.current === shard.total : isSelected('run');
  if (needsEveryResponse) {
    await session.run?.sendAllRequests();
    return;
  }
  for (const { id } of session.contract?.operations ?? [])
    if (isSelected(id)) await session.run?.requestOperation(id);
}

/* Stand-ins for Playwright's objects, with only what the conformance reporter reads. */
const createFailedResult = (text: string) =>
  ({
    status: 'failed',
    retry: 0,
    attachments: [],
    errors: [{ message: `UnmetRequirement: ${text}`, stack: text }],
  }) as object as TestResult;

const createSuite = (addresses: string[]) => ({ allTests: () => addresses.map(createTest) }) as Suite;
const createTest = (address: string) =>
  ({
    tags: [`@${address}`],
    retries: 0,
    results: [{}],
    outcome: () => 'unexpected',
    location: { file: path.join(root, 'tests/contract/getCard.spec.ts') },
  }) as object as TestCase;

function listAddresses(contract: Contract, target: Target): string[] {
  const requirements = selectRequirements(contract, target);
  const gates = selectGates(target, contract.ledger);
  return [...requirements, ...gates].map(({ address }) => address);
}

function listFailures(contract: Contract, target: Target, addresses: string[], results: Results) {
  const noProblems = { problems: [], startedAt: new Date(), failed: new Set<string>() };
  const { requirements, gates } = concludeRun({ contract, target, results, addresses, ...noProblems });
  const violations = requirements
    .filter(({ verdict }) => verdict === 'violation')
    .map((result) => {
      const error = new UnmetRequirement(formatViolations(result), contract.locations[result.address]);
      return { address: result.address, text: error.stack ?? '' };
    });
  // The run that merges the shards judges the gates.
  if (target.shard) return violations;
  const failedGates = gates
    .filter(({ verdict }) => verdict !== 'pass')
    .map((gate) => ({ address: gate.address, text: describeGate(gate) }));
  return [...violations, ...failedGates];
}
