/* `npm run accept`: adds ledger entries for violations of the last whole run, and removes stale entries. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fillOutput, runCommand } from '../reports/command.ts';
import type { Conformance } from '../reports/conformance.ts';
import { formatMinute } from '../reports/lines.ts';
import { readLastWholeRun, readRunOfFolder } from '../reports/read-conformance.ts';
import { type Contract, type ExtraLedger, getSpecPath, loadContract } from '../schemas/contract/contract.ts';
import { formatLedgerLocation, type LedgerEntry, readLedger } from '../schemas/contract/ledger.ts';
import { compileValidator, isValid } from '../schemas/contract/validators.ts';
import { explainUnreadable, writeAtomically } from '../src/client/files.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import {
  type Acceptance,
  addEntries,
  findStaleEntries,
  listViolations,
  removeEntries,
  type StaleEntry,
} from './ledger-entries.ts';

const help = `usage: npm run accept                    lists what the last run found that an entry of the ledger could tolerate
       npm run accept -- ADDRESS… --because REASON --link URL [--until YYYY-MM-DD] [--dry-run]
                                         writes the narrowest entry that tolerates it, for each address or for none
       npm run accept -- --remove [--dry-run]
                                         removes the entries that tolerated nothing in the last run
The ledger is LEDGER_FILE, by default spec/ledger.yaml.`;

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
  const { values, positionals } = commandLine;
  const { reportsDir, extraLedger } = readConfiguration().target;
  const isDryRun = values['dry-run'] ?? false;
  const hasNoArguments = positionals.length === 0 && Object.keys(values).length === 0;
  // Otherwise the command would remove all unused entries, although an address names one.
  const hasArgumentOfEntry = positionals.length > 0 || values.because || values.link || values.until;
  if (values.remove && hasArgumentOfEntry)
    throw new Error(
      '--remove removes all unused entries: give it without ADDRESS, --because, --link and --until',
    );
  const addsEntries = !hasNoArguments && !values.remove;
  // Before reading the last run, so that a mistake in the command line is reported first.
  const acceptances = addsEntries ? readAcceptances(commandLine) : [];
  const contract = loadContract();
  const run = readRunToAccept(reportsDir);
  if (addsEntries) writeEntries(contract, run, acceptances, extraLedger ?? suiteLedger, isDryRun);
  else if (values.remove)
    removeStale(contract, run, extraLedger ? [suiteLedger, extraLedger] : [suiteLedger], isDryRun);
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
  if (until !== undefined && !isDay(until))
    throw new Error(`--until ${until} is no day that exists: name a future day, as YYYY-MM-DD`);
  if (until !== undefined && until < today)
    throw new Error(`--until ${until} is in the past: name a future day, as YYYY-MM-DD`);
  return [...new Set(positionals)].map((requirement) => ({ requirement, because, link, until }));
}

/** Returns whether a text is a day as the schema of the ledger demands it, such as `2026-12-31`. */
const isDay = (text: string): boolean => isValid(compileValidator({ type: 'string', format: 'date' }), text);

function readRunToAccept(reportsDir: string): Conformance {
  const lastRun = readRunOfFolder(reportsDir);
  const { selection } = lastRun;
  const isWholeRun = selection === undefined;
  if (isWholeRun) return lastRun;
  const wholeRun = readLastWholeRun(lastRun, reportsDir);
  // `assertSuitableRun` rejects this run, and advises a run without --grep.
  if (!wholeRun) return lastRun;
  const { selected: selectedCount, total } = selection;
  const timeOfWholeRun = formatMinute(wholeRun.startedAt);
  const timeOfLastRun = formatMinute(lastRun.startedAt);
  print(
    `From the last whole run, of ${timeOfWholeRun}; the run of ${timeOfLastRun} judged only ${selectedCount} of ${total} requirements.\n\n`,
  );
  return wholeRun;
}

