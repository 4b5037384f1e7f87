import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type {
  FullConfig,
  FullResult,
  Location,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestStep,
} from '@playwright/test/reporter';
import { loadContract, loadContractOrError } from '../schemas/contract/contract.ts';
import { formatCount } from '../schemas/counted.ts';
import { describeWriteFailure, isSystemError } from '../src/client/files.ts';
import type { Shard } from '../src/client/target.ts';
import { collectSecrets, createMask, Secrets } from '../src/redact/secrets.ts';
import {
  isErrorOfSuite,
  isInvalidRequest,
  redactErrorMessage,
  redactTestError,
  suiteErrorClass,
} from '../src/redact/test-error.ts';
import { beginRun } from '../src/run/begin-run.ts';
import { collectResults } from '../src/run/collect-results.ts';
import {
  explainEmptySelection,
  findRefusal,
  isInteractive,
  writesJsonToStdout,
} from '../src/run/command-line.ts';
import { handleSignalsAndStreamErrors } from '../src/run/process-events.ts';
import { assertLocked, lockReportsDir, releaseReportsDir, removeReports } from '../src/run/reports-dir.ts';
import { emptyResults, writeResults } from '../src/run/results.ts';
import { exportNewRunIdentity, type RunIdentity } from '../src/run/run-identity.ts';
import { describeEndedWorker, RunStore } from '../src/run/store.ts';
import { readConfiguration, readValidTarget } from '../src/run/target.ts';
import {
  createPlainError,
  findLedgerEntryLocation,
  formatError,
  type Print,
  print,
  printAnnotation,
  printBesideJson,
} from '../src/run/terminal.ts';
import { hasSweep } from '../src/sweep/shards.ts';
import { addChanges } from '../src/verdict/changes.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { Results, RunResults } from '../src/verdict/results.ts';
import { type CustomTest, saysNothingSelected } from '../src/verdict/verdict.ts';
import { buildFailedReport, buildReport, type Conformance } from './conformance.ts';
import { formatSummary, listAnnotations } from './lines.ts';
import { readLastWholeRun } from './read-conformance.ts';
import { writeReports } from './write.ts';

