import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Contract, loadContract } from '../schemas/contract.ts';
import { ContractError } from '../schemas/contract-error.ts';
import { loadLedger } from '../schemas/ledger.ts';
import type { Target } from '../tests/client/target.ts';
import { writeWhole } from '../tests/run/whole-file.ts';
import { badgeOf } from './badge.ts';
import type { Conformance } from './conformance.ts';
import { junitOf } from './junit.ts';
import { markdownOf } from './markdown.ts';
import { contractPage } from './pages/contract-page.ts';
import { errorPage } from './pages/error-page.ts';
import { sarifOf } from './sarif.ts';

/** What `writeReports` writes. */
export const reportFiles = [
  'conformance.json',
  'conformance.md',
  'conformance.sarif',
  'junit.xml',
  'contract.html',
  'badge.svg',
];

/** A whole run of which badge and page stay while a part of the contract is judged, and the file that holds it. */
export interface WholeRunKept {
  conformance: Conformance;
  /** Relative to `REPORTS_DIR`. */
  file: string;
}

/**
 * Writes every report that is made from `conformance.json` and the contract alone. That file comes last: where it is,
 * the others are of the same run. Badge and page of a whole run are not replaced by a run of a part.
 */
export function writeReports(
  conformance: Conformance,
  { reportsDir }: Pick<Target, 'reportsDir'>,
  whole?: WholeRunKept,
): void {
  mkdirSync(reportsDir, { recursive: true });
  const write = (name: string, text: string) => writeWhole(path.join(reportsDir, name), text);
  const contract = readableContract();
  const shown = (conformance.selection && whole?.conformance) ?? conformance;
  const links = {
    testReport: existsSync(path.join(reportsDir, 'allure-report', 'index.html')),
    data: shown === conformance ? 'conformance.json' : whole?.file,
  };
  write('conformance.md', markdownOf(conformance));
  write('junit.xml', junitOf(conformance));
  if (contract) write('conformance.sarif', `${JSON.stringify(sarifOf(conformance, contract), null, 2)}\n`);
  write('badge.svg', badgeOf(shown));
  write('contract.html', contract ? contractPage(shown, links, contract) : errorPage(conformance));
  write('conformance.json', `${JSON.stringify(conformance, null, 2)}\n`);
}

/** The contract; undefined where it or the ledger cannot be read, which the report of the run says. */
function readableContract(): Contract | undefined {
  try {
    loadLedger();
    return loadContract();
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}