function printViolations(contract: Contract, run: Conformance): void {
  const violations = listViolations(contract, run);
  if (violations.length === 0) {
    printNoViolation(contract, run);
    return;
  }
  const acceptable = violations.filter(({ isAcceptable }) => isAcceptable);
  const unacceptable = violations.filter(({ isAcceptable }) => !isAcceptable);
  const [firstAcceptable] = acceptable;
  if (firstAcceptable) {
    const lines = acceptable.map(({ address, description }) => `${address}\n  ${description}\n`);
    // In quotes, because a shell expands the `*` in an address.
    const nextStep = `Tolerate one or several: npm run accept -- '${firstAcceptable.address}' --because REASON --link URL`;
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
  const textBefore = readLedgerText(file, name);
  let textAfter = textBefore;
  for (const acceptance of acceptances)
    textAfter = addEntries({ name, text: textAfter }, contract, run, acceptance);
  const countBefore = readLedger(textBefore, contract, name).length;
  // Throws if the new text is invalid, before any file is written.
  const entriesAfter = readLedger(textAfter, contract, name);
  const addedEntries = entriesAfter.slice(countBefore);
  printAddedLines(name, textBefore, textAfter);
  if (isDryRun) return;
  writeLedger(file, name, textAfter);
  printWrittenEntries(name, addedEntries);
}

/** Reads a ledger. A file that does not exist is empty. */
function readLedgerText(file: string, name: string): string {
  if (!existsSync(file)) return '';
  const reason = explainUnreadable(file);
  if (reason) throw new Error(`LEDGER_FILE (${name}) cannot be read: it names ${reason}`);
  return readFileSync(file, 'utf8');
}

const writeLedger = (file: string, name: string, text: string): void =>
  fillOutput(name, path.dirname(file), () => writeAtomically(file, text));

function printWrittenEntries(ledgerName: string, addedEntries: LedgerEntry[]): void {
  const lineNumbers = addedEntries.map(({ line }) => line).join(', ');
  const lineWord = addedEntries.length > 1 ? 'lines' : 'line';
  print(
    `${ledgerName}, ${lineWord} ${lineNumbers}: written. Run again to see it tolerated, then commit it for review.\n`,
  );
}

function printAddedLines(ledgerName: string, textBefore: string, textAfter: string): void {
  const linesBefore = textBefore.trimEnd().split('\n');
  const linesAfter = textAfter.trimEnd().split('\n');
  // New entries are at the end, so all lines from the first difference on are new.
  const firstNewIndex = linesAfter.findIndex((line, index) => line !== linesBefore[index]);
  const position = firstNewIndex > 0 ? `after line ${firstNewIndex}` : 'at the beginning';
  const newLines = linesAfter.slice(firstNewIndex).map((line) => `+${line}\n`);
  print(`${ledgerName}, ${position}:\n${newLines.join('')}`);
}

function removeStale(contract: Contract, run: Conformance, ledgers: ExtraLedger[], isDryRun: boolean): void {
  const staleEntries = findStaleEntries(contract, run);
  if (staleEntries.length === 0) {
    print('The last run found no unused entry for this target.\n');
    return;
  }
  for (const ledger of ledgers) {
    // The run stores no `file` for an entry of `spec/ledger.yaml`.
    const staleInLedger = staleEntries.filter((entry) => (entry.file ?? suiteLedger.name) === ledger.name);
    if (staleInLedger.length > 0) removeFromLedger(contract, ledger, staleInLedger, isDryRun);
  }
}

function removeFromLedger(
  contract: Contract,
  { file, name }: ExtraLedger,
  staleEntries: StaleEntry[],
  isDryRun: boolean,
): void {
  const textBefore = readLedgerText(file, name);
  const textAfter = removeEntries({ name, text: textBefore }, contract, staleEntries);
  if (!isDryRun) writeLedger(file, name, textAfter);
  const outcome = isDryRun ? 'would be removed' : 'removed';
  for (const entry of staleEntries)
    print(`${formatLedgerLocation(entry)}: ${outcome}, ${entry.requirement}\n`);
}

await runCommand('accept', help, runAccept);
