import { isDeepStrictEqual } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { type Document, isCollection, isMap, isSeq, parseDocument } from 'yaml';
import type { Conformance } from '../reports/conformance.ts';
import type { Contract } from '../schemas/contract/contract.ts';
import {
  type LedgerEntry,
  type LedgerLocation,
  readLedger,
  suggestAlternative,
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
  const acceptsValues = mergeAcceptsValues(findViolations(run, requirement).map(getProposedAccepts));
  const newEntry = { ...acceptance, target: run.target, swept: isFoundBySweep(run, requirement) };
  const newAcceptsValues = selectNewAcceptsValues(acceptsValues, ledger, contract, newEntry);
  const document = parseEntryList(ledger.text);
  for (const accepts of newAcceptsValues) document.add(createEntryNode(document, accepts, newEntry));
  return document.toString({ lineWidth: 0 }).trimStart();
}

function isFoundBySweep({ requirements }: Conformance, address: string): boolean {
  const { swept: sweepShare, reason } = requirements.find((result) => result.address === address) ?? {};
  // Only a sweep adds one of these to a result.
  return sweepShare !== undefined || reason === failedLookupsNote;
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
    const canBeTolerated = suggestAlternative(requirement) === undefined;
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
  return run.findings.flatMap(({ kind, requirement, ledger }) =>
    kind === 'stale' && ledger ? [{ requirement, ...ledger }] : [],
  );
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
  const lines = text.split('\n');
  const startLines = entries.map(({ line }) => findStartLine(lines, line - 1));
  const linesBeforeEntries = lines.slice(0, startLines[0]);
  const remainingLines = entries.flatMap((entry, index) =>
    isStale(entry) ? [] : lines.slice(startLines[index], startLines[index + 1]),
  );
  const textAfter = [...linesBeforeEntries, ...remainingLines].join('\n').replace(/\n*$/, '\n');
  const countAfter = readLedger(textAfter, contract, name).length;
  if (countAfter !== entries.length - stale.length)
    throw new Error(`${name} has entries that share a line: remove them by hand`);
  return textAfter;
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

function getProposedAccepts({ received, requirement, actual, pointer }: Finding): ProposedAccepts {
  if (received) return received;
  throw new Error(
    `${requirement}: no ledger entry can tolerate this alone: ${actual}, at ${pointer || 'the body'}`,
  );
}

/** Joins all schemas into one. Leaves out each `{ name }` if `{ missing: true }` is among the values and tolerates it too. */
function mergeAcceptsValues(receivedValues: ProposedAccepts[]): Accepts[] {
  const valueByJson = new Map(receivedValues.map((received) => [JSON.stringify(received), received]));
  const unique = [...valueByJson.values()];
  const schemas = unique.flatMap((received) => ('schema' in received ? received.schema : []));
  const missing = unique.filter((received) => 'missing' in received);
  // An entry for a missing field tolerates the field under any other name as well.
  const otherNames = missing.length > 0 ? [] : unique.filter((received) => 'name' in received);
  const joinedSchemas = schemas.length > 0 ? [{ schema: joinSchemas(schemas) }] : [];
  return [...missing, ...otherNames, ...joinedSchemas];
}

function joinSchemas(schemas: ProposedSchema[]) {
  const [first, ...otherSchemas] = schemas;
  if (first && otherSchemas.length === 0) return first;
  const values = schemas.map((schema) => schema.const);
  return values.every((value) => value !== undefined) ? { enum: values } : { anyOf: schemas };
}

/** Selects the values that no ledger entry accepts yet. @throws an `Error` with the lines of the entries if each is accepted */
function selectNewAcceptsValues(
  acceptsValues: Accepts[],
  ledger: Ledger,
  contract: Contract,
  { requirement, target }: NewEntry,
): Accepts[] {
  const entriesOfRequirement = readLedger(ledger.text, contract, ledger.name).filter(
    // An entry without a target is for every target.
    (entry) => entry.requirement === requirement && (entry.target ?? target) === target,
  );
  const hasEntry = (value: Accepts) =>
    entriesOfRequirement.some(({ accepts }) => isDeepStrictEqual(accepts, value));
  const newValues = acceptsValues.filter((value) => !hasEntry(value));
  if (newValues.length > 0) return newValues;
  const existingEntries = entriesOfRequirement.filter(({ accepts }) =>
    acceptsValues.some((value) => isDeepStrictEqual(accepts, value)),
  );
  const places = existingEntries.map(({ line }) => `line ${line}`).join(' and ');
  throw new Error(
    `${ledger.name} accepts ${requirement} already, in ${places}: run again to see it tolerated, or change that entry`,
  );
}

function createEntryNode(document: Document, accepts: Accepts, newEntry: NewEntry) {
  const { requirement, because, link, target, until, swept } = newEntry;
  const optionalKeys = { ...(until === undefined ? {} : { until }), ...(swept ? { swept } : {}) };
  const entry = { requirement, accepts, because, link, target, ...optionalKeys };
  const node = document.createNode(entry);
  const acceptsNode: unknown = isMap(node) ? node.get('accepts') : undefined;
  node.spaceBefore = true;
  if (isCollection(acceptsNode)) acceptsNode.flow = true;
  return node;
}
