/* `npm run accept`: adds ledger entries for violations of the last whole run, and removes stale entries. */

import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from '../reports/command.ts';
import type { Conformance } from '../reports/conformance.ts';
import { formatMinute } from '../reports/lines.ts';
import { readLastWholeRun, readRunOfFolder } from '../reports/read-conformance.ts';
import { type Contract, type ExtraLedger, getSpecPath, loadContract } from '../schemas/contract/contract.ts';
import { formatLedgerLocation, readLedger } from '../schemas/contract/ledger.ts';
import { writeAtomically } from '../src/client/files.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import {
  type Acceptance,
  addEntries,
  findStaleEntries,
  listViolations,
  removeEntries,
} from './ledger-entries.ts';

const help = `usage: npm run accept                    lists what the last run found that an entry of the ledger could tolerate
       npm run accept -- ADDRESS… --because REASON --link URL [--until YYYY-MM-DD] [--dry-run]
                                         writes the narrowest entry that tolerates it, for each address or for none
       npm run accept -- --remove [--dry-run]
                                         removes the entries that tolerated nothing in the last run
The ledger is LEDGER_FILE, or spec/ledger.yaml where that is not set.`;

const options = {
  because: { type: 'string' },
  link: { type: 'string' },
  until: { type: 'string' },
  remove: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const;

type CommandLine = ReturnType<typeof parseArgs<{ allowPositionals: true; options: typeof options }>>;

const suiteLedger = { file: getSpecPath('ledger.yaml'), name: 'spec/ledger.yaml' };

function runAccept(): void {
  const commandLine = parseArgs({ allowPositionals: true, options });
  const { reportsDir, extraLedger } = readConfiguration().target;
  const { remove: removesEntries = false, 'dry-run': isDryRun = false } = commandLine.values;
  const hasArguments = commandLine.positionals.length > 0 || Object.keys(commandLine.values).length > 0;
  // Without arguments, the command only lists the violations.
  const addsEntries = hasArguments && !removesEntries;
  // Before reading the last run, so that a mistake in the command line is reported first.
  const acceptances = addsEntries ? readAcceptances(commandLine) : [];
  const contract = loadContract();
  const run = readRunToAccept(reportsDir);
  const ledgers = extraLedger ? [suiteLedger, extraLedger] : [suiteLedger];
  if (addsEntries) writeEntries(contract, run, acceptances, extraLedger ?? suiteLedger, isDryRun);
  else if (removesEntries) removeStale(contract, run, ledgers, isDryRun);
  else printViolations(contract, run);
}

function readAcceptances({ values, positionals }: CommandLine): Acceptance[] {
  const { because = '', link = '', until } = values;
  const missingArguments: string[] = [];
  if (positionals.length === 0) missingArguments.push('the ADDRESS of the requirement');
  if (!because.trim()) missingArguments.push('--because REASON, why it is tolerated');
  if (!link) missingArguments.push('--link URL, where it is tracked');
  if (missingArguments.length > 0) throw new Error(`missing: ${missingArguments.join('; ')}`);
  if (!/^https?:\/\/\S+$/.test(link))
    throw new Error('--link must be an address that begins with https://, where the deviation is tracked');
  const today = new Date().toISOString().slice(0, 10);
  if (until !== undefined && until < today)
    throw new Error(`--until ${until} is in the past: name a future day, as YYYY-MM-DD`);
  return [...new Set(positionals)].map((requirement) => ({ requirement, because, link, until }));
}

/** Reads the last run. If `--grep` limited that run, reads the last run without `--grep`, if any, and prints its time. */
function readRunToAccept(reportsDir: string): Conformance {
  const lastRun = readRunOfFolder(reportsDir);
  const { selection, startedAt } = lastRun;
  if (!selection) return lastRun;
  const wholeRun = readLastWholeRun(lastRun, reportsDir);
  if (!wholeRun) return lastRun;
  print(
    `From the last whole run, of ${formatMinute(wholeRun.startedAt)}; the run of ${formatMinute(startedAt)} judged only ${selection.selected} of ${selection.total} requirements.\n\n`,
  );
  return wholeRun;
}

function printViolations(contract: Contract, run: Conformance): void {
  const violations = listViolations(contract, run);
  if (violations.length === 0) printNoViolation(contract, run);
  const acceptable = violations.filter(({ isAcceptable }) => isAcceptable);
  const unacceptable = violations.filter(({ isAcceptable }) => !isAcceptable);
  const [first] = acceptable;
  if (first) {
    const lines = acceptable.map(({ address, description }) => `${address}\n  ${description}\n`);
    // In quotes, because a shell expands `*`.
    const nextStep = `Tolerate one or several: npm run accept -- '${first.address}' --because REASON --link URL`;
    print(`${lines.join('')}\n${nextStep}\n`);
  }
  if (unacceptable.length > 0)
    print(`No entry can tolerate: ${unacceptable.map(({ address }) => address).join(', ')}\n`);
}

function printNoViolation(contract: Contract, run: Conformance): void {
  const errorNote = run.verdict === 'error' ? ' ended with an error, and' : '';
  const hasStaleEntry = findStaleEntries(contract, run).length > 0;
  const removalHint = hasStaleEntry
    ? ', and entries that tolerate nothing: npm run accept -- --remove removes them'
    : '';
  print(`The last run${errorNote} has found no violation${removalHint}.\n`);
}

function writeEntries(
  contract: Contract,
  run: Conformance,
  acceptances: Acceptance[],
  { file, name }: ExtraLedger,
  isDryRun: boolean,
): void {
  const textBefore = existsSync(file) ? readFileSync(file, 'utf8') : '';
  let textAfter = textBefore;
  for (const acceptance of acceptances)
    textAfter = addEntries({ name, text: textAfter }, contract, run, acceptance);
  const countBefore = readLedger(textBefore, contract, name).length;
  // Reads the new text before writing it, because it may be invalid.
  const addedEntries = readLedger(textAfter, contract, name).slice(countBefore);
  printAddedLines(name, textBefore, textAfter);
  if (isDryRun) return;
  writeAtomically(file, textAfter);
  const lineNumbers = addedEntries.map(({ line }) => line).join(', ');
  const lineWord = addedEntries.length > 1 ? 'lines' : 'line';
  print(
    `${name}, ${lineWord} ${lineNumbers}: written. Run again to see it tolerated, then commit it for review.\n`,
  );
}

function printAddedLines(ledgerName: string, textBefore: string, textAfter: string): void {
  const linesBefore = textBefore.trimEnd().split('\n');
  const linesAfter = textAfter.trimEnd().split('\n');
  // New entries come last. If the YAML writer has changed an older line, prints from that line on.
  const unchangedCount = linesAfter.findIndex((line, index) => line !== linesBefore[index]);
  const place = unchangedCount > 0 ? `after line ${unchangedCount}` : 'at the beginning';
  const addedLines = linesAfter.slice(unchangedCount).map((line) => `+${line}\n`);
  print(`${ledgerName}, ${place}:\n${addedLines.join('')}`);
}

function removeStale(contract: Contract, run: Conformance, ledgers: ExtraLedger[], isDryRun: boolean): void {
  const staleEntries = findStaleEntries(contract, run);
  if (staleEntries.length === 0) {
    print('Each entry for this target tolerated something in the last run.\n');
    return;
  }
  // The run stores no `file` for an entry of `spec/ledger.yaml`.
  const getLedgerName = (entry: (typeof staleEntries)[number]) => entry.file ?? suiteLedger.name;
  for (const { file, name } of ledgers) {
    const staleInLedger = staleEntries.filter((entry) => getLedgerName(entry) === name);
    if (staleInLedger.length === 0) continue;
    const textAfter = removeEntries({ name, text: readFileSync(file, 'utf8') }, contract, staleInLedger);
    if (!isDryRun) writeAtomically(file, textAfter);
    const outcome = isDryRun ? 'would be removed' : 'removed';
    for (const entry of staleInLedger)
      print(`${formatLedgerLocation(entry)}: ${outcome}, ${entry.requirement}\n`);
  }
}

await runCommand('accept', help, runAccept);
