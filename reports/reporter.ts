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
import { maskOf } from '../tests/client/secrets.ts';
import { readConfiguration, type Target } from '../tests/client/target.ts';
import { readResults } from '../tests/contract/results.ts';
import { conclude, type Ended } from './conclude.ts';
import { readPrevious, withHistory } from './history.ts';
import { summaryOf } from './summary.ts';

/** Writes the reports of a run, prints the closing summary, and lets no hollow run end green. */
export default class ConformanceReporter implements Reporter {
  readonly #target: Target = readConfiguration().target;
  readonly #mask = maskOf(this.#target);
  readonly #problems: string[] = [];
  readonly #failed = new Set<string>();
  #addresses: string[] = [];
  #shard: Ended['shard'];
  readonly #startedAt = new Date();
  #pages: Promise<typeof import('./write.ts')> | undefined;

  onBegin({ shard }: FullConfig, suite: Suite): void {
    this.#shard = shard ?? undefined;
    this.#addresses = suite.allTests().map(addressOf);
    // Loaded while the workers are busy.
    this.#pages = import('./write.ts');
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status !== 'passed' && result.status !== 'skipped') this.#failed.add(addressOf(test));
  }

  onError({ message = 'the run could not begin' }: TestError): void {
    this.#problems.push(this.#mask(stripVTControlCharacters(message).replace(/^Error: /, '')));
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    if (isListing()) return {};
    const ended = conclude({
      target: this.#target,
      results: readResults(this.#target),
      addresses: this.#addresses,
      failed: this.#failed,
      problems: this.#problems,
      startedAt: this.#startedAt,
      endedAt: new Date(),
      shard: this.#shard,
    });
    const target = this.#mask(this.#target.name);
    const conformance = withHistory({ ...ended, target }, readPrevious({ ...this.#target, name: target }));
    const { writeReports } = await (this.#pages ?? import('./write.ts'));
    writeReports(conformance, this.#target);
    process.stdout.write(summaryOf(conformance, this.#mask(this.#target.reportsDir)));
    return conformance.verdict === 'pass'
      ? {}
      : { status: result.status === 'passed' ? 'failed' : result.status };
  }

  printsToStdio(): boolean {
    return false;
  }
}

const isListing = () => process.argv.includes('--list');

const addressOf = (test: TestCase) => test.tags[0]?.slice(1) ?? '';
