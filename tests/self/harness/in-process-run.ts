import type { MockOptions } from '../../../mock/server.ts';
import { contractOrProblem } from '../../../schemas/contract/contract.ts';
import { beginRun } from '../../../src/run/begin-run.ts';
import { nameRun } from '../../../src/run/reports-dir.ts';
import { readStoredResults, writeResults } from '../../../src/run/results.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import type { RunResults } from '../../../src/verdict/results.ts';
import { type Ask, type Judged, type Judging, judge } from './judging.ts';
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
    const ask = askOnce(reportsDir);
    return use(async (judging = {}) => {
      const { result, output } = await captureOutput(() => judge(contract, target, judging, ask));
      const conformance = readConformance(reportsDir);
      return { ...result, output, conformance, reportsDir, files: () => filesBelow(reportsDir) };
    });
  });
}

/** Asks as a run does; what it has found is there for each run that follows. */
function askOnce(reportsDir: string): Ask {
  let asked: { results: RunResults; output: string } | undefined;
  return async (shard, selected) => {
    if (asked) {
      process.stdout.write(asked.output);
      return writeResults(readConfiguration().target, nameRun(), asked.results);
    }
    const { output, result: error } = await captureOutput(() =>
      beginRun(shard, selected.length === 0).then(
        () => undefined,
        (thrown: unknown) => thrown,
      ),
    );
    process.stdout.write(output);
    if (error) throw error;
    if (selected.length > 0) asked = { results: readStoredResults(reportsDir), output };
  };
}
