import { stripVTControlCharacters } from 'node:util';
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestRun,
  TestStep,
} from '@playwright/test/reporter';
import { contractOrProblem, loadContract } from '../schemas/contract/contract.ts';
import { isDiskError, writeFailure } from '../src/client/files.ts';
import type { Shard } from '../src/client/target.ts';
import { maskOf } from '../src/redact/secrets.ts';
import { resultsSoFar } from '../src/run/ask-and-judge.ts';
import { beginRun, failTests } from '../src/run/begin-run.ts';
import { isInteractive } from '../src/run/command-line.ts';
import { settleVerdict } from '../src/run/exit-guard.ts';
import { assertOwned, ownReportsDir, releaseReportsDir } from '../src/run/reports-dir.ts';
import { nothing } from '../src/run/results.ts';
import { readConfiguration } from '../src/run/target.ts';
import { annotate, plainError, print, sentenceOf } from '../src/run/terminal.ts';
import { hasSweep } from '../src/sweep/shards.ts';
import { withChanges } from '../src/verdict/changes.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { RunResults } from '../src/verdict/results.ts';
import { nothingSelected } from '../src/verdict/verdict.ts';
import { assertSettings } from '../tests/no-browser.ts';
import { buildReport, type Conformance, failedReport } from './conformance.ts';
import { summaryOf } from './lines.ts';
import { lastWholeRun } from './read-conformance.ts';
import { writeReports } from './write.ts';

/**
 * Asks and judges before the tests run, then writes the reports, prints the closing summary, and lets no run without data pass.
 * On the command line, in UI mode and in an editor each run has a reporter of its own.
 */
