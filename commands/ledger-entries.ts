import { isDeepStrictEqual } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { type Document, isCollection, isMap, isSeq, parseDocument } from 'yaml';
import type { Conformance } from '../reports/conformance.ts';
import type { Contract } from '../schemas/contract/contract.ts';
import { type EntryPlace, type LedgerEntry, readLedger } from '../schemas/contract/ledger.ts';
import { listRequirements } from '../schemas/contract/requirements.ts';
import type { Finding } from '../src/redact/observation.ts';
import type { Received, ReceivedSchema } from '../src/redact/received.ts';
import { brokenOnlyNote } from '../src/verdict/evaluate.ts';

/** Deviation to accept, with its reason, link and last day. */
export type AcceptOrder = Pick<LedgerEntry, 'requirement' | 'because' | 'link' | 'until'>;

/** New entry, except for what it accepts. */
interface NewEntry extends AcceptOrder {
  target: string;
  /** True if a sweep of the run found the deviation. */
  swept: boolean;
}

/** Value of `accepts`: a schema of the value, or a missing value. */
type Accepts =
  | { schema: ReceivedSchema | { enum: unknown[] } | { anyOf: ReceivedSchema[] } }
  | { missing: true };

/** Text of a ledger, with its name in messages. */
interface Ledger {
  text: string;
  name: string;
}

/**
 * Adds the narrowest entries that cover the violations of a requirement, after all other entries. Comments and order stay
 * unchanged.
 * @param ledger valid ledger
 * @throws an `Error` with one sentence if the run is unsuitable, no entry can express the violation, or all is accepted already.
 */
export function addEntries(ledger: Ledger, contract: Contract, run: Conformance, order: AcceptOrder): string {
  assertRequirementExists(contract, order.requirement);
  assertAcceptable(contract, run);
  const forms = createForms(findViolations(run, order.requirement).map(getReceived));
  const { swept: sweepShare, reason } =
    run.requirements.find(({ address }) => address === order.requirement) ?? {};
  const newEntry = {
    ...order,
    target: run.target,
    swept: Boolean(sweepShare) || reason === brokenOnlyNote,
  };
  const newForms = selectNewForms(forms, ledger, contract, newEntry);
  const document: Document = parseDocument(ledger.text);
  if (!isSeq(document.contents)) document.contents = document.createNode([]);
  // An empty list may be written as `[]`.
  if (isSeq(document.contents)) document.contents.flow = false;
  for (const accepts of newForms) document.add(createEntryNode(document, accepts, newEntry));
  return document.toString({ lineWidth: 0 }).trimStart();
}

/** Lists the violated requirements of a run, each with a description. */
export function listViolations(
  contract: Contract,
  run: Conformance,
): { address: string; description: string }[] {
  assertAcceptable(contract, run);
  const violatedRequirements = run.requirements.filter(({ verdict }) => verdict === 'violation');
  return violatedRequirements.map(({ address }) => {
    const actuals = findViolations(run, address).map(({ actual }) => actual);
    return { address, description: [...new Set(actuals)].join('; ') };
  });
}

/** Finds the entries that a run reported as stale. */
export function findStaleEntries(contract: Contract, run: Conformance): StaleEntry[] {
  assertAcceptable(contract, run);
  return run.findings.flatMap(({ kind, requirement, ledger }) =>
    kind === 'stale' && ledger ? [{ requirement, ...ledger }] : [],
  );
}

type StaleEntry = EntryPlace & { requirement: string };

/**
 * Removes entries from a ledger, with the comments right above them; everything else stays unchanged.
 * @throws an `Error` with one sentence if the ledger changed since the run, or entries share a line.
 */
