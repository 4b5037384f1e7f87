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

/** Arguments of `npm run accept`: the violated requirement, why it is tolerated, a link to the ticket, the last tolerated day. */
export type Acceptance = Pick<LedgerEntry, 'requirement' | 'because' | 'link' | 'until'>;

interface NewEntry extends Acceptance {
  target: string;
  /** True if a sweep (lookup of all records) found the violation. A run without a sweep never calls such an entry unused. */
  swept: boolean;
}

/** Deviation that an entry tolerates: a renamed field (`{ name: 'p_user_id' }`), an absent field (`{ missing: true }`), or other values. */
type Tolerance =
  | Exclude<ProposedAccepts, { schema: unknown }>
  | { schema: ProposedSchema | { enum: unknown[] } | { anyOf: ProposedSchema[] } };

interface Ledger {
  /** YAML text; empty if the file does not exist. */
  text: string;
  name: string;
}

/**
 * Adds the narrowest entries that tolerate the violations of one requirement. Returns the new text of the ledger.
 * @throws an `Error` if the run is unsuitable (`--grep`, a shard, another contract), if no entry can tolerate a violation, or if the
 * ledger already has all these entries
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
  const tolerances = combineTolerances(findViolations(run, requirement).map(requireProposal));
  const newEntry = { ...acceptance, target: run.target, swept: isFoundBySweep(run, requirement) };
  const existingEntries = readLedger(ledger.text, contract, ledger.name).filter(
    (entry) => entry.requirement === requirement && isForTarget(entry, run.target),
  );
  const newTolerances = tolerances.filter(
    (tolerance) => !existingEntries.some((entry) => isDeepStrictEqual(entry.accepts, tolerance)),
  );
  if (newTolerances.length === 0)
    throw createNothingNewError(ledger.name, requirement, existingEntries, tolerances);
  const document = parseEntryList(ledger.text);
  for (const tolerance of newTolerances) document.add(createEntryNode(document, tolerance, newEntry));
  return document.toString({ lineWidth: 0 }).trimStart();
}

function isFoundBySweep({ requirements }: Conformance, address: string): boolean {
  const result = requirements.find((requirement) => requirement.address === address);
  // Only a sweep sets `swept` (share of swept records), or this note on the lookups at its end.
  return result?.swept !== undefined || result?.reason === failedLookupsNote;
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
  /** Descriptions of what was received instead, without values that may be personal: `a number; a boolean`. */
  description: string;
  /** False if no ledger entry can tolerate the violations. */
  isAcceptable: boolean;
}

/** Lists the violated requirements. @throws an `Error` if the run judged only a part, as with `--grep`, or another contract */
export function listViolations(contract: Contract, run: Conformance): ViolatedRequirement[] {
  assertSuitableRun(contract, run);
  const violatedAddresses = new Set(
    run.requirements.filter(({ verdict }) => verdict === 'violation').map(({ address }) => address),
  );
  const requirements = listRequirements(contract).filter(({ address }) => violatedAddresses.has(address));
  return requirements.map((requirement) => {
    const violations = findViolations(run, requirement.address);
    const canBeTolerated = suggestInsteadOfEntry(requirement) === undefined;
    const hasProposals = violations.every(({ received: proposedTolerance }) => proposedTolerance);
    return {
      address: requirement.address,
      description: [...new Set(violations.map(({ actual }) => actual))].join('; '),
      isAcceptable: canBeTolerated && hasProposals,
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
 * @throws an `Error` if the ledger has changed since the run, or if two entries share a line
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
  const startIndexes = entries.map(({ line }) => findStartIndex(lines, line - 1));
  const keptLines = lines.slice(0, startIndexes[0]);
  for (const [index, entry] of entries.entries()) {
    const entryLines = lines.slice(startIndexes[index], startIndexes[index + 1]);
    if (!isRemoved(entry)) keptLines.push(...entryLines);
  }
  const lineBreaksAtEnd = /\n*$/;
  return keptLines.join('\n').replace(lineBreaksAtEnd, '\n');
}

/** Finds the index of an entry, or of the comment right above it. A comment that begins the file is about the whole file. */
function findStartIndex(lines: string[], entryIndex: number): number {
  const indexBeforeComment = lines
    .slice(0, entryIndex)
    .findLastIndex((line) => !line.trimStart().startsWith('#'));
  const isCommentOfFile = indexBeforeComment === -1;
  return isCommentOfFile ? entryIndex : indexBeforeComment + 1;
}

function assertRequirementExists(contract: Contract, address: string): void {
  const addresses = listRequirements(contract).map((requirement) => requirement.address);
  if (addresses.includes(address)) return;
  throw new Error(`there is no requirement ${address}; did you mean ${closest(address, addresses)}?`);
}

/** @throws an `Error` if the run cannot tell which ledger entries are needed, such as one that `--grep` limited */
function assertSuitableRun(
  { hash }: Contract,
  { selection, shard, contract: judgedHash, profile }: Conformance,
): void {
  const reject = (reason: string) => {
    throw new Error(`the last run ${reason}`);
  };
  if (shard) reject('is a shard: merge all shards first');
  if (selection) reject('judged only some of the requirements: run without --grep first');
  if (hash !== judgedHash)
    reject(`judged another contract (${judgedHash}, and this is ${hash}): run again first`);
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

/** Returns what an entry must accept to tolerate a violation. @throws an `Error` if the judge could not propose it */
function requireProposal({ received: proposal, requirement, actual, pointer }: Finding): ProposedAccepts {
  if (proposal) return proposal;
  throw new Error(
    `${requirement}: no ledger entry can tolerate this alone: ${actual}, at ${pointer || 'the body'}`,
  );
}

/** Joins all proposed schemas into one. Drops `{ name: … }` beside `{ missing: true }`, which tolerates any other name as well. */
function combineTolerances(proposals: ProposedAccepts[]): Tolerance[] {
  const proposalByJson = new Map(proposals.map((proposal) => [JSON.stringify(proposal), proposal]));
  const distinctProposals = [...proposalByJson.values()];
  const missing = distinctProposals.filter((proposal) => 'missing' in proposal);
  const otherNames = distinctProposals.filter((proposal) => 'name' in proposal);
  const schemas = distinctProposals.flatMap((proposal) => ('schema' in proposal ? proposal.schema : []));
  const tolerances: Tolerance[] = missing.length > 0 ? missing : otherNames;
  return schemas.length > 0 ? [...tolerances, { schema: joinSchemas(schemas) }] : tolerances;
}

function joinSchemas(schemas: ProposedSchema[]) {
  const [first, ...otherSchemas] = schemas;
  if (first && otherSchemas.length === 0) return first;
  const values = schemas.map((schema) => schema.const);
  return values.every((value) => value !== undefined) ? { enum: values } : { anyOf: schemas };
}

function createNothingNewError(
  ledgerName: string,
  requirement: string,
  existingEntries: LedgerEntry[],
  tolerances: Tolerance[],
): Error {
  const isProposedAgain = ({ accepts }: LedgerEntry) =>
    tolerances.some((tolerance) => isDeepStrictEqual(tolerance, accepts));
  const places = existingEntries.filter(isProposedAgain).map(({ line }) => `line ${line}`);
  const advice = 'run again to see it tolerated, or change that entry';
  return new Error(`${ledgerName} accepts ${requirement} already, in ${places.join(' and ')}: ${advice}`);
}

function createEntryNode(document: Document, accepts: Tolerance, newEntry: NewEntry) {
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