export default class ConformanceReporter implements Reporter {
  readonly #target = readConfiguration().target;
  readonly #mask = maskOf(this.#target);
  /** What is known of the run, beside its results. */
  readonly #known = {
    addresses: [] as string[],
    /** Of all tests that were selected, before Playwright divides them among shards. */
    selected: undefined as string[] | undefined,
    shard: undefined as Shard | undefined,
    failed: new Set<string>(),
    problems: [] as string[],
    startedAt: new Date(),
  };
  /** What was asked and found. */
  #results = nothing;
  /** The same of a run that was interrupted while it swept. */
  #soFar: RunResults | undefined;
  /** Why nothing may be written. */
  #preventedBy: Error | undefined;

  /** Asks for what the tests read. */
  ask = beginRun;

  /** @throws an error without stack, for people, when the run cannot begin. */
  async preprocess({ config, suite, testRun }: { config: FullConfig; suite: Suite; testRun?: TestRun }) {
    this.#known.selected = suite.allTests().map(addressOf);
    await this.#own();
    try {
      assertSettings(config);
      const { name, profile, reportsDir } = this.#target;
      const previous = lastWholeRun({ target: this.#mask(name), profile }, reportsDir);
      const isEmpty = this.#known.selected.length === 0;
      this.#results = await this.ask(config.shard ?? undefined, isEmpty, previous);
    } catch (error) {
      if (!isInteractive()) throw plainError(error, this.#target);
      // Beside the tests it would hardly be seen.
      this.#results = failTests(this.#target, sentenceOf(error, this.#target));
      for (const test of suite.allTests().slice(1)) testRun?.exclude(test);
    }
  }

  onBegin({ shard }: FullConfig, suite: Suite): void {
    this.#known.shard = shard ?? undefined;
    this.#known.addresses = suite.allTests().map(addressOf);
  }

  /** The request that a step shows was sent before: it took what the step's title says. */
  onStepEnd(_test: TestCase, _result: TestResult, step: TestStep): void {
    const [, ms] = /, (\d+) ms/.exec(step.title) ?? [];
    if (ms) step.duration = Number(ms);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    // A prompt of Playwright's that asks for a fix of the test: what fails here is the target.
    result.attachments = result.attachments.filter(({ name }) => name !== 'error-context');
    // A test that was interrupted, as by --max-failures, says nothing of its requirement.
    if (result.status !== 'failed' && result.status !== 'timedOut') return;
    this.#known.failed.add(addressOf(test));
    const thrown = result.errors.map(({ stack, message = '' }) => stack ?? message).join('\n');
    const text = this.#mask(thrown.replace(/^(BrokenRequirement|FailedGate): /, ''));
    // Gates are told by the summary.
    if (!isInteractive() && !addressOf(test).startsWith('run/')) print(`\n✗ ${text}\n`);
    annotate(addressOf(test), text);
  }

  onError({ message = 'the run could not begin' }: TestError): void {
    const sentence = stripVTControlCharacters(message).replace(/^\w*Error: /, '');
    // What --max-failures says when it stops a run: everything was judged all the same.
    if (/^Testing stopped early after \d+ maximum/.test(sentence)) return;
    const problem = /^No tests found/.test(sentence) ? nothingSelected : this.#mask(sentence);
    this.#known.problems.push(problem);
    annotate('run', problem);
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    const resume = hasSweep(this.#target) ? ': the same line with RESUME=1 goes on with the sweep' : '';
    if (result.status === 'interrupted') {
      this.#known.problems.push(`the run was interrupted before its end${resume}`);
      this.#soFar = resultsSoFar();
    }
    try {
      const verdict = await this.#report();
      settleVerdict(verdict);
      const failed = result.status === 'passed' ? 'failed' : result.status;
      return verdict === 'pass' ? {} : { status: failed };
    } finally {
      await releaseReportsDir();
    }
  }

  /** Otherwise Playwright adds a reporter that prints a line for each test. */
  printsToStdio(): boolean {
    return true;
  }

  async #own(): Promise<void> {
    try {
      await ownReportsDir(this.#target);
    } catch (error) {
      this.#preventedBy = plainError(error, this.#target);
      throw this.#preventedBy;
    }
  }

  async #report(): Promise<Conformance['verdict']> {
    const { callersLedger, reportsDir } = this.#target;
    try {
      if (this.#preventedBy) throw this.#preventedBy;
      // A run that was ended before it began owns nothing yet.
      await this.#own();
      assertOwned();
      const run = this.#build();
      const shown = writeReports(contractOrProblem(callersLedger), run, reportsDir);
      print(summaryOf(run, this.#mask(reportsDir), shown));
      return run.verdict;
    } catch (error) {
      const reason = isDiskError(error)
        ? `the reports cannot be written to REPORTS_DIR: ${writeFailure(error)}`
        : sentenceOf(error, this.#target);
      print(`\n  ERROR: ${reason}\n`);
      return 'error';
    }
  }

  /** A contract or a ledger that cannot be read ends a run before there is anything to report but that. */
  #build(): Conformance {
    const { problems, addresses, selected = [], shard, startedAt } = this.#known;
    const { callersLedger, reportsDir, name } = this.#target;
    // Playwright itself is silent where `--only-changed` or a list of tests selects nothing.
    const isSilent = addresses.length === 0 && !shard && problems.length === 0;
    const known = { ...this.#known, target: this.#target, problems: isSilent ? [nothingSelected] : problems };
    try {
      const contract = loadContract(callersLedger);
      const results = evaluate(contract, this.#target, this.#soFar ?? this.#results);
      // Before a sweep has ended, Playwright has named no test.
      const named = this.#soFar ? { addresses: selected } : {};
      const report = buildReport({ ...known, ...named, contract, results }, new Date());
      const own = { ...report, target: results.run?.target ?? this.#mask(name) };
      return withChanges(own, lastWholeRun(own, reportsDir));
    } catch (error) {
      const notes = [...new Set([...problems, sentenceOf(error, this.#target)])];
      return failedReport({ ...this.#target, name: this.#mask(name) }, notes, startedAt);
    }
  }
}

const addressOf = (test: TestCase) => test.tags.at(-1)?.slice(1) ?? '';
