import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../schemas/contract.ts';
import type { Target } from '../tests/client/target.ts';
import { writeWhole } from '../tests/run/whole-file.ts';
import { badgeOf } from './badge.ts';
import type { Conformance } from './conformance.ts';
import { markdownOf } from './markdown.ts';
import { contractPage } from './pages/contract-page.ts';
import { sarifOf } from './sarif.ts';

/**
 * Writes every report that is made from `conformance.json` and the contract alone. That file comes last: where it is,
 * the others are of the same run.
 */
export function writeReports(
  contract: Contract,
  conformance: Conformance,
  { reportsDir }: Pick<Target, 'reportsDir'>,
): void {
  mkdirSync(reportsDir, { recursive: true });
  const write = (name: string, text: string) => writeWhole(path.join(reportsDir, name), text);
  const rendered = existsSync(path.join(reportsDir, 'allure-report', 'index.html'));
  write('conformance.md', markdownOf(conformance));
  write('conformance.sarif', `${JSON.stringify(sarifOf(contract, conformance), null, 2)}\n`);
  write('badge.svg', badgeOf(conformance));
  write('contract.html', contractPage(contract, conformance, rendered));
  write('conformance.json', `${JSON.stringify(conformance, null, 2)}\n`);
}
