import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** What the suite made of a fault, or of a conforming variant, which breaks nothing. */
export interface ProofRow {
  name: string;
  /** Address of the requirement that must go red, and no other. */
  breaks?: string;
  isRight: boolean;
}

const folder = path.resolve(import.meta.dirname, '../../../reports/out');
const cell = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;

const placeOf = ({ location }: TestCase) => `${path.relative('', location.file)}:${location.line}`;

/** Which of many failed tests to read first: what takes little time is about a part of its own. */
function quickestOf(failed: Map<TestCase, number>): string {
  const quickest = [...failed].sort(([, a], [, b]) => a - b).slice(0, 3);
  const said = quickest.map(([test]) => `\n  ${placeOf(test)} ${test.title}`);
  return `\nof ${failed.size} failed tests, these took the least time: read them first${said.join('')}\n`;
}

/** Writes the proof, `reports/out/proof.md`, from the tests of faults and variants that ran, and says which failures to read first. */
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
    if (this.#failed.size > 3) process.stdout.write(quickestOf(this.#failed));
    const faults = this.#rows.filter(({ breaks }) => breaks);
    if (faults.length === 0) return;
    const variants = this.#rows.filter(({ breaks }) => !breaks);
    const count = (rows: ProofRow[]) => `${rows.filter(({ isRight }) => isRight).length} of ${rows.length}`;
    const wrong = this.#rows.filter(({ isRight }) => !isRight);
    const said = [
      `faults killed by exactly their requirement: ${count(faults)}`,
      `conforming variants that raised nothing: ${count(variants)}`,
      ...wrong.map(({ name, breaks = 'conforming' }) => `  wrong: ${name} (${breaks})`),
    ];
    const lines = [
      ...['# The proof', '', said.join('  \n'), ''],
      ...['| fault or variant | must go red | the suite was |', '| --- | --- | --- |'],
      ...this.#rows.map(({ name, breaks, isRight }) => {
        return `| ${cell(name)} | ${breaks ? cell(breaks) : 'nothing'} | ${isRight ? 'right' : 'wrong'} |`;
      }),
    ];
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'proof.md'), `${lines.join('\n')}\n`);
    process.stdout.write(`\n${said.join('\n')}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
