/* `npm run accept`: from what the last whole run found to entries of the ledger, and back. */

import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from '../reports/command.ts';
import type { Conformance } from '../reports/conformance.ts';
import { lastWholeRun, readRunIn } from '../reports/read-conformance.ts';
import { type CallerLedger, type Contract, getSpecPath, loadContract } from '../schemas/contract/contract.ts';
import { entryPlace, readLedger } from '../schemas/contract/ledger.ts';
import { writeWhole } from '../src/client/files.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { acceptable, type Order, staleEntries, withAccepted, without } from './ledger-entries.ts';

const help = `usage: npm run accept                    lists what the last run found that an entry of the ledger could tolerate
       npm run accept -- ADDRESS… --because REASON --link URL [--until YYYY-MM-DD] [--dry-run]
                                         writes the narrowest entry that tolerates it, for each address or for none
       npm run accept -- --remove [--dry-run]
                                         removes the entries that tolerated nothing in the last run
The ledger is LEDGER_FILE, or spec/ledger.yaml where that is not set.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const options = {
  because: text,
  link: text,
  until: text,
  remove: flag,
  'dry-run': flag,
} as const;

type Given = ReturnType<typeof parseArgs<{ allowPositionals: true; options: typeof options }>>;

const ownLedger = { file: getSpecPath('ledger.yaml'), name: 'spec/ledger.yaml' };

function accept(): void {
  const given = parseArgs({ allowPositionals: true, options });
  const { reportsDir, callersLedger } = readConfiguration().target;
  const { remove, 'dry-run': isDry = false } = given.values;
  const isList = Object.keys(given.values).length + given.positionals.length === 0;
  const orders = isList || remove ? undefined : readOrders(given);
  const [contract, run] = [loadContract(), readLastRun(reportsDir)];
  if (isList) list(contract, run);
  else if (orders) add(contract, run, orders, callersLedger ?? ownLedger, isDry);
  else removeStale(contract, run, callersLedger ? [ownLedger, callersLedger] : [ownLedger], isDry);
}

/** @throws an error for people that says what is missing. */
function readOrders({ values, positionals }: Given): Order[] {
  const { because = '', link = '', until } = values;
  const missing = [
    positionals.length > 0 ? '' : 'the ADDRESS of the requirement',
    because.trim() ? '' : '--because REASON, why it is tolerated',
    link ? '' : '--link URL, where it is tracked',
  ].filter(Boolean);
  if (missing.length > 0) throw new Error(`missing: ${missing.join('; ')}`);
  if (!/^https?:\/\/\S+$/.test(link))
    throw new Error('--link must be an address that begins with https://, where the deviation is tracked');
  if (until !== undefined && until < new Date().toISOString().slice(0, 10))
    throw new Error(`--until ${until} is past: name a day that is to come, as YYYY-MM-DD`);
  return [...new Set(positionals)].map((requirement) => ({ requirement, because, link, until }));
}

/** The last run, or the last whole one of its target and profile where it judged a part of the requirements. */
function readLastRun(reportsDir: string): Conformance {
  const last = readRunIn(reportsDir);
  return (last.selection && lastWholeRun(last, reportsDir)) ?? last;
}

function list(contract: Contract, run: Conformance): void {
  const found = acceptable(contract, run);
  const lines = found.map(({ address, says }) => `${address}\n  ${says}\n`);
  const [first] = found;
  // In quotes, since a shell reads `*` as a pattern.
  const next = `Tolerate one or several: npm run accept -- '${first?.address}' --because REASON --link URL`;
  const none = `The last run${run.verdict === 'error' ? ' ended with an error, and' : ''} has found no violation`;
  const [stale] = staleEntries(contract, run);
  const removes = stale && ', and entries that tolerate nothing: npm run accept -- --remove takes them out';
  print(first ? `${lines.join('')}\n${next}\n` : `${none}${removes ?? ''}.\n`);
}

function add(
  contract: Contract,
  run: Conformance,
  orders: Order[],
  ledger: CallerLedger,
  isDry: boolean,
): void {
  const { file, name } = ledger;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const accepted = (text: string, order: Order) => withAccepted({ name, text }, contract, run, order);
  const after = orders.reduce(accepted, before);
  const known = readLedger(before, contract, name).length;
  const added = readLedger(after, contract, name).slice(known);
  const [old, now] = [before.trimEnd().split('\n'), after.trimEnd().split('\n')];
  const same = now.findIndex((line, index) => line !== old[index]);
  print([`${name}, behind line ${same}:`, ...now.slice(same).map((line) => `+${line}`), ''].join('\n'));
  if (isDry) return;
  writeWhole(file, after);
  const places = added.map(({ line }) => line).join(', ');
  print(
    `${name}, ${added.length > 1 ? 'lines' : 'line'} ${places}: written. Run again to see it tolerated, then commit it for review.\n`,
  );
}

function removeStale(contract: Contract, run: Conformance, ledgers: CallerLedger[], isDry: boolean): void {
  const stale = staleEntries(contract, run);
  if (stale.length === 0) print('Each entry for this target tolerated something in the last run.\n');
  for (const { file, name } of ledgers) {
    const own = stale.filter((entry) => (entry.file ?? ownLedger.name) === name);
    if (own.length === 0) continue;
    const after = without({ name, text: readFileSync(file, 'utf8') }, contract, own);
    if (!isDry) writeWhole(file, after);
    const removed = isDry ? 'would be removed' : 'removed';
    print(own.map((entry) => `${entryPlace(entry)}: ${removed}, ${entry.requirement}\n`).join(''));
  }
}

await runCommand('accept', help, accept);
