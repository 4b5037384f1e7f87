import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** What is red, or deviates, for a fault: addresses of requirements. */
export interface FaultResult {
  fault: string;
  documented: string[];
  observed: { violated: string[]; deviating: string[] };
  recorded: 'the same' | string[][];
}

/** That, beside what must go red. */
export interface FaultRow extends FaultResult {
  breaks: string;
  /** Whether exactly what must is red. */
  isKilled: boolean;
}

const folder = path.resolve(import.meta.dirname, '../../../reports/out');

const verdictOf = ({ breaks, documented, isKilled }: FaultRow) => {
  if (!documented.includes(breaks)) return 'survived';
  return isKilled ? 'killed' : 'killed, and others with it';
};

const cell = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
const cells = (texts: string[]) => texts.map(cell).join(', ') || 'nothing';

const observedOf = ({ observed: { violated, deviating } }: FaultRow) =>
  cells([...violated, ...deviating.map((address) => `${address} (deviation)`)]);

/** Writes the proof, `reports/out/proof.md`, from the tests of faults and variants that ran. */
export default class ProofReporter implements Reporter {
  readonly #faults: FaultRow[] = [];
  /** Conforming providers, and whether the suite was right about them. */
  readonly #conforming: { name: string; isRight: boolean }[] = [];

  onTestEnd(_test: TestCase, { annotations, status }: TestResult): void {
    for (const { type, description: name = '' } of annotations) {
      if (type === 'fault') this.#faults.push(JSON.parse(name));
      if (type === 'variant') this.#conforming.push({ name, isRight: status === 'passed' });
    }
  }

  onEnd(): void {
    if (this.#faults.length === 0) return;
    const [wrong, right] = [this.#faults, this.#conforming];
    const killed = wrong.filter((row) => verdictOf(row) === 'killed').length;
    const said = [
      `faults killed by exactly their requirement: ${killed} of ${wrong.length}`,
      ...wrong
        .filter((row) => verdictOf(row) !== 'killed')
        .map((row) => `  ${verdictOf(row)}: ${row.fault} (${row.breaks})`),
      `conforming variants that raised nothing: ${right.filter(({ isRight }) => isRight).length} of ${right.length}`,
    ];
    const lines = [
      ...['# The proof', '', said.join('  \n'), ''],
      '| fault | must go red | went red, documented | went red or deviates, observed | verdict |',
      '| --- | --- | --- | --- | --- |',
      ...wrong.map(
        (row) =>
          `| ${cell(row.fault)} | ${cell(row.breaks)} | ${cells(row.documented)} | ${observedOf(row)} | ${verdictOf(row)} |`,
      ),
      ...['', '| conforming variant | the suite was |', '| --- | --- |'],
      ...right.map(({ name, isRight }) => `| ${cell(name)} | ${isRight ? 'right' : 'wrong'} |`),
    ];
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'proof.md'), `${lines.join('\n')}\n`);
    process.stdout.write(`\n${said.join('\n')}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
