import { writeFileSync } from 'node:fs';
import type { Reporter } from '@playwright/test/reporter';
import type { Alter } from '../../../../mock/server.ts';
import type { Conformance } from '../../../../reports/conformance.ts';
import { markdownOf } from '../../../../reports/markdown.ts';
import { contractPage } from '../../../../reports/pages/contract-page.ts';
import { loadContract } from '../../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../../schemas/contract/requirements.ts';
import { altering } from '../../harness/edits.ts';
import { judgedRun } from '../../harness/judged-runs.ts';
import { operationOf } from '../../proof/faults/fault.ts';
import { allFaults, faults } from '../../proof/faults/index.ts';
import { proveFault } from '../../proof/prove.ts';
import { Canaries } from '../../redaction/canaries.ts';
import { operation } from './edits.ts';

/** What a run says of an operation, and what of it is written. */
export interface JudgedOperation {
  verdict: Conformance['verdict'];
  percentage: number;
  notExercised: string[];
  violated: string[];
  page: string;
  leaks: string[];
}

/** What the suite makes of an operation without another edit. */
export interface JudgedCopy {
  requirements: string[];
  withoutFault: string[];
  survived: string[];
  proved: number;
  green: JudgedOperation;
  red: JudgedOperation;
}

const isOwn = (address: string) => address.startsWith(`${operation}/`);
const addresses = requirementsOf(loadContract()).map(({ address }) => address);
const canaries = new Canaries();

/** Marks in all text that has no form, and a violation in the same answers when `wrong`. */
const marked = (wrong: boolean): Alter =>
  altering(operation, (answer) => ({
    ...answer,
    body: JSON.parse(JSON.stringify(answer.body), (name, value) => {
      if (/^(name|note|reference|message)$/.test(name) && typeof value === 'string')
        return canaries.text(name);
      return wrong && name === 'status' ? canaries.text(name) : value;
    }),
  }));

async function judged(wrong: boolean): Promise<JudgedOperation> {
  const run = await judgedRun({ alter: marked(wrong) });
  const withVerdict = (verdict: string) =>
    run.requirements.filter((one) => one.verdict === verdict).map(({ address }) => address);
  const page = contractPage(loadContract(), run);
  const written = {
    'conformance.json': JSON.stringify(run),
    'contract.html': page,
    'conformance.md': markdownOf(run),
  };
  const files = Object.entries(written).map(([name, text]) => ({ name, text }));
  return {
    ...{ verdict: run.verdict, percentage: run.coverage.nodes.percentage, page },
    notExercised: withVerdict('not exercised').filter(isOwn),
    violated: withVerdict('violation'),
    leaks: canaries.leaksIn(files),
  };
}

/** Derived faults of the operation that do not turn exactly their requirement red. */
async function survivors(): Promise<Pick<JudgedCopy, 'survived' | 'proved'>> {
  const own = allFaults.filter((fault) => operationOf(fault) === operation && !faults.includes(fault));
  const survived: string[] = [];
  for (const fault of own) {
    const { documented } = await proveFault(fault);
    if (documented.violated.join() !== fault.breaks) survived.push(fault.name);
  }
  return { survived, proved: own.length };
}

const broken = new Set(allFaults.map(({ breaks }) => breaks));

/** Judges the copy in the process of a run, which has loaded all that this takes, and leaves what it found in a file. */
export default class JudgeCopy implements Reporter {
  async onEnd(): Promise<void> {
    const result: JudgedCopy = {
      requirements: addresses.filter(isOwn),
      withoutFault: addresses.filter((address) => !broken.has(address)),
      ...(await survivors()),
      green: await judged(false),
      red: await judged(true),
    };
    writeFileSync('judged.json', JSON.stringify(result));
  }

  printsToStdio(): boolean {
    return false;
  }
}
