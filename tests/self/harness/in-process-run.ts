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
import { type Contract, contractOrProblem } from '../../../schemas/contract/contract.ts';
import type { Shard, Target } from '../../../src/client/target.ts';
import type { StoredPart } from '../../../src/run/store.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { failureText } from '../../../src/verdict/entry.ts';
import { requirementsFor } from '../../../src/verdict/evaluate.ts';
import { gateSentence, gatesFor } from '../../../src/verdict/gates.ts';
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

/** Judges a target as a run or a shard of it, as often as `use` does; requests are sent for the first judgement alone. */
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
  /** Selects tests by address; all unless given. */
  select?(addresses: string[]): string[];
  shard?: Shard;
}

interface Judged {
  code: number;
  /** Addresses of the tests that failed. */
  failed: string[];
}

/** Does what Playwright does with the suite: begins the run, sends what the selected tests need, and ends the run. */
async function judge(
  { shard, select = (all) => all }: Judging,
  parts: Record<string, StoredPart>,
): Promise<Judged> {
  const reporter = new ConformanceReporter();
  const config = { shard: shard ?? null, projects: [], reporter: [], workers: 1 } as unknown as FullConfig;
  const { target } = readConfiguration();
  const contract = contractOrProblem(target.callersLedger);
  const all = contract instanceof Error ? ['contract'] : allAddresses(contract, target);
  const selected = select(all);
  const problem = await reporter.preprocess({ config, suite: suiteOf(shard ? all : selected) }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (problem !== undefined) process.stdout.write(`${problem}\n`);
  const addresses = problem === undefined ? selected : [];
  reporter.onBegin(config, suiteOf(addresses));
  if (problem !== undefined) reporter.onError({ message: problem } as TestError);
  const failures = addresses.length > 0 ? await runTests(addresses, config, parts) : [];
  for (const { address, text } of failures) reporter.onTestEnd(testOf(address), failureOf(text));
  const green = problem === undefined && failures.length === 0;
  const ended = { status: green ? 'passed' : 'failed' } as FullResult;
  const { status = ended.status } = await reporter.onEnd(ended);
  return { code: status === 'passed' ? 0 : 1, failed: failures.map(({ address }) => address) };
}

/** Does what fixtures and matchers do. Returns the tests that fail, with their texts. */
async function runTests(addresses: string[], config: FullConfig, parts: Record<string, StoredPart>) {
  const session = await WorkerSession.open(config);
  try {
    if (Object.keys(parts).length > 0) await storeParts(session, parts);
    else await sendFor(session, addresses, parts);
    const { contract, target, problem } = session;
    if (!contract || problem) return [{ address: 'contract', text: problem ?? 'no contract' }];
    return failuresIn(contract, target, addresses, await session.evaluate());
  } finally {
    await session.close();
  }
}

const storeParts = (session: WorkerSession, parts: Record<string, StoredPart>) =>
  Promise.all(Object.entries(parts).map(([name, part]) => session.store.once(name, async () => part)));

async function sendFor(session: WorkerSession, addresses: string[], parts: Record<string, StoredPart>) {
  const { shard } = session.target;
  // The test "open questions" is the last one.
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

const failureOf = (text: string) =>
  ({ status: 'failed', retry: 0, attachments: [], errors: [{ message: text }] }) as object as TestResult;

const suiteOf = (some: string[]) => ({ allTests: () => some.map(testOf) }) as Suite;
const testOf = (address: string) =>
  ({ tags: [`@${address}`], retries: 0, parent: { project: () => undefined } }) as object as TestCase;

/** The tests of `tests/contract` that judge. */
const allAddresses = (contract: Contract, target: Target): string[] =>
  [...requirementsFor(contract, target), ...gatesFor(target, contract.ledger)].map(({ address }) => address);

/** Returns the tests that fail, with their texts. */
function failuresIn(contract: Contract, target: Target, addresses: string[], results: Results) {
  const about = { problems: [], startedAt: new Date(), failed: new Set<string>() };
  const { requirements, gates } = concludeRun({ contract, target, results, addresses, ...about });
  return [
    ...requirements
      .filter(({ verdict }) => verdict === 'violation')
      .map((result) => ({ address: result.address, text: failureText(result, result.findings) })),
    ...(target.shard ? [] : gates.filter(({ verdict }) => verdict !== 'pass')).map((gate) => ({
      address: gate.address,
      text: gateSentence(gate),
    })),
  ];
}