/** Playwright reporter that begins a run, judges the stored responses at the end, and writes the reports. */
export default class ConformanceReporter implements Reporter {
  #target = readConfiguration().target;
  readonly #mask = createMask(this.#target);
  #print: Print = print;
  #identity: RunIdentity | undefined;
  /** Error that prevents reports, for example because another run uses `REPORTS_DIR`. */
  #refusedBy: Error | undefined;
  /** Reason why Playwright stopped the run early, such as "the run stopped at its first failure (-x)". */
  #stopReason: string | undefined;
  #hasExplainedMessages = false;
  #tests: TestCase[] = [];
  /** Results of custom tests, keyed by the id of the test. */
  readonly #customTests = new Map<string, CustomTest>();
  readonly #run = {
    /** Addresses of this shard's selected tests, such as `getCard/http/status`. */
    addresses: [] as string[],
    /** Addresses of the selected tests of all shards. `preprocess` sets this property. */
    selected: undefined as string[] | undefined,
    shard: undefined as Shard | undefined,
    failed: new Set<string>(),
    /** Addresses of tests that an error other than a violation ended, such as `getCard/requests` if the worker process exited. */
    broken: [] as string[],
    problems: [] as string[],
    endedEarly: false,
    startedAt: new Date(),
  };

  constructor() {
    process.on('exit', this.#failAtEarlyExit);
  }

  /**
   * Locks `REPORTS_DIR`, then begins the run. If no test is selected, only locks the folder.
   * @throws an `Error` if an unsupported option such as `use.baseURL` is set, or if the folder cannot be locked
   * @throws an `Error` if the run cannot begin. In UI mode or an editor, the first test reports this problem instead.
   */
  async preprocess({ config, suite }: { config: FullConfig; suite: Suite }): Promise<void> {
    handleSignalsAndStreamErrors();
    const selected = suite.allTests().map(readAddress);
    this.#run.selected = selected;
    this.#run.shard = config.shard ?? undefined;
    if (writesJsonToStdout(config)) this.#print = printBesideJson;
    await this.#lockReportsDir(config);
    // Playwright itself reports that nothing was selected.
    if (selected.length === 0) return;
    try {
      await this.#beginRun(selected);
    } catch (error) {
      this.#run.problems.push(formatError(error, this.#target));
      // Workers need an identity to start.
      this.#identity = exportNewRunIdentity();
      // In UI mode or an editor, the tests run nevertheless, and the first one reports the problem.
      if (!isInteractive()) throw createPlainError(error, this.#target);
    }
  }

  onBegin({ shard }: FullConfig, suite: Suite): void {
    const tests = suite.allTests();
    this.#tests = tests;
    const hasTests = tests.length > 0;
    this.#run.addresses = tests.map(readAddress);
    const selectedCount = this.#run.selected?.length ?? 0;
    const isEmptyShard = shard && !hasTests && selectedCount > 0;
    if (isEmptyShard) this.#run.problems.push(describeEmptyShard(shard, selectedCount));
    // `merge-reports` replays tests without having called `preprocess`. It has no observations to judge.
    const isMergeReports = hasTests && !this.#run.selected;
    if (isMergeReports) this.#refusedBy = new Error(mergeSentence);
    if (this.#refusedBy) return;
    // A run that selects nothing, such as --last-failed after a pass, keeps the reports of the last run.
    const hasResult = hasTests || this.#run.problems.length > 0;
    if (hasResult) removeReports(this.#target.reportsDir, this.#identity?.id);
  }

  /**
   * Collects failed tests, and the results of custom tests, for the reports. Ignores an attempt that will be retried.
   * Prints each failure, unless a gate such as `run/coverage` did not pass, or Playwright runs in UI mode or for an editor.
   */
  onTestEnd(test: TestCase, result: TestResult): void {
    if (isCustom(test)) this.#noteCustom(test, result);
    if (!hasFailed(test) || willBeRetried(test)) return;
    const address = readAddress(test);
    const isOfSuite = result.errors.every(({ message = '' }) => isErrorOfSuite(message));
    if (!isCustom(test)) this.#run.failed.add(address);
    if (!isCustom(test) && !isOfSuite) this.#run.broken.push(address);
    // The closing summary prints failed gates, and the window of UI mode shows each failed test.
    const isFailedGate = address.startsWith('run/') && isOfSuite;
    if (isFailedGate || isInteractive()) return;
    const text = isCustom(test)
      ? this.#formatCustomTestFailure(test, result)
      : result.errors.map(formatTestError).join('\n');
    this.#print(`\n✗ ${this.#mask(text)}\n`);
  }

  /** Redacts the error of a step in a custom test, because Allure's report shows it. With the mock, errors stay unchanged. */
  onStepEnd(test: TestCase, _result: TestResult, { error }: TestStep): void {
    if (error && isCustom(test) && !this.#target.isMock) redactTestError(error);
  }

  onStdOut(chunk: string | Buffer): void {
    this.#print(chunk.toString());
  }

  onStdErr(chunk: string | Buffer): void {
    process.stderr.write(this.#mask(chunk.toString()));
  }

  onError(error: TestError): void {
    const { stack, value, location } = error;
    // Code of a custom test, such as a timer, may throw after the last test. Playwright's own errors have neither stack nor value.
    const isThrownByTest = (stack ?? value) !== undefined && this.#tests.some(hasEnded);
    if (isThrownByTest && !this.#target.isMock) redactTestError(error);
    const { message = value ?? 'the run could not begin' } = error;
    const errorText = stripVTControlCharacters(message).replace(/^\w*Error: /, '');
    // An error that a test file throws while Playwright loads it has a location, too.
    const text = addPlace(errorText, location);
    const sentence = isThrownByTest ? `code of a test threw after the end of the test: ${text}` : text;
    // Not a problem of the run: the tests that `--max-failures` left out count as not judged.
    const [, maxFailures] = /^Testing stopped early after (\d+) maximum/.exec(sentence) ?? [];
    if (maxFailures !== undefined) {
      this.#stopReason = describeStop(Number(maxFailures));
      return;
    }
    const hasNoTests = /^No tests found/.test(sentence);
    const problem = hasNoTests ? this.#explainEmptySelection() : this.#mask(sentence);
    this.#run.problems.push(problem);
    this.#printAnnotation('run', problem);
  }

  /**
   * Writes the reports, and releases the lock of `REPORTS_DIR`.
   * @returns a `status` that makes Playwright fail: `failed`, or a status such as `interrupted` that Playwright already has.
   *   If the verdict is `pass`, the returned object is empty, and Playwright keeps its status.
   */
  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    if (result.status === 'interrupted') {
      const resume = hasSweep(this.#target) ? ': the same command with RESUME=1 continues the sweep' : '';
      this.#run.problems.push(`the run was interrupted before its end${resume}`);
    }
    this.#run.endedEarly = !this.#tests.every(hasEnded);
    try {
      const verdict = await this.#writeReports();
      if (verdict === 'pass') return {};
      return { status: result.status === 'passed' ? 'failed' : result.status };
    } finally {
      await releaseReportsDir();
      process.off('exit', this.#failAtEarlyExit);
    }
  }

  /**
   * Fails a run that exits before its end. For example, Playwright's main process may load a test that imports a script with
   * `process.exit()`.
   */
  readonly #failAtEarlyExit = (status: number): void => {
    if (status !== 0) return;
    process.stderr.write(`${earlyExitSentence}\n`);
    process.exitCode = 1;
  };

  /** Returns true, because otherwise Playwright would add a reporter of its own. */
  printsToStdio(): boolean {
    return true;
  }

  async #beginRun(selected: string[]): Promise<void> {
    const { shard } = this.#run;
    const { name, profile, traffic, reportsDir, notices } = this.#target;
    for (const text of notices) printAnnotation(this.#print, { level: 'warning', title: 'run', text });
    const previous = readLastWholeRun({ target: this.#mask(name), profile, traffic }, reportsDir);
    this.#identity = await beginRun({ selected, shard, previous, print: this.#print });
    // With `--shard=1/2`, the target of this shard has, for example, half of `MAX_RPS`.
    this.#target = readValidTarget(shard);
  }

  #explainEmptySelection(): string {
    try {
      // A mistake such as CUSTOM_TESTS=/nowhere may be the reason why there is no test.
      readValidTarget(this.#run.shard);
      return explainEmptySelection();
    } catch (error) {
      return formatError(error, this.#target);
    }
  }

  async #lockReportsDir(config: FullConfig): Promise<void> {
    const refusal = findRefusal(config);
    try {
      if (refusal) throw new Error(refusal);
      await lockReportsDir(this.#target);
    } catch (error) {
      this.#refusedBy = createPlainError(error, this.#target);
      throw this.#refusedBy;
    }
  }

  #noteCustom(test: TestCase, result: TestResult): void {
    const { status } = result;
    if (status === 'interrupted' || willBeRetried(test)) return;
    const outcome: CustomTest = { title: formatCustomTitle(test), failed: hasFailed(test) };
    if (status === 'skipped') outcome.skipped = true;
    // A test that was skipped after a failure (mode `serial`) may run in the retry.
    this.#customTests.set(test.id, outcome);
  }

  /**
   * Formats the failure of a custom test. The message of an error may be withheld, because it may hold personal values.
   * The first failure with a withheld message also has a hint how to see messages.
   */
  #formatCustomTestFailure(test: TestCase, result: TestResult): string {
    const { isMock } = this.#target;
    const text = formatCustomTestFailure(test, result, isMock);
    const hasWithheldMessage = !isMock && result.errors.some(({ message = '' }) => !isErrorOfSuite(message));
    if (!hasWithheldMessage || this.#hasExplainedMessages) return text;
    this.#hasExplainedMessages = true;
    return `${text}\n\n${messagesHint}`;
  }

  async #writeReports(): Promise<Conformance['verdict']> {
    try {
      return await this.#writeReportsOrThrow();
    } catch (error) {
      const reason = isSystemError(error)
        ? `the reports cannot be written to REPORTS_DIR: ${describeWriteFailure(error)}`
        : formatError(error, this.#target);
      this.#print(`\n  ERROR: ${reason}\n`);
      return 'error';
    }
  }

  async #writeReportsOrThrow(): Promise<Conformance['verdict']> {
    const { extraLedger, reportsDir } = this.#target;
    if (this.#refusedBy) throw this.#refusedBy;
    // If Playwright ended the run before `preprocess`, nothing has locked the folder yet. Otherwise, this call does nothing.
    await lockReportsDir(this.#target);
    assertLocked();
    if (this.#selectsNothing()) throw new Error(explainEmptySelection());
    const run = await this.#buildReport();
    const pageRun = writeReports(loadContractOrError(extraLedger), run, reportsDir);
    for (const { title, text } of listAnnotations(run)) this.#printAnnotation(title, text);
    this.#print(formatSummary(run, this.#mask(reportsDir), pageRun));
    return run.verdict;
  }

  #printAnnotation(title: string, text: string): void {
    const { extraLedger } = this.#target;
    printAnnotation(this.#print, {
      title,
      text,
      location: extraLedger && findLedgerEntryLocation(text, extraLedger.name),
    });
  }

  #selectsNothing(): boolean {
    const { addresses, shard, problems } = this.#run;
    const hasNoOtherProblem = problems.every(saysNothingSelected);
    // A shard without a test is reported as a problem of its own.
    return addresses.length === 0 && !shard && hasNoOtherProblem;
  }

  async #buildReport(): Promise<Conformance> {
    try {
      return await this.#judgeAndBuildReport();
    } catch (error) {
      // For example a full disk, which would prevent any report. `#writeReports` explains the error.
      if (isSystemError(error)) throw error;
      const { problems, startedAt } = this.#run;
      const notes = [...new Set([...problems, formatError(error, this.#target)])];
      return buildFailedReport({ ...this.#target, name: this.#mask(this.#target.name) }, notes, startedAt);
    }
  }

  async #judgeAndBuildReport(): Promise<Conformance> {
    const { extraLedger, reportsDir, name } = this.#target;
    const contract = loadContract(extraLedger);
    const storedResults = { ...(await this.#collectResults()), stopReason: this.#stopReason };
    const results = evaluate(contract, this.#target, storedResults);
    this.#noteBrokenTests(results);
    writeResults(this.#target, storedResults);
    const customTests = [...this.#customTests.values()];
    const input = { ...this.#run, customTests, target: this.#target, contract, results };
    const report = buildReport(input, new Date());
    // The name in `results.run` is masked already. If the run has no results, `results.run` is undefined.
    const maskedReport = { ...report, target: results.run?.target ?? this.#mask(name) };
    return addChanges(maskedReport, readLastWholeRun(maskedReport, reportsDir));
  }

  /**
   * Adds a problem for a broken test that judges no requirement, such as "requests made". `concludeRun` gives a requirement the
   * verdict `error`. If a worker exits between two tests, Playwright fails the next test, and skips all others of the file.
   */
  #noteBrokenTests({ requirementResults }: Results): void {
    const { problems, broken } = this.#run;
    const hasRequirement = (testAddress: string) =>
      requirementResults.some(({ address }) => address === testAddress);
    const [first] = broken.filter((address) => !hasRequirement(address));
    // A problem that is known already, such as the end of the worker during requests, explains the test.
    if (first !== undefined && problems.length === 0) problems.push(describeBrokenTest(first));
  }

  async #collectResults(): Promise<RunResults> {
    const isMisconfigured = this.#run.problems.some((problem) => problem.startsWith('The configuration'));
    if (!this.#identity || isMisconfigured) return emptyResults;
    const contract = loadContract(this.#target.extraLedger);
    const store = new RunStore(this.#target.reportsDir, this.#identity.id);
    // A problem that is known already, such as an interruption, explains why workers ended early.
    const hasKnownProblem = this.#run.problems.length > 0;
    if (!hasKnownProblem) this.#run.problems.push(...store.listUnfinishedNames().map(describeEndedWorker));
    const secrets = new Secrets(collectSecrets(this.#target));
    return collectResults(contract, this.#target, this.#identity, store, secrets);
  }
}

const mergeSentence =
  'merge-reports has no observations to judge: merge the REPORTS_DIR of each shard, with `npm run merge -- DIR... --output DIR`';

const earlyExitSentence =
  'ERROR: the run exited before its end, because a test file, or what it imports, called process.exit() or never finished loading: nothing was reported';

const describeBrokenTest = (address: string): string =>
  `an error that is no violation ended the test @${address}, so that later tests may not have run: the output of the run shows the error`;

const describeEmptyShard = ({ current, total }: Shard, selectedCount: number): string =>
  `--shard=${current}/${total} has no test: ${formatCount(selectedCount, 'selected test')} in all, so use at most as many shards`;

const describeStop = (maxFailures: number): string =>
  maxFailures === 1
    ? 'the run stopped at its first failure (-x)'
    : `the run stopped after ${maxFailures} failures (--max-failures=${maxFailures})`;

/** Reads `getCard/http/status` from the last tag, `@getCard/http/status`. */
const readAddress = (test: TestCase): string => test.tags.at(-1)?.slice(1) ?? '';

const hasFailed = (test: TestCase): boolean => test.outcome() === 'unexpected';

const hasEnded = ({ results }: TestCase): boolean => results.some(({ status }) => status !== 'interrupted');

const willBeRetried = (test: TestCase): boolean => hasFailed(test) && test.results.length <= test.retries;

const contractTestsFolder = fileURLToPath(new URL('../tests/contract', import.meta.url));

// `CUSTOM_TESTS` may name a folder inside this one.
const isCustom = ({ location }: TestCase): boolean => path.dirname(location.file) !== contractTestsFolder;

const formatCustomTitle = (test: TestCase): string => {
  // The first three titles are those of the root, the project and the file.
  const titles = test.titlePath().slice(3).join(' › ');
  return `${titles} (${formatFileAndLine(test.location)})`;
};

const formatFileAndLine = ({ file, line }: Location): string => `${path.basename(file)}:${line}`;

/** Adds file and line after the first line of an error message, because an error of `expect` has many lines. */
function addPlace(message: string, location: Location | undefined): string {
  if (!location) return message;
  return message.replace(/^.*/, (firstLine) => `${firstLine} (${formatFileAndLine(location)})`);
}

const messagesHint =
  '  messages of your own tests are withheld, because they may hold personal values; BASE_URL=mock shows them';

/**
 * Formats the title and the errors of a failed custom test.
 * @param showsMessages true only for the embedded mock, whose values are invented. If false, the messages of errors that do not
 *   come from this suite are redacted.
 */
function formatCustomTestFailure(
  test: TestCase,
  { status, errors }: TestResult,
  showsMessages: boolean,
): string {
  const texts = errors.map((error) => {
    const { message = '', location } = error;
    const isOfSuite = isErrorOfSuite(message);
    // An `UnmetRequirement` names its own lines. An `InvalidRequest` is a mistake in the test, so the line of the test is added.
    if (isOfSuite && !isInvalidRequest(message)) return formatTestError(error);
    // The message of an error that does not come from the suite may contain personal values.
    const fullText = stripVTControlCharacters(message).replace(suiteErrorClass, '');
    const text = showsMessages || isOfSuite ? fullText : redactErrorMessage(message);
    return `  ${addPlace(text, location)}`;
  });
  if (status === 'passed') texts.push('  the test passed, although it was expected to fail (test.fail)');
  return `${formatCustomTitle(test)}\n\n${texts.join('\n')}`;
}

/** Matches the stack frame of `UnmetRequirement`, such as `    at contract (spec/openapi.yaml:120:15)`. */
const contractFrame = /\n +at contract \(([^\n]*)\)$/;

const formatTestError = ({ stack, message = '' }: TestError): string => {
  // A stack begins with the message.
  const text = stack ?? message;
  return text.replace(suiteErrorClass, '').replace(contractFrame, '\n  contract  $1');
};
