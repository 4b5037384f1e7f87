import type { FullConfig, FullResult, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import type { MockOptions } from '../../mock/server.ts';
import ConformanceReporter from '../../reports/reporter.ts';
import { readConfiguration } from '../client/target.ts';
import { failureText } from '../contract/failure.ts';
import { ownReportsDir } from '../run/reports-dir.ts';
import { readResults } from '../run/results.ts';
import { currentRun, nameRun } from '../run/run-id.ts';
import setup from '../setup.ts';
import type { RequirementResult } from '../verdict/evaluate.ts';
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
  const lock = ownReportsDir(target, nameRun({ onDemand: false }));
  const reporter = new ConformanceReporter();
  try {
    const problem = await setup(config).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const judged = problem === undefined ? readResults(target, currentRun()).standing : [];
    const selected = judged.filter(({ address }) => grep.test(address));
    reporter.onBegin(config, { allTests: () => selected.map(testOf) } as Suite);
    if (problem !== undefined) reportProblem(reporter, problem);
    const violations = selected.filter(({ verdict }) => verdict === 'violation');
    for (const violation of violations) reportViolation(reporter, violation);
    const ended = problem === undefined && violations.length === 0 ? passing : failing;
    const { status = ended.status } = await reporter.onEnd(ended);
    return status === 'passed' ? 0 : 1;
  } finally {
    lock.release();
  }
}

const testOf = ({ address }: RequirementResult) => ({ tags: [`@${address}`] }) as TestCase;

function reportProblem(reporter: ConformanceReporter, message: string): void {
  process.stdout.write(`${message}\n`);
  reporter.onError({ message });
}

function reportViolation(reporter: ConformanceReporter, violation: RequirementResult): void {
  process.stdout.write(`${failureText(violation)}\n`);
  reporter.onTestEnd(testOf(violation), failedTest);
}
