import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** Row of `proof.md`: a fault, or a variant that must show no violation. */
export interface ProofRow {
  name: string;
  /** Requirement that the fault violates, such as `getCard/code`; undefined for a variant. */
  breaks?: string;
  /** True if the suite reported exactly the expected verdicts. */
  isRight: boolean;
}

const folder = path.resolve(import.meta.dirname, '../../../reports/out');
const formatCell = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;

const formatLocation = ({ location }: TestCase) => `${path.relative('', location.file)}:${location.line}`;

function formatQuickestTests(durationByTest: Map<TestCase, number>): string {
  // A quick test usually covers little, so its failure is easy to understand.
  const byDuration = [...durationByTest].sort(([, duration], [, otherDuration]) => duration - otherDuration);
  const quickestTests = byDuration.slice(0, 3).map(([test]) => test);
  const testLines = quickestTests.map((test) => `\n  ${formatLocation(test)} ${test.title}`);
  return `\nof ${durationByTest.size} failed tests, these took the least time: read them first${testLines.join('')}\n`;
}

const countRight = (rows: ProofRow[]) => `${rows.filter(({ isRight }) => isRight).length} of ${rows.length}`;

function summarize(rows: ProofRow[]): string[] {
  const faultRows = rows.filter(({ breaks }) => breaks);
  const variantRows = rows.filter(({ breaks }) => !breaks);
  const wrongRows = rows.filter(({ isRight }) => !isRight);
  return [
    `faults killed by exactly their requirement: ${countRight(faultRows)}`,
    `conforming variants that raised nothing: ${countRight(variantRows)}`,
    ...wrongRows.map(({ name, breaks = 'conforming' }) => `  wrong: ${name} (${breaks})`),
  ];
}

function formatRow({ name, breaks, isRight }: ProofRow): string {
  const expected = breaks ? formatCell(breaks) : 'nothing';
  return `| ${formatCell(name)} | ${expected} | ${isRight ? 'right' : 'wrong'} |`;
}

export default class ProofReporter implements Reporter {
  readonly #rows: ProofRow[] = [];
  readonly #durationByFailedTest = new Map<TestCase, number>();

  onTestEnd(test: TestCase, { annotations, status, duration }: TestResult): void {
    if (status !== test.expectedStatus) this.#durationByFailedTest.set(test, duration);
    // A test of the proof has an annotation for each fault or variant that it has run.
    for (const { type, description: text = '' } of annotations) {
      if (type === 'fault') this.#rows.push(JSON.parse(text));
      if (type === 'variant') this.#rows.push({ name: text, isRight: status === 'passed' });
    }
  }

  onEnd(): void {
    const durations = this.#durationByFailedTest;
    if (durations.size > 3) process.stdout.write(formatQuickestTests(durations));
    const hasProvenFault = this.#rows.some(({ breaks }) => breaks);
    if (!hasProvenFault) return;
    const summaryLines = summarize(this.#rows);
    const lines = [
      '# The proof',
      '',
      // Two blanks at the end of a line are a line break in Markdown.
      summaryLines.join('  \n'),
      '',
      '| fault or variant | must go red | the suite was |',
      '| --- | --- | --- |',
      ...this.#rows.map(formatRow),
    ];
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'proof.md'), `${lines.join('\n')}\n`);
    process.stdout.write(`\n${summaryLines.join('\n')}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
