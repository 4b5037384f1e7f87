import { stripVTControlCharacters } from 'node:util';
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter';
import { type Contract, contractOrProblem, loadContract } from '../schemas/contract/contract.ts';
import { readConfiguration, type Target } from '../tests/configuration/target.ts';
import { maskOf } from '../tests/redaction/secrets.ts';
import { settleVerdict } from '../tests/run/exit-guard.ts';
import { lostFolder } from '../tests/run/held-folder.ts';
import type { Lock } from '../tests/run/lock-file.ts';
import { sentenceOf } from '../tests/run/plain-error.ts';
import { readPrevious } from '../tests/run/previous.ts';
import { ownReportsDir } from '../tests/run/reports-dir.ts';
import { readResults } from '../tests/run/results.ts';
import { currentRun, isInteractive, isListing, nameRun, tellProblem } from '../tests/run/run-id.ts';
import { nothingSelected } from '../tests/run/selection-problem.ts';
import { print } from '../tests/run/terminal.ts';
import { writeFailure } from '../tests/run/whole-file.ts';
import { withChanges } from '../tests/verdict/changes.ts';
import type { Shard } from '../tests/verdict/verdict.ts';
import { buildReport, failedReport } from './build-report.ts';
import type { Conformance } from './conformance.ts';
import { summaryOf } from './summary.ts';
import { wholeRunBeside } from './whole-run.ts';

/** Writes the reports of a run, prints the closing summary, and lets no run without data pass. */
export default class ConformanceReporter implements Reporter {
  readonly #target: Target = readConfiguration().target;
  readonly #mask = maskOf(this.#target);
  readonly #problems: string[] = [];
  readonly #failed = new Set<string>();
  #addresses: string[] = [];
  /** Addresses of all tests that were selected, before Playwright divides them among shards. */
  #selected: string[] | undefined;
  #shard: Shard | undefined;
  readonly #startedAt = new Date();
  #pages: Promise<typeof import('./write.ts')> | undefined;
  /** Where Playwright stays open, each reporter is a run, and owns `REPORTS_DIR` as long as it lasts. */
  readonly #lock: Lock | undefined;
  /** Why nothing may be written. */
  #preventedBy: string | undefined;

  constructor() {
    if (isInteractive()) this.#lock = this.#begin();
  }

  async preprocess({ suite }: { suite: Suite }): Promise<void> {
    this.#selected = suite.allTests().map(addressOf);
  }

  onBegin({ shard }: FullConfig, suite: Suite): void {
    this.#shard = shard ?? undefined;
    this.#addresses = suite.allTests().map(addressOf);
    // Loaded while the workers are busy.
    this.#pages = import('./write.ts');
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    // A test that was interrupted, as by --max-failures, says nothing of its requirement.
    if (result.status === 'failed' || result.status === 'timedOut') this.#failed.add(addressOf(test));
  }

  onError({ message = 'the run could not begin' }: TestError): void {
    const sentence = stripVTControlCharacters(message).replace(/^\w*Error: /, '');
    if (isEarlyStop(sentence)) return;
    this.#problems.push(/^No tests found/.test(sentence) ? nothingSelected : this.#mask(sentence));
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    if (isListing()) return {};
    if (result.status === 'interrupted') this.#problems.push('the run was interrupted before its end');
    try {
      const verdict = await this.#report();
      settleVerdict(verdict);
      const failed = result.status === 'passed' ? 'failed' : result.status;
      return verdict === 'pass' ? {} : { status: failed };
    } finally {
      this.#lock?.release();
    }
  }

  printsToStdio(): boolean {
    return false;
  }

  /** Playwright itself is silent where `--only-changed` or a list of tests selects nothing. */
  #problemsOfRun(): string[] {
    const isSilent = this.#addresses.length === 0 && !this.#shard && this.#problems.length === 0;
    return isSilent ? [nothingSelected] : this.#problems;
  }

  #begin(): Lock | undefined {
    const run = nameRun({ onDemand: true });
    try {
      return ownReportsDir(contractOrProblem(), this.#target, run);
    } catch (error) {
      this.#preventedBy = sentenceOf(error, this.#target);
      tellProblem(this.#preventedBy);
      return undefined;
    }
  }

  async #report(): Promise<Conformance['verdict']> {
    const conformance = this.#built();
    const { writeReports } = await (this.#pages ?? import('./write.ts'));
    const preventedBy =
      this.#preventedBy ?? lostFolder(this.#target.reportsDir) ?? this.#write(conformance, writeReports);
    if (!preventedBy) print(summaryOf(conformance, this.#mask(this.#target.reportsDir)));
    else print(`\n  ERROR: ${preventedBy}\n`);
    return preventedBy ? 'error' : conformance.verdict;
  }

  /** What prevented the reports from being written, if something did. */
  #write(conformance: Conformance, write: typeof import('./write.ts').writeReports): string | undefined {
    try {
      write(
        contractOrProblem(),
        conformance,
        this.#target,
        wholeRunBeside(conformance, this.#target.reportsDir),
      );
      return undefined;
    } catch (error) {
      return `the reports cannot be written to REPORTS_DIR: ${writeFailure(error)}`;
    }
  }

  /** A contract or a ledger that cannot be read ends a run before there is anything to report but that. */
  #built(): Conformance {
    try {
      return this.#build(loadContract());
    } catch (error) {
      const notes = [...new Set([...this.#problems, sentenceOf(error, this.#target)])];
      return failedReport({ ...this.#target, name: this.#mask(this.#target.name) }, notes, this.#startedAt);
    }
  }

  #build(contract: Contract): Conformance {
    const input = {
      contract,
      target: this.#target,
      results: readResults(contract, this.#target, currentRun()),
      addresses: this.#addresses,
      selected: this.#selected,
      failed: this.#failed,
      problems: this.#problemsOfRun(),
      startedAt: this.#startedAt,
      shard: this.#shard,
    };
    const target = input.results.run?.target ?? this.#mask(this.#target.name);
    const report = { ...buildReport(input, new Date()), target };
    return withChanges(report, readPrevious({ ...this.#target, name: target }));
  }
}

/** What --max-failures says when it stops a run: everything was judged all the same. */
const isEarlyStop = (sentence: string) => /^Testing stopped early after \d+ maximum/.test(sentence);

const addressOf = (test: TestCase) => test.tags[0]?.slice(1) ?? '';
