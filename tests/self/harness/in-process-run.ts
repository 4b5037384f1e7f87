import type { MockOptions } from '../../../mock/server.ts';
import { type Contract, contractOrProblem, loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration, type Target } from '../../configuration/target.ts';
import { resultsFor } from '../../run/fresh-results.ts';
import type { Lock } from '../../run/lock-file.ts';
import { plainError } from '../../run/plain-error.ts';
import { ownReportsDir } from '../../run/reports-dir.ts';
import { nameRun } from '../../run/run-id.ts';
import setup from '../../setup.ts';
import { configOf, type Judged, type Judging, judge } from './judging.ts';
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
 * A run without Playwright around it: the same global setup, requirements and reporter, in this process. What only
 * other reporters write is missing. `grep` selects requirements by address. One at a time, since it replaces the
 * environment.
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

/** How is asked: as a shard, or in a process of its own, which the first test of a click in UI mode starts. */
interface Asking extends Pick<Judging, 'shard'> {
  onDemand?: boolean;
}

/** Asks once, as the whole of a run or a part of it, for as many judgements as `use` makes. */
export function askInProcess<T>(
  env: Environment,
  use: (judge: Judge) => Promise<T>,
  asking: Asking = {},
): Promise<T> {
  const reportsDir = reportsDirOf(env);
  return withEnvironment({ ...cleanEnvironment(), ...env, REPORTS_DIR: reportsDir }, async () => {
    const { target } = readConfiguration();
    const contract = contractOrProblem();
    const lock = ownFolder(contract, target, asking);
    try {
      return await use(await askedBy(contract, target, reportsDir, asking));
    } finally {
      lock.release();
    }
  });
}

/** As the configuration of Playwright does it: what prevents the run is a sentence for people. */
function ownFolder(contract: Contract | Error, target: Target, { onDemand = false }: Asking): Lock {
  try {
    return ownReportsDir(contract, target, nameRun({ onDemand }));
  } catch (error) {
    throw plainError(error, target);
  }
}

/** Asks as global setup does. What it prints, and why it fails, is part of each judgement. */
async function askedBy(
  contract: Contract | Error,
  target: Target,
  reportsDir: string,
  asking: Asking,
): Promise<Judge> {
  const ask = () => (asking.onDemand ? askOnDemand(loadContract(), target) : setup(configOf(asking)));
  const asked = await captureOutput(() =>
    ask().then(
      () => undefined,
      (error: Error) => error.message,
    ),
  );
  return async (judging = {}) => {
    const judged = await captureOutput(() => judge(contract, target, asked.result, judging));
    const output = asked.output + judged.output;
    const conformance = readConformance(reportsDir);
    return { ...judged.result, output, conformance, reportsDir, files: () => filesBelow(reportsDir) };
  };
}

async function askOnDemand(contract: Contract, target: Target): Promise<void> {
  const { problem } = await resultsFor(contract, target, '');
  if (problem !== undefined) throw new Error(problem);
}
