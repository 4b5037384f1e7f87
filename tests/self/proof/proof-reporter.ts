import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** One row of the matrix: a fault, what must go red, and what did in either profile. */
interface FaultRow {
  fault: string;
  breaks: string;
  documented: string[];
  observed: string[];
  verdict: 'killed' | 'survived' | 'killed, and others with it';
}

/** A conforming provider, or a whole run of either kind, and whether the suite was right about it. */
interface CaseRow {
  name: string;
  verdict: 'right' | 'wrong';
}

const folder = path.resolve(import.meta.dirname, '../../../reports/out');

/** Writes the proof, `reports/out/proof.json` and `reports/out/proof.md`, from the tests of faults and variants that ran. */
export default class ProofReporter implements Reporter {
  readonly #faults: FaultRow[] = [];
  readonly #variants: CaseRow[] = [];
  readonly #wholeRuns: CaseRow[] = [];

  onTestEnd(_test: TestCase, { annotations, status }: TestResult): void {
    const verdict = status === 'passed' ? 'right' : 'wrong';
    for (const { type, description: name = '' } of annotations) {
      if (type === 'fault') this.#faults.push(judged(JSON.parse(name)));
      if (type === 'variant') this.#variants.push({ name: `variant: ${name}`, verdict });
      if (type === 'whole run') this.#wholeRuns.push({ name: `whole run: ${name}`, verdict });
    }
  }

  onEnd(): void {
    if (this.#faults.length === 0) return;
    const proof = { faults: this.#faults, variants: this.#variants, wholeRuns: this.#wholeRuns };
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'proof.json'), `${JSON.stringify(proof, null, 2)}\n`);
    writeFileSync(path.join(folder, 'proof.md'), markdownOf(proof));
    process.stdout.write(`\n${summaryOf(proof)}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }
}

function judged(row: Omit<FaultRow, 'verdict'>): FaultRow {
  if (!row.documented.includes(row.breaks)) return { ...row, verdict: 'survived' };
  return { ...row, verdict: row.documented.length === 1 ? 'killed' : 'killed, and others with it' };
}

interface Proof {
  faults: FaultRow[];
  variants: CaseRow[];
  wholeRuns: CaseRow[];
}

function summaryOf({ faults, variants, wholeRuns }: Proof): string {
  const killed = faults.filter(({ verdict }) => verdict === 'killed').length;
  const right = (rows: CaseRow[]) => rows.filter(({ verdict }) => verdict === 'right').length;
  const lines = [
    `faults killed by exactly their requirement: ${killed} of ${faults.length}`,
    ...faults
      .filter(({ verdict }) => verdict !== 'killed')
      .map((row) => `  ${row.verdict}: ${row.fault} (${row.breaks})`),
    `conforming variants that raised nothing: ${right(variants)} of ${variants.length}`,
    `faults and variations that whole runs were right about: ${right(wholeRuns)} of ${wholeRuns.length}`,
  ];
  return lines.join('\n');
}

function markdownOf(proof: Proof): string {
  const cell = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
  const cells = (texts: string[]) => texts.map(cell).join(', ') || 'nothing';
  const faultLine = ({ fault, breaks, documented, observed, verdict }: FaultRow) =>
    `| ${cell(fault)} | ${cell(breaks)} | ${cells(documented)} | ${cells(observed)} | ${verdict} |`;
  const caseLine = ({ name, verdict }: CaseRow) => `| ${cell(name)} | ${verdict} |`;
  return [
    '# The proof',
    '',
    summaryOf(proof).replaceAll('\n', '  \n'),
    '',
    '| fault | must go red | went red, documented | went red or deviates, observed | verdict |',
    '| --- | --- | --- | --- | --- |',
    ...proof.faults.map(faultLine),
    '',
    '| conforming variant, or whole run | the suite was |',
    '| --- | --- |',
    ...[...proof.variants, ...proof.wholeRuns].map(caseLine),
    '',
  ].join('\n');
}
