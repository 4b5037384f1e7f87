import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Conformance } from '../reports/conformance.ts';
import { lastWholeRun } from '../reports/previous.ts';
import { readConformance } from '../reports/read-conformance.ts';
import { loadContract, readSpecText, specFile } from '../schemas/contract/contract.ts';
import { readLedger } from '../schemas/contract/ledger.ts';
import { writeWhole } from '../src/client/files.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print, printError } from '../src/run/terminal.ts';
import { type Order, withAccepted } from './ledger-entries.ts';

/* `npm run accept`: from a violation that the last whole run found to an entry of spec/ledger.yaml. */

const usage =
  'usage: npm run accept -- ADDRESS --because REASON --link URL [--until YYYY-MM-DD] [--target NAME] [--dry-run]';

const text = { type: 'string' } as const;
const options = {
  because: text,
  link: text,
  until: text,
  target: text,
  'dry-run': { type: 'boolean' },
} as const;

/** @throws an error for people. */
function readOrder(): Omit<Order, 'target'> & { target: string | undefined; dryRun: boolean } {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const { because = '', link, until, target, 'dry-run': dryRun = false } = values;
  const [requirement, ...others] = positionals;
  if (!requirement || others.length > 0 || !because.trim() || !link) throw new Error(usage);
  if (!/^https?:\/\/\S+$/.test(link) || !URL.canParse(link))
    throw new Error('--link must be an address that begins with https://, where the deviation is tracked');
  if (until !== undefined) checkDay(until);
  if (target === '') throw new Error('--target must name a target, as TARGET_NAME does');
  return { requirement, because: because.trim(), link, until, target, dryRun };
}

function checkDay(day: string): void {
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T00:00:00Z` : Number.NaN);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day)
    throw new Error('--until must be a day that exists, as YYYY-MM-DD');
  if (day < new Date().toISOString().slice(0, 10))
    throw new Error(`--until ${day} is past: name a day that is to come`);
}

/** The last run, or the last whole one of its target and profile where it judged a part of the requirements. */
function readLastRun(): Conformance {
  const { reportsDir } = readConfiguration().target;
  const report = path.join(reportsDir, 'conformance.json');
  if (!existsSync(report)) throw new Error(`${report} is not there: run \`npm run conformance\` first`);
  const last = readConformance(report);
  return (last.selection && lastWholeRun(last, reportsDir)) ?? last;
}

/** What is added to a file, as a diff says it: entries stand behind all others. */
function additionOf(before: string, after: string): string {
  const [old, now] = [before.trimEnd().split('\n'), after.trimEnd().split('\n')];
  const same = now.findIndex((line, index) => line !== old[index]);
  return [`spec/ledger.yaml, behind line ${same}:`, ...now.slice(same).map((line) => `+${line}`)].join('\n');
}

try {
  const order = readOrder();
  const contract = loadContract();
  const run = readLastRun();
  const before = readSpecText('ledger.yaml');
  const after = withAccepted(before, contract, run, { ...order, target: order.target ?? run.target });
  const known = readLedger(before, contract).length;
  const lines = readLedger(after, contract)
    .slice(known)
    .map(({ line }) => line);
  print(`${additionOf(before, after)}\n`);
  if (!order.dryRun) {
    writeWhole(specFile('ledger.yaml'), after);
    const where = `spec/ledger.yaml, line ${lines.join(' and ')}`;
    print(`${where}: written. Run again to see it tolerated, then commit it for review.\n`);
  }
} catch (error) {
  printError('accept', error);
  process.exitCode = 2;
}
