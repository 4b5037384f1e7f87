import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../schemas/contract/contract.ts';
import type { Target } from '../tests/configuration/target.ts';
import { writeWhole } from '../tests/run/whole-file.ts';
import { makeFolder } from '../tests/run/writable-folder.ts';
import { badgeOf } from './badge.ts';
import type { Conformance } from './conformance.ts';
import { junitOf } from './junit.ts';
import { markdownOf } from './markdown.ts';
import { writeText } from './output.ts';
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
 * Writes every report that is made from `conformance.json` and the contract alone; of a contract that cannot be read,
 * what there is to say without it. That file comes last: where it is,
 * the others are of the same run. Badge and page of a whole run are not replaced by a run of a part.
 */
export function writeReports(
  contract: Contract | Error,
  conformance: Conformance,
  { reportsDir }: Pick<Target, 'reportsDir'>,
  whole?: WholeRunKept,
): void {
  makeFolder(reportsDir);
  const write = (name: string, text: string) => writeText(path.join(reportsDir, name), text);
  const isReadable = !(contract instanceof Error);
  const shown = (conformance.selection && whole?.conformance) ?? conformance;
  const links = {
    // The Allure report is of the run itself.
    testReport: shown === conformance && existsSync(path.join(reportsDir, 'allure-report', 'index.html')),
    data: shown === conformance ? 'conformance.json' : whole?.file,
  };
  write('conformance.md', markdownOf(conformance));
  write('junit.xml', junitOf(conformance));
  if (isReadable) write('conformance.sarif', `${JSON.stringify(sarifOf(contract, conformance), null, 2)}\n`);
  write('badge.svg', badgeOf(shown));
  write('contract.html', isReadable ? contractPage(contract, shown, links) : errorPage(conformance));
  writeWhole(path.join(reportsDir, 'conformance.json'), `${JSON.stringify(conformance, null, 2)}\n`);
}
