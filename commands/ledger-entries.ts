import { isDeepStrictEqual } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { type Document, isCollection, isMap, isSeq, parseDocument } from 'yaml';
import type { Conformance } from '../reports/conformance.ts';
import type { Contract } from '../schemas/contract/contract.ts';
import {
  type EntryPlace,
  type LedgerEntry,
  readLedger,
  suggestAlternative,
} from '../schemas/contract/ledger.ts';
import { listRequirements } from '../schemas/contract/requirements.ts';
import type { Finding } from '../src/redact/observation.ts';
import type { ProposedAccepts, ProposedSchema } from '../src/redact/received.ts';
import { brokenOnlyNote } from '../src/verdict/evaluate.ts';

/** Requirement whose violations a new ledger entry tolerates, with reason, link and last day. */
export type AcceptOrder = Pick<LedgerEntry, 'requirement' | 'because' | 'link' | 'until'>;

interface NewEntry extends AcceptOrder {
  target: string;
  /** True if a sweep found the violation, so that a run without a sweep does not call the entry stale. */
  swept: boolean;
}

/** Value of `accepts` in a new entry: what was received, such as `{ name: 'p_user_id' }`, or a schema for several received values. */
type Accepts =
  | Exclude<ProposedAccepts, { schema: unknown }>
  | { schema: ProposedSchema | { enum: unknown[] } | { anyOf: ProposedSchema[] } };

interface Ledger {
  /** YAML text; empty if the file does not exist. */
  text: string;
  name: string;
}

/**
 * Returns the text of a valid ledger, followed by the narrowest entries that tolerate the violations of a requirement. Writes no file.
 * @throws an `Error` with one sentence if the run is unsuitable, no entry can express a violation, or entries accept all of them already
 */
export function addEntries(ledger: Ledger, contract: Contract, run: Conformance, order: AcceptOrder): string {
  assertRequirementExists(contract, order.requirement);
  assertSuitableRun(contract, run);
  const forms = createForms(findViolations(run, order.requirement).map(getReceived));
  const newEntry = { ...order, target: run.target, swept: isFoundBySweep(run, order.requirement) };
  const newForms = selectNewForms(forms, ledger, contract, newEntry);
  const document = parseEntryList(ledger.text);
  for (const accepts of newForms) document.add(createEntryNode(document, accepts, newEntry));
  return document.toString({ lineWidth: 0 }).trimStart();
}

/** Returns whether a sweep took part: the result has its counts, or says that only failed lookups of a sweep are counted. */
function isFoundBySweep({ requirements }: Conformance, address: string): boolean {
  const { swept: sweepShare, reason } = requirements.find((result) => result.address === address) ?? {};
  return sweepShare !== undefined || reason === brokenOnlyNote;
}

/** Parses a ledger so that each new entry gets lines of its own: an empty file, or the list `[]`, becomes a list in block style. */
function parseEntryList(text: string): Document {
  const document: Document = parseDocument(text);
  if (!isSeq(document.contents)) document.contents = document.createNode([]);
  if (isSeq(document.contents)) document.contents.flow = false;
  return document;
}

interface ViolatedRequirement {
  address: string;
  /** Values that were received instead of the promised one, such as `a number; a boolean`. */
  description: string;
  /** False if no ledger entry can tolerate the violations. */
  isAcceptable: boolean;
}

/** Lists the violated requirements of a run. @throws an `Error` with the reason if no entries can be derived from the run */
export function listViolations(contract: Contract, run: Conformance): ViolatedRequirement[] {
  assertSuitableRun(contract, run);
  const violatedAddresses = new Set(
    run.requirements.filter(({ verdict }) => verdict === 'violation').map(({ address }) => address),
  );
  const requirements = listRequirements(contract).filter(({ address }) => violatedAddresses.has(address));
  return requirements.map((requirement) => {
    const violations = findViolations(run, requirement.address);
    return {
      address: requirement.address,
      description: [...new Set(violations.map(({ actual }) => actual))].join('; '),
      isAcceptable: !suggestAlternative(requirement) && violations.every(({ received }) => received),
    };
  });
}

/** Finds the ledger entries that tolerated nothing in a run. @throws an `Error` with the reason if the run is unsuitable */
export function findStaleEntries(contract: Contract, run: Conformance): StaleEntry[] {
  assertSuitableRun(contract, run);
  return run.findings.flatMap(({ kind, requirement, ledger }) =>
    kind === 'stale' && ledger ? [{ requirement, ...ledger }] : [],
  );
}

type StaleEntry = EntryPlace & { requirement: string };

/**
 * Returns the text of a ledger without the stale entries and the comments right above them. Writes no file.
 * @throws an `Error` with one sentence if the ledger changed since the run, or entries share a line
 */
export function removeEntries({ text, name }: Ledger, contract: Contract, stale: StaleEntry[]): string {
  const entries = readLedger(text, contract, name);
  const isStale = (entry: LedgerEntry) =>
    stale.some(({ requirement, line }) => entry.line === line && entry.requirement === requirement);
  if (entries.filter(isStale).length < stale.length)
    throw new Error(`${name} has changed since the last run: run again first`);
  const lines = text.split('\n');
  const starts = entries.map(({ line }) => findStartLine(lines, line - 1));
  const keptLines = entries.map((entry, index) =>
    isStale(entry) ? [] : lines.slice(starts[index], starts[index + 1] ?? lines.length),
  );
  const textAfter = [...lines.slice(0, starts[0]), ...keptLines.flat()].join('\n').replace(/\n*$/, '\n');
  const countAfter = readLedger(textAfter, contract, name).length;
  if (countAfter !== entries.length - stale.length)
    throw new Error(`${name} has entries that share a line: remove them by hand`);
  return textAfter;
}