export function removeEntries({ text, name }: Ledger, contract: Contract, stale: StaleEntry[]): string {
  const entries = readLedger(text, contract, name);
  const isStale = (entry: LedgerEntry) =>
    stale.some(({ requirement, line }) => entry.line === line && entry.requirement === requirement);
  if (entries.filter(isStale).length < stale.length)
    throw new Error(`${name} has changed since the last run: run again, and remove then`);
  const lines = text.split('\n');
  const starts = entries.map(({ line }) => findStartLine(lines, line - 1));
  const keptLines = entries.map((entry, index) =>
    isStale(entry) ? [] : lines.slice(starts[index], starts[index + 1] ?? lines.length),
  );
  const textAfter = [...lines.slice(0, starts[0]), ...keptLines.flat()].join('\n').replace(/\n*$/, '\n');
  if (readLedger(textAfter, contract, name).length === entries.length - stale.length) return textAfter;
  throw new Error(`${name} has entries that share a line: remove them by hand`);
}

/** Finds the line, from 0, on which an entry starts with the comment right above it. The head of the file belongs to no entry. */
function findStartLine(lines: string[], entryLine: number): number {
  const lastOtherLine = lines.slice(0, entryLine).findLastIndex((line) => !line.trimStart().startsWith('#'));
  return lastOtherLine < 0 ? entryLine : lastOtherLine + 1;
}

function assertRequirementExists(contract: Contract, address: string): void {
  const addresses = listRequirements(contract).map((requirement) => requirement.address);
  if (addresses.includes(address)) return;
  throw new Error(`there is no requirement ${address}; near is ${closest(address, addresses)}`);
}

/** Checks that the findings of a run can be accepted. @throws an `Error` for a part of a run, another contract or `PROFILE=documented` */
function assertAcceptable({ hash }: Contract, { selection, shard, contract, profile }: Conformance): void {
  const reason =
    (shard && 'is a shard: merge all of them, and accept what the whole found') ||
    (selection && 'judged only a part of the requirements: run without --grep, and accept then') ||
    (hash !== contract && `judged another contract (${contract}, and this is ${hash}): run again first`) ||
    (profile === 'documented' && 'was of PROFILE=documented, which tolerates nothing: run with observed');
  if (reason) throw new Error(`the last run ${reason}`);
}

function findViolations({ requirements, findings }: Conformance, address: string): Finding[] {
  const verdict = requirements.find((requirement) => requirement.address === address)?.verdict;
  const state = verdict ? `its verdict is ${verdict}, and there is nothing to accept` : 'it was not judged';
  if (verdict !== 'violation') throw new Error(`${address} is not violated in the last run: ${state}`);
  return findings.filter((finding) => finding.requirement === address && finding.kind === 'violation');
}

function getReceived({ received, requirement, actual, pointer }: Finding): Received {
  if (received) return received;
  throw new Error(
    `${requirement}: an entry of a ledger has no form that would accept this and nothing else: ${actual}, at ${pointer || 'the body'}`,
  );
}

/**
 * Creates the values of `accepts`: an entry each for missing and for present values. Values that may be shown become one list.
 */
function createForms(receivedValues: Received[]): Accepts[] {
  const unique = [
    ...new Map(receivedValues.map((received) => [JSON.stringify(received), received])).values(),
  ];
  const schemas = unique.flatMap((received) => ('schema' in received ? received.schema : []));
  return [
    ...(schemas.length < unique.length ? [{ missing: true } as const] : []),
    ...(schemas.length > 0 ? [{ schema: joinSchemas(schemas) }] : []),
  ];
}

function joinSchemas(schemas: ReceivedSchema[]) {
  const [first, ...otherSchemas] = schemas;
  if (first && otherSchemas.length === 0) return first;
  const values = schemas.map((schema) => schema.const);
  return values.every((value) => value !== undefined) ? { enum: values } : { anyOf: schemas };
}

/** Selects the forms that no entry for the target has. @throws an `Error` that names the entries if they have all forms. */
function selectNewForms(forms: Accepts[], ledger: Ledger, contract: Contract, order: NewEntry): Accepts[] {
  const { requirement, target } = order;
  const entriesOfRequirement = readLedger(ledger.text, contract, ledger.name).filter(
    (entry) => entry.requirement === requirement && (entry.target ?? target) === target,
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

/** Creates the YAML node of an entry in the style of the existing ones: after a blank line, with `accepts` on one line. */
function createEntryNode(document: Document, accepts: Accepts, order: NewEntry) {
  const { requirement, because, link, target, until, swept: isFromSweep } = order;
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
