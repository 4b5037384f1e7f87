import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** Row of `proof.md`, for a provider with a fault, or for a provider that conforms to the contract (variant). */
export interface ProofRow {
  name: string;
  /** Address of the requirement that the fault violates; undefined for a conforming variant. */
  breaks?: string;
  /** True if the suite reported only the requirement in `breaks`, or nothing for a conforming variant. */
  isRight: boolean;
}

const folder = path.resolve(import.meta.dirname, '../../../reports/out');
const formatCell = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;

const formatLocation = ({ location }: TestCase) => `${path.relative('', location.file)}:${location.line}`;

/** Formats the three failed tests that took the least time, because quick tests cover a single part and are easy to read. */
function formatQuickestTests(durationByTest: Map<TestCase, number>): string {
  const byDuration = [...durationByTest].sort(([, duration], [, otherDuration]) => duration - otherDuration);
  const testLines = byDuration.slice(0, 3).map(([test]) => `\n  ${formatLocation(test)} ${test.title}`);
  return `\nof ${durationByTest.size} failed tests, these took the least time: read them first${testLines.join('')}\n`;
}

export default class ProofReporter implements Reporter {
  readonly #rows: ProofRow[] = [];
  readonly #durationByFailedTest = new Map<TestCase, number>();

  onTestEnd(test: TestCase, { annotations, status, duration }: TestResult): void {
    if (status !== test.expectedStatus) this.#durationByFailedTest.set(test, duration);
    for (const { type, description: text = '' } of annotations) {
      if (type === 'fault') this.#rows.push(JSON.parse(text));
      if (type === 'variant') this.#rows.push({ name: text, isRight: status === 'passed' });
    }
  }

  onEnd(): void {
    const durations = this.#durationByFailedTest;
    if (durations.size > 3) process.stdout.write(formatQuickestTests(durations));
    const faults = this.#rows.filter(({ breaks }) => breaks);
    if (faults.length === 0) return;
    const variants = this.#rows.filter(({ breaks }) => !breaks);
    const count = (rows: ProofRow[]) => `${rows.filter(({ isRight }) => isRight).length} of ${rows.length}`;
    const wrongRows = this.#rows.filter(({ isRight }) => !isRight);
    const summaryLines = [
      `faults killed by exactly their requirement: ${count(faults)}`,
      `conforming variants that raised nothing: ${count(variants)}`,
      ...wrongRows.map(({ name, breaks = 'conforming' }) => `  wrong: ${name} (${breaks})`),
    ];
    const lines = [
      ...['# The proof', '', summaryLines.join('  \n'), ''],
      ...['| fault or variant | must go red | the suite was |', '| --- | --- | --- |'],
      ...this.#rows.map(({ name, breaks, isRight }) => {
        return `| ${formatCell(name)} | ${breaks ? formatCell(breaks) : 'nothing'} | ${isRight ? 'right' : 'wrong'} |`;
      }),
    ];
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'proof.md'), `${lines.join('\n')}\n`);
    process.stdout.write(`\n${summaryLines.join('\n')}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