/**
 * Finds the index of the first line of an entry, including the comment right above it. A comment at the top of the file belongs to the
 * file.
 */
function findStartLine(lines: string[], entryLine: number): number {
  const lastOtherLine = lines.slice(0, entryLine).findLastIndex((line) => !line.trimStart().startsWith('#'));
  const isFileComment = lastOtherLine === -1;
  return isFileComment ? entryLine : lastOtherLine + 1;
}

function assertRequirementExists(contract: Contract, address: string): void {
  const addresses = listRequirements(contract).map((requirement) => requirement.address);
  if (addresses.includes(address)) return;
  throw new Error(`there is no requirement ${address}; did you mean ${closest(address, addresses)}?`);
}

/** Asserts that ledger entries may be derived from a run: it is whole, of the profile `observed`, and judged by this contract. */
function assertSuitableRun({ hash }: Contract, { selection, shard, contract, profile }: Conformance): void {
  // The first reason that applies; false if none does.
  const reason =
    (shard && 'is a shard: merge all shards first') ||
    (selection && 'judged only some of the requirements: run without --grep first') ||
    (hash !== contract && `judged another contract (${contract}, and this is ${hash}): run again first`) ||
    (profile === 'documented' && 'was of PROFILE=documented, which tolerates nothing: run with observed');
  if (reason) throw new Error(`the last run ${reason}`);
}

function findViolations({ requirements, findings }: Conformance, address: string): Finding[] {
  const verdict = requirements.find((requirement) => requirement.address === address)?.verdict;
  const reason = verdict ? `its verdict is ${verdict}, and there is nothing to accept` : 'it was not judged';
  if (verdict !== 'violation') throw new Error(`${address} is not violated in the last run: ${reason}`);
  return findings.filter((finding) => finding.requirement === address && finding.kind === 'violation');
}

function getReceived({ received, requirement, actual, pointer }: Finding): ProposedAccepts {
  if (received) return received;
  throw new Error(
    `${requirement}: no ledger entry can tolerate this alone: ${actual}, at ${pointer || 'the body'}`,
  );
}

/** Creates the values of `accepts`: one for a missing field, or one for each other name of the field; and one schema for all values. */
function createForms(receivedValues: ProposedAccepts[]): Accepts[] {
  const unique = [
    ...new Map(receivedValues.map((received) => [JSON.stringify(received), received])).values(),
  ];
  const schemas = unique.flatMap((received) => ('schema' in received ? received.schema : []));
  const missing = unique.filter((received) => 'missing' in received);
  // An entry for a missing field tolerates the field under any other name as well.
  const named = missing.length > 0 ? [] : unique.filter((received) => 'name' in received);
  return [...missing, ...named, ...(schemas.length > 0 ? [{ schema: joinSchemas(schemas) }] : [])];
}

/** Joins schemas: a single one stays as it is, single values (`const`) become `enum`, all others `anyOf`. */
function joinSchemas(schemas: ProposedSchema[]) {
  const [first, ...otherSchemas] = schemas;
  if (first && otherSchemas.length === 0) return first;
  const values = schemas.map((schema) => schema.const);
  return values.every((value) => value !== undefined) ? { enum: values } : { anyOf: schemas };
}

/** Selects the forms that the ledger does not have yet. @throws an `Error` with the lines of the entries if it has all of them */
function selectNewForms(forms: Accepts[], ledger: Ledger, contract: Contract, entry: NewEntry): Accepts[] {
  const { requirement, target } = entry;
  const entriesOfRequirement = readLedger(ledger.text, contract, ledger.name).filter(
    // An entry without a target is for every target.
    (known) => known.requirement === requirement && (known.target ?? target) === target,
  );
  const isAccepted = (form: Accepts) =>
    entriesOfRequirement.some(({ accepts }) => isDeepStrictEqual(accepts, form));
  const newForms = forms.filter((form) => !isAccepted(form));
  if (newForms.length > 0) return newForms;
  const sameEntries = entriesOfRequirement.filter(({ accepts }) =>
    forms.some((form) => isDeepStrictEqual(accepts, form)),
  );
  const places = sameEntries.map(({ line }) => `line ${line}`).join(' and ');
  throw new Error(
    `${ledger.name} accepts ${requirement} already, in ${places}: run again to see it tolerated, or change that entry`,
  );
}

function createEntryNode(document: Document, accepts: Accepts, newEntry: NewEntry) {
  const { requirement, because, link, target, until, swept: isFromSweep } = newEntry;
  const optionalKeys = {
    ...(until === undefined ? {} : { until }),
    ...(isFromSweep ? { swept: isFromSweep } : {}),
  };
  const entry = { requirement, accepts, because, link, target, ...optionalKeys };
  const node = document.createNode(entry);
  const acceptsNode: unknown = isMap(node) ? node.get('accepts') : undefined;
  node.spaceBefore = true;
  if (isCollection(acceptsNode)) acceptsNode.flow = true;
  return node;
}
