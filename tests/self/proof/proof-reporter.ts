import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** Row of `proof.md`, for a fault or a conforming variant. */
export interface ProofRow {
  name: string;
  /** Address of the requirement that the fault violates; undefined for a conforming variant. */
  breaks?: string;
  /** True if the suite reported exactly that requirement, or nothing for a conforming variant. */
  isRight: boolean;
}

const folder = path.resolve(import.meta.dirname, '../../../reports/out');
const formatCell = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;

const formatLocation = ({ location }: TestCase) => `${path.relative('', location.file)}:${location.line}`;

/** Formats the three quickest failed tests, which test one part alone and are the easiest to read. */
function formatQuickest(failed: Map<TestCase, number>): string {
  const quickest = [...failed].sort(([, a], [, b]) => a - b).slice(0, 3);
  const testLines = quickest.map(([test]) => `\n  ${formatLocation(test)} ${test.title}`);
  return `\nof ${failed.size} failed tests, these took the least time: read them first${testLines.join('')}\n`;
}

/** Writes `reports/out/proof.md` from the tests of faults and variants, and prints which failed tests to read first. */
export default class ProofReporter implements Reporter {
  readonly #rows: ProofRow[] = [];
  readonly #failed = new Map<TestCase, number>();

  onTestEnd(test: TestCase, { annotations, status, duration }: TestResult): void {
    if (status !== test.expectedStatus) this.#failed.set(test, duration);
    for (const { type, description: text = '' } of annotations) {
      if (type === 'fault') this.#rows.push(JSON.parse(text));
      if (type === 'variant') this.#rows.push({ name: text, isRight: status === 'passed' });
    }
  }

  onEnd(): void {
    if (this.#failed.size > 3) process.stdout.write(formatQuickest(this.#failed));
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
