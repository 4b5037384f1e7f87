import { isDeepStrictEqual } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { type Document, isCollection, isMap, isSeq, parseDocument } from 'yaml';
import type { Conformance } from '../reports/conformance.ts';
import type { Contract } from '../schemas/contract/contract.ts';
import {
  isForTarget,
  type LedgerEntry,
  type LedgerLocation,
  readLedger,
  suggestInsteadOfEntry,
} from '../schemas/contract/ledger.ts';
import { listRequirements } from '../schemas/contract/requirements.ts';
import type { Finding } from '../src/redact/observation.ts';
import type { ProposedAccepts, ProposedSchema } from '../src/redact/received.ts';
import { failedLookupsNote } from '../src/verdict/evaluate.ts';

/** Arguments of `npm run accept`: the requirement whose violations to tolerate, the reason, a link and the last day. */
export type Acceptance = Pick<LedgerEntry, 'requirement' | 'because' | 'link' | 'until'>;

interface NewEntry extends Acceptance {
  target: string;
  /** True if a sweep found the violation. A run without a sweep then does not report the entry as stale. */
  swept: boolean;
}

/** Value of `accepts` in a ledger entry: `{ name: 'p_user_id' }`, `{ missing: true }`, or a schema of the received values. */
type Accepts =
  | Exclude<ProposedAccepts, { schema: unknown }>
  | { schema: ProposedSchema | { enum: unknown[] } | { anyOf: ProposedSchema[] } };

interface Ledger {
  /** YAML text; empty if the file does not exist. */
  text: string;
  name: string;
}

/**
 * Returns the text of a ledger with new entries that tolerate the violations of one requirement, and as little else as possible.
 * @throws an `Error` if the run was limited, such as by `--grep`, if no entry can tolerate a violation, or if all entries exist
 */
export function addEntries(
  ledger: Ledger,
  contract: Contract,
  run: Conformance,
  acceptance: Acceptance,
): string {
  const { requirement } = acceptance;
  assertRequirementExists(contract, requirement);
  assertSuitableRun(contract, run);
  const acceptsValues = mergeAccepts(findViolations(run, requirement).map(getProposedAccepts));
  const newEntry = { ...acceptance, target: run.target, swept: isFoundBySweep(run, requirement) };
  const existingEntries = listEntriesForTarget(ledger, contract, newEntry);
  const newAcceptsValues = acceptsValues.filter((accepts) => !findEntry(existingEntries, accepts));
  if (newAcceptsValues.length === 0)
    throw createNothingNewError(ledger.name, requirement, existingEntries, acceptsValues);
  const document = parseEntryList(ledger.text);
  for (const accepts of newAcceptsValues) document.add(createEntryNode(document, accepts, newEntry));
  return document.toString({ lineWidth: 0 }).trimStart();
}

function isFoundBySweep({ requirements }: Conformance, address: string): boolean {
  const result = requirements.find((requirement) => requirement.address === address);
  // A result has one of the two only if a sweep judged the requirement.
  const hasSweptShare = result?.swept !== undefined;
  const hasFailedLookups = result?.reason === failedLookupsNote;
  return hasSweptShare || hasFailedLookups;
}

/** Parses the text of a ledger. Converts an empty text or `[]` to block style (`- requirement: …`), one line for each key. */
function parseEntryList(text: string): Document {
  const document: Document = parseDocument(text);
  const entryList = isSeq(document.contents) ? document.contents : document.createNode([]);
  entryList.flow = false;
  document.contents = entryList;
  return document;
}

interface ViolatedRequirement {
  address: string;
  /** Received values, such as `a number; a boolean`. */
  description: string;
  /** False if no ledger entry can tolerate the violations. */
  isAcceptable: boolean;
}

