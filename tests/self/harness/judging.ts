import type { FullConfig, FullResult, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import ConformanceReporter from '../../../reports/reporter.ts';
import type { Contract } from '../../../schemas/contract/contract.ts';
import type { Shard, Target } from '../../../src/client/target.ts';
import { currentRun } from '../../../src/run/reports-dir.ts';
import { readResults, requirementsFor } from '../../../src/run/results.ts';
import { failureText } from '../../../src/verdict/failure-text.ts';
import { gateSentence, gatesFor } from '../../../src/verdict/gates.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';

/** Which tests are judged. */
export interface Judging {
  /** Which tests, by address; all unless given. */
  select?(addresses: string[]): string[];
  shard?: Shard;
}

/** What judging has come to. */
export interface Judged {
  code: number;
  /** Addresses of the tests that failed. */
  failed: string[];
}

/** How is asked before the tests run; what throws prevents the run. */
export type Ask = (shard: Shard | undefined, selected: string[]) => Promise<void>;

class AskedReporter extends ConformanceReporter {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    super();
    this.#ask = ask;
  }

  override ask({ shard }: FullConfig, selected: string[]): Promise<void> {
    return this.#ask(shard ?? undefined, selected);
  }
}

interface Tests {
  addresses: string[];
  failures: { address: string; text: string }[];
}

const none: Tests = { addresses: [], failures: [] };

/** What Playwright does with the suite: lets its reporter ask, runs the tests, and ends the run. */
export async function judge(
  contract: Contract | Error,
  target: Target,
  { shard, select = (all) => all }: Judging,
  ask: Ask,
): Promise<Judged> {
  const reporter = new AskedReporter(ask);
  const config = { shard: shard ?? null } as FullConfig;
  const all = contract instanceof Error ? [] : allAddresses(contract, target);
  const problem = await reporter.preprocess({ config, suite: suiteOf(shard ? all : select(all)) }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const tests =
    contract instanceof Error || problem !== undefined ? none : testsOf(contract, target, select(all));
  if (problem !== undefined) process.stdout.write(`${problem}\n`);
  reporter.onBegin(config, suiteOf(tests.addresses));
  if (problem !== undefined) reporter.onError({ message: problem });
  for (const { address, text } of tests.failures)
    reporter.onTestEnd(testOf(address), { status: 'failed', errors: [{ message: text }] } as TestResult);
  const green = problem === undefined && tests.failures.length === 0;
  const ended = { status: green ? 'passed' : 'failed' } as FullResult;
  const { status = ended.status } = await reporter.onEnd(ended);
  return { code: status === 'passed' ? 0 : 1, failed: tests.failures.map(({ address }) => address) };
}

const suiteOf = (some: string[]) => ({ allTests: () => some.map(testOf) }) as Suite;
const testOf = (address: string) => ({ tags: [`@${address}`] }) as TestCase;

/** The tests of `tests/contract` that judge. */
const allAddresses = (contract: Contract, target: Target): string[] =>
  [...requirementsFor(contract, target), ...gatesFor(target, contract.ledger)].map(({ address }) => address);

/** Those of them that fail. */
function testsOf(contract: Contract, target: Target, addresses: string[]): Tests {
  const results = readResults(contract, target, currentRun());
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
