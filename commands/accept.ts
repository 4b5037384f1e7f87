import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Conformance } from '../reports/conformance.ts';
import { readConformance } from '../reports/read-conformance.ts';
import { loadContract, readSpecText, specFile } from '../schemas/contract/contract.ts';
import { readLedger } from '../schemas/contract/ledger.ts';
import { readConfiguration } from '../tests/configuration/target.ts';
import { wholeRunFile } from '../tests/run/previous.ts';
import { print, printError } from '../tests/run/terminal.ts';
import { writeWhole } from '../tests/run/whole-file.ts';
import { acceptedForms } from './accept/deviation.ts';
import { diffOf } from './accept/diff.ts';
import { freshForms } from './accept/fresh-forms.ts';
import { withEntries } from './accept/ledger-text.ts';
import { readOrder } from './accept/order.ts';
import { CommandError } from './command-error.ts';

/* `npm run accept`: from a violation that the last whole run found to an entry of spec/ledger.yaml. */

const file = 'spec/ledger.yaml';

function accept(): void {
  const order = readOrder(process.argv.slice(2), new Date().toISOString().slice(0, 10));
  const contract = loadContract();
  const run = readLastRun();
  const target = order.target ?? run.target;
  const found = acceptedForms(contract, run, order.requirement);
  const forms = freshForms(found, contract.ledger, order.requirement, target);
  const before = readSpecText('ledger.yaml');
  const after = withEntries(before, forms, order, target);
  const entries = readLedger(after, contract).slice(-forms.length);
  print(`${diffOf(file, before, after)}\n`);
  if (order.dryRun) return;
  writeWhole(specFile('ledger.yaml'), after);
  const lines = entries.map(({ line }) => line).join(' and ');
  print(`${file}, line ${lines}: written. Run again to see it tolerated, then commit it for review.\n`);
}

/** The last run, or the last whole one of its target and profile where it judged a part of the requirements. */
function readLastRun(): Conformance {
  const { reportsDir } = readConfiguration().target;
  const report = path.join(reportsDir, 'conformance.json');
  if (!existsSync(report))
    throw new CommandError(`${report} is not there: run \`npm run conformance\` first`);
  const last = readConformance(report);
  const whole = path.join(reportsDir, wholeRunFile({ ...last, name: last.target }));
  return last.selection && existsSync(whole) ? readConformance(whole) : last;
}

try {
  accept();
} catch (error) {
  printError('accept', error);
  process.exitCode = 2;
}