/** @throws an `Error` if the run was limited, such as by `--grep`, or judged another contract */
export function listViolations(contract: Contract, run: Conformance): ViolatedRequirement[] {
  assertSuitableRun(contract, run);
  const violatedAddresses = new Set(
    run.requirements.filter(({ verdict }) => verdict === 'violation').map(({ address }) => address),
  );
  const requirements = listRequirements(contract).filter(({ address }) => violatedAddresses.has(address));
  return requirements.map((requirement) => {
    const violations = findViolations(run, requirement.address);
    const canBeTolerated = suggestInsteadOfEntry(requirement) === undefined;
    const canExpressReceived = violations.every(({ received }) => received);
    return {
      address: requirement.address,
      description: [...new Set(violations.map(({ actual }) => actual))].join('; '),
      isAcceptable: canBeTolerated && canExpressReceived,
    };
  });
}

/** Finds the ledger entries that tolerated nothing. @throws an `Error` if the run was limited, such as by `--grep` */
export function findStaleEntries(contract: Contract, run: Conformance): StaleEntry[] {
  assertSuitableRun(contract, run);
  const staleEntries: StaleEntry[] = [];
  for (const { kind, requirement, ledger } of run.findings)
    if (kind === 'stale' && ledger) staleEntries.push({ requirement, ...ledger });
  return staleEntries;
}

type StaleEntry = LedgerLocation & { requirement: string };

/**
 * Removes stale entries, and the comment right above each, from the text of a ledger. Writes no file.
 * @throws an `Error` with one sentence if the ledger has changed since the run, or if two entries share a line
 */
export function removeEntries({ text, name }: Ledger, contract: Contract, stale: StaleEntry[]): string {
  const entries = readLedger(text, contract, name);
  const isStale = (entry: LedgerEntry) =>
    stale.some(({ requirement, line }) => entry.line === line && entry.requirement === requirement);
  if (entries.filter(isStale).length < stale.length)
    throw new Error(`${name} has changed since the last run: run again first`);
  const textAfter = removeEntryLines(text, entries, isStale);
  const countAfter = readLedger(textAfter, contract, name).length;
  if (countAfter !== entries.length - stale.length)
    throw new Error(`${name} has entries that share a line: remove them by hand`);
  return textAfter;
}

function removeEntryLines(
  text: string,
  entries: LedgerEntry[],
  isRemoved: (entry: LedgerEntry) => boolean,
): string {
  const lines = text.split('\n');
  const startLines = entries.map(({ line }) => findStartLine(lines, line - 1));
  const keptLines = lines.slice(0, startLines[0]);
  for (const [index, entry] of entries.entries()) {
    const entryLines = lines.slice(startLines[index], startLines[index + 1]);
    if (!isRemoved(entry)) keptLines.push(...entryLines);
  }
  const lineBreaksAtEnd = /\n*$/;
  return keptLines.join('\n').replace(lineBreaksAtEnd, '\n');
}

/**
 * Finds the index of the first line of an entry, or of the comment right above it. A comment at the top of the file belongs to
 * no entry.
 */
function findStartLine(lines: string[], entryLine: number): number {
  const lastNonCommentLine = lines
    .slice(0, entryLine)
    .findLastIndex((line) => !line.trimStart().startsWith('#'));
  const isFileComment = lastNonCommentLine === -1;
  return isFileComment ? entryLine : lastNonCommentLine + 1;
}

function assertRequirementExists(contract: Contract, address: string): void {
  const addresses = listRequirements(contract).map((requirement) => requirement.address);
  if (addresses.includes(address)) return;
  throw new Error(`there is no requirement ${address}; did you mean ${closest(address, addresses)}?`);
}

/** @throws an `Error` if the run cannot tell which ledger entries are needed, such as one that `--grep` limited */
function assertSuitableRun({ hash }: Contract, { selection, shard, contract, profile }: Conformance): void {
  const reject = (reason: string) => {
    throw new Error(`the last run ${reason}`);
  };
  if (shard) reject('is a shard: merge all shards first');
  if (selection) reject('judged only some of the requirements: run without --grep first');
  if (hash !== contract)
    reject(`judged another contract (${contract}, and this is ${hash}): run again first`);
  if (profile === 'documented')
    reject('was of PROFILE=documented, which tolerates nothing: run with observed');
}

