import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter';
import { loadContract } from '../schemas/contract.ts';
import type { Observation } from '../tests/client/observation.ts';
import { readConfiguration, type Target } from '../tests/client/target.ts';
import { coverageOf } from '../tests/contract/coverage.ts';
import { type Results, readResults } from '../tests/contract/results.ts';
import { hollowNotes, runFindings } from '../tests/contract/run.ts';
import { type Conformance, resultOf, verdictOf } from './conformance.ts';
import { markdownOf } from './markdown.ts';
import { summaryOf } from './summary.ts';

/** Writes `conformance.json` and `conformance.md`, prints the closing summary, and lets no hollow run end green. */
export default class ConformanceReporter implements Reporter {
  readonly #target: Target = readConfiguration().target;
  readonly #problems: string[] = [];
  readonly #failed = new Set<string>();
  #addresses: string[] = [];
  #startedAt = new Date();

  onConfigure(config: FullConfig): void {
    // What an earlier run has left would be shown as if it were of this one.
    for (const folder of isListing() ? [] : ['allure-results', 'allure-report'])
      rmSync(path.join(config.rootDir && this.#target.reportsDir, folder), { recursive: true, force: true });
  }

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#addresses = suite.allTests().map(addressOf);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status !== 'passed' && result.status !== 'skipped') this.#failed.add(addressOf(test));
  }

  onError({ message = 'the run could not begin' }: TestError): void {
    this.#problems.push(message.replace(/^Error: /, ''));
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    if (isListing()) return {};
    const conformance = this.#conclude(readResults(this.#target));
    this.#write(conformance);
    process.stdout.write(summaryOf(conformance, this.#target.reportsDir));
    return conformance.verdict === 'pass'
      ? {}
      : { status: result.status === 'passed' ? 'failed' : result.status };
  }

  printsToStdio(): boolean {
    return false;
  }

  #conclude({ run, observations, standing }: Results): Conformance {
    const requirements = standing
      .filter(({ address }) => this.#addresses.includes(address))
      .map((one) => ({ ...one, ...this.#unexpected(one.address, one.verdict) }));
    const coverage = coverageOf(loadContract(), observations);
    const selected = requirements.length === standing.length;
    const findings = [
      ...requirements.flatMap((one) => one.findings),
      ...(this.#target.undeclaredFields === 'report' ? undeclaredOf(observations) : []),
      ...(selected && run ? runFindings(this.#target, coverage, observations) : []),
    ];
    const results = requirements.map(resultOf);
    return {
      schemaVersion: 1,
      target: this.#target.name,
      profile: this.#target.profile,
      startedAt: run?.startedAt ?? this.#startedAt.toISOString(),
      durationMs: Date.now() - Date.parse(run?.startedAt ?? this.#startedAt.toISOString()),
      requests: run?.requests ?? 0,
      verdict: run && this.#problems.length === 0 ? verdictOf(results, findings) : 'error',
      notes: [...this.#problems, ...hollowNotes(this.#target, observations)],
      contract: loadContract().hash,
      requirements: results,
      findings,
      coverage,
      observed: [],
    };
  }

  /** A test that failed for another reason than its requirement is a fault of this suite. */
  #unexpected(address: string, verdict: string) {
    const wrong = this.#failed.has(address) && verdict !== 'violation';
    return wrong ? ({ verdict: 'error', reason: 'the test failed without a violation' } as const) : {};
  }

  #write(conformance: Conformance): void {
    mkdirSync(this.#target.reportsDir, { recursive: true });
    const write = (name: string, text: string) =>
      writeFileSync(path.join(this.#target.reportsDir, name), text);
    write('conformance.json', `${JSON.stringify(conformance, null, 2)}\n`);
    write('conformance.md', markdownOf(conformance));
  }
}

const undeclaredOf = (observations: Observation[]) =>
  observations.flatMap(({ findings }) => findings).filter(({ kind }) => kind === 'undeclared');

const isListing = () => process.argv.includes('--list');

const addressOf = (test: TestCase) => test.tags[0]?.slice(1) ?? '';