function findViolations({ requirements, findings }: Conformance, address: string): Finding[] {
  const verdict = requirements.find((requirement) => requirement.address === address)?.verdict;
  if (verdict !== 'violation') {
    const reason = verdict
      ? `its verdict is ${verdict}, and there is nothing to accept`
      : 'it was not judged';
    throw new Error(`${address} is not violated in the last run: ${reason}`);
  }
  return findings.filter((finding) => finding.requirement === address && finding.kind === 'violation');
}

/** Returns the `accepts` that tolerates a finding. @throws an `Error` if none was proposed */
function getProposedAccepts({ received, requirement, actual, pointer }: Finding): ProposedAccepts {
  if (received) return received;
  throw new Error(
    `${requirement}: no ledger entry can tolerate this alone: ${actual}, at ${pointer || 'the body'}`,
  );
}

/** Joins all schemas into one. Leaves out each `{ name }` if `{ missing: true }` is among the values and tolerates it too. */
function mergeAccepts(receivedValues: ProposedAccepts[]): Accepts[] {
  const valueByJson = new Map(receivedValues.map((received) => [JSON.stringify(received), received]));
  const distinctValues = [...valueByJson.values()];
  const missing = distinctValues.filter((received) => 'missing' in received);
  const otherNames = distinctValues.filter((received) => 'name' in received);
  const schemas = distinctValues.flatMap((received) => ('schema' in received ? received.schema : []));
  // An entry for a missing field tolerates the field under any other name as well.
  const acceptsValues: Accepts[] = missing.length > 0 ? missing : otherNames;
  return schemas.length > 0 ? [...acceptsValues, { schema: joinSchemas(schemas) }] : acceptsValues;
}

function joinSchemas(schemas: ProposedSchema[]) {
  const [first, ...otherSchemas] = schemas;
  if (first && otherSchemas.length === 0) return first;
  const values = schemas.map((schema) => schema.const);
  return values.every((value) => value !== undefined) ? { enum: values } : { anyOf: schemas };
}

/** Lists the ledger entries for the requirement and target of a new entry. */
function listEntriesForTarget(
  { text, name }: Ledger,
  contract: Contract,
  { requirement, target }: NewEntry,
): LedgerEntry[] {
  const entries = readLedger(text, contract, name);
  return entries.filter((entry) => entry.requirement === requirement && isForTarget(entry, target));
}

const findEntry = (entries: LedgerEntry[], accepts: Accepts): LedgerEntry | undefined =>
  entries.find((entry) => isDeepStrictEqual(entry.accepts, accepts));

function createNothingNewError(
  ledgerName: string,
  requirement: string,
  existingEntries: LedgerEntry[],
  acceptsValues: Accepts[],
): Error {
  const isProposedAgain = ({ accepts }: LedgerEntry) =>
    acceptsValues.some((value) => isDeepStrictEqual(value, accepts));
  const places = existingEntries.filter(isProposedAgain).map(({ line }) => `line ${line}`);
  const advice = 'run again to see it tolerated, or change that entry';
  return new Error(`${ledgerName} accepts ${requirement} already, in ${places.join(' and ')}: ${advice}`);
}

function createEntryNode(document: Document, accepts: Accepts, newEntry: NewEntry) {
  const { requirement, because, link, target, until, swept } = newEntry;
  const entry: Record<string, unknown> = { requirement, accepts, because, link, target };
  if (until !== undefined) entry.until = until;
  if (swept) entry.swept = true;
  const node = document.createNode(entry);
  node.spaceBefore = true;
  // Flow style writes `accepts` on one line: `accepts: { name: p_user_id }`.
  const acceptsNode: unknown = isMap(node) ? node.get('accepts') : undefined;
  if (isCollection(acceptsNode)) acceptsNode.flow = true;
  return node;
}
