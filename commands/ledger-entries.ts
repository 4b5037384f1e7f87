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
import { listRequirements, type Requirement } from '../schemas/contract/requirements.ts';
import type { Finding } from '../src/redact/observation.ts';
import type { ProposedAccepts, ProposedSchema } from '../src/redact/received.ts';
import { isSweepNote } from '../src/verdict/evaluate.ts';

/** Arguments of `npm run accept` about one requirement. */
export type Acceptance = Pick<LedgerEntry, 'requirement' | 'because' | 'link' | 'until'>;

interface NewEntry extends Acceptance {
  target: string;
  /** True if a sweep judged the requirement, because the violation may come from the sweep. */
  swept: true | undefined;
}

/** Value of `accepts` in a ledger entry: `{ name: 'p_user_id' }`, `{ missing: true }` or `{ schema: { const: 'open' } }`. */
type Tolerance =
  | Exclude<ProposedAccepts, { schema: unknown }>
  | { schema: ProposedSchema | { enum: unknown[] } | { anyOf: ProposedSchema[] } };

interface Ledger {
  /** Content of the ledger file, in YAML. If the file does not exist, the text is empty. */
  text: string;
  name: string;
}

/**
 * Adds ledger entries that tolerate the violations of one requirement, and returns the new text of the ledger.
 * @throws an `Error` if the run covers only a part of the contract, used another contract version, or had `PROFILE=documented`
 * @throws an `Error` if the requirement is unknown or not violated
 * @throws an `Error` if no entry can tolerate one of the violations, or if all needed entries already exist
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
  const proposals = findViolations(run, requirement).map(requireProposal);
  const tolerances = combineProposals(proposals);
  const existingEntries = readLedger(ledger.text, contract, ledger.name).filter(
    (entry) => entry.requirement === requirement && isForTarget(entry, run.target),
  );
  const hasEntryFor = (tolerance: Tolerance) =>
    existingEntries.some(({ accepts }) => isDeepStrictEqual(accepts, tolerance));
  const newTolerances = tolerances.filter((tolerance) => !hasEntryFor(tolerance));
  if (newTolerances.length === 0)
    throw createNothingNewError(ledger.name, requirement, existingEntries, tolerances);
  // Only a complete sweep can report an entry with `swept` as stale.
  const swept = isFoundBySweep(run, requirement) || undefined;
  return appendEntries(ledger.text, newTolerances, { ...acceptance, target: run.target, swept });
}

function appendEntries(ledgerText: string, tolerances: Tolerance[], newEntry: NewEntry): string {
  const document = parseEntryList(ledgerText);
  for (const tolerance of tolerances) document.add(createEntryNode(document, tolerance, newEntry));
  const neverFoldLines = { lineWidth: 0 };
  // The first entry of a new ledger must not begin with an empty line.
  return document.toString(neverFoldLines).trimStart();
}

function isFoundBySweep({ requirements }: Conformance, address: string): boolean {
  const result = requirements.find((requirement) => requirement.address === address);
  // Only a sweep sets `swept`, the share of swept records that violate the requirement.
  const hasSweptShare = result?.swept !== undefined;
  return hasSweptShare || isSweepNote(result?.reason);
}

function parseEntryList(text: string): Document {
  const document: Document = parseDocument(text);
  // An empty text has no list yet.
  const entryList = isSeq(document.contents) ? document.contents : document.createNode([]);
  // An empty list may be written in flow style, as `[]`.
  entryList.flow = false;
  document.contents = entryList;
  return document;
}

interface ViolatedRequirement {
  address: string;
  /** Redacted description of the received values, such as `a number; a boolean`. */
  description: string;
  isAcceptable: boolean;
}

/**
 * Lists the requirements with the verdict `violation` in a run.
 * @throws an `Error` if the run covers only a part of the contract, used another contract version, or had `PROFILE=documented`
 */
export function listViolations(contract: Contract, run: Conformance): ViolatedRequirement[] {
  assertSuitableRun(contract, run);
  const violatedResults = run.requirements.filter(({ verdict }) => verdict === 'violation');
  const violatedAddresses = new Set(violatedResults.map(({ address }) => address));
  const violatedRequirements = listRequirements(contract).filter(({ address }) =>
    violatedAddresses.has(address),
  );
  return violatedRequirements.map((requirement) => describeViolatedRequirement(run, requirement));
}

function describeViolatedRequirement(run: Conformance, requirement: Requirement): ViolatedRequirement {
  const { address } = requirement;
  const violations = findViolations(run, address);
  const actualTexts = new Set(violations.map(({ actual }) => actual));
  const mayHaveEntry = suggestInsteadOfEntry(requirement) === undefined;
  const allHaveProposal = violations.every(({ received }) => received !== undefined);
  return {
    address,
    description: [...actualTexts].join('; '),
    isAcceptable: mayHaveEntry && allHaveProposal,
  };
}

/**
 * Lists the ledger entries that a run reported as `stale`, because their deviation seems to be fixed.
 * @throws an `Error` if the run covers only a part of the contract, used another contract version, or had `PROFILE=documented`
 */
export function findStaleEntries(contract: Contract, run: Conformance): StaleEntry[] {
  assertSuitableRun(contract, run);
  const staleEntries: StaleEntry[] = [];
  for (const { kind, requirement, ledger } of run.findings)
    if (kind === 'stale' && ledger) staleEntries.push({ requirement, ...ledger });
  return staleEntries;
}

export type StaleEntry = LedgerLocation & { requirement: string };

/**
 * Removes stale entries from a ledger, and returns the new text.
 * Also removes the comments right above each removed entry, except a comment at the beginning of the file.
 * @throws an `Error` if a stale entry is no longer at its line, or shares a line with an entry that stays
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
    // Undefined for the last entry, which ends with the file.
    const startOfNextEntry = startIndexes[index + 1];
    const entryLines = lines.slice(startIndexes[index], startOfNextEntry);
    keptLines.push(...(isRemoved(entry) ? selectCommentsAfterEntry(entryLines) : entryLines));
  }
  const lineBreaksAtEnd = /\n*$/;
  return keptLines.join('\n').replace(lineBreaksAtEnd, '\n');
}

function findStartIndex(lines: string[], entryIndex: number): number {
  const indentation = measureIndentation(lines[entryIndex]);
  let startIndex = entryIndex;
  while (startIndex > 0 && isCommentOfList(lines[startIndex - 1], indentation)) startIndex--;
  // A comment that begins the file is about the whole ledger, and must stay.
  const isCommentOfFile = startIndex === 0;
  return isCommentOfFile ? entryIndex : startIndex;
}

function selectCommentsAfterEntry(entryLines: string[]): string[] {
  const dashLine = entryLines.find((line) => line.trimStart().startsWith('-'));
  const isComment = (line: string) => isCommentOfList(line, measureIndentation(dashLine));
  const lastIndexOfEntry = entryLines.findLastIndex((line) => line.trim() !== '' && !isComment(line));
  const linesAfterEntry = entryLines.slice(lastIndexOfEntry + 1);
  const firstComment = linesAfterEntry.findIndex(isComment);
  return firstComment === -1 ? [] : linesAfterEntry.slice(firstComment);
}

const measureIndentation = (line = '') => line.length - line.trimStart().length;

// A more indented comment belongs to an entry.
const isCommentOfList = (line = '', indentation = 0) =>
  line.trimStart().startsWith('#') && measureIndentation(line) <= indentation;

function assertRequirementExists(contract: Contract, address: string): void {
  const addresses = listRequirements(contract).map((requirement) => requirement.address);
  if (addresses.includes(address)) return;
  throw new Error(`there is no requirement ${address}; did you mean ${closest(address, addresses)}?`);
}

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

function requireProposal({ received: proposal, requirement, actual, pointer }: Finding): ProposedAccepts {
  if (proposal) return proposal;
  throw new Error(
    `${requirement}: no ledger entry can tolerate this alone: ${actual}, at ${pointer || 'the body'}`,
  );
}

function combineProposals(proposals: ProposedAccepts[]): Tolerance[] {
  const distinctProposals = removeDuplicates(proposals);
  const missing = distinctProposals.filter((proposal) => 'missing' in proposal);
  const otherNames = distinctProposals.filter((proposal) => 'name' in proposal);
  const schemas = distinctProposals.flatMap((proposal) => ('schema' in proposal ? proposal.schema : []));
  // `{ missing: true }` also tolerates a required field under another name, so `{ name: … }` would add nothing.
  const tolerances: Tolerance[] = missing.length > 0 ? missing : otherNames;
  if (schemas.length > 0) tolerances.push({ schema: joinSchemas(schemas) });
  return tolerances;
}

function removeDuplicates(proposals: ProposedAccepts[]): ProposedAccepts[] {
  const proposalByJson = new Map(proposals.map((proposal) => [JSON.stringify(proposal), proposal]));
  return [...proposalByJson.values()];
}

function joinSchemas(schemas: ProposedSchema[]) {
  const [firstSchema] = schemas;
  if (firstSchema && schemas.length === 1) return firstSchema;
  const constants = schemas.map((schema) => schema.const);
  const allAreConstants = constants.every((constant) => constant !== undefined);
  return allAreConstants ? { enum: constants } : { anyOf: schemas };
}

function createNothingNewError(
  ledgerName: string,
  requirement: string,
  existingEntries: LedgerEntry[],
  tolerances: Tolerance[],
): Error {
  const isProposedAgain = ({ accepts }: LedgerEntry) =>
    tolerances.some((tolerance) => isDeepStrictEqual(tolerance, accepts));
  const lineTexts = existingEntries.filter(isProposedAgain).map(({ line }) => `line ${line}`);
  const advice = 'run again to see it tolerated, or change that entry';
  return new Error(`${ledgerName} accepts ${requirement} already, in ${lineTexts.join(' and ')}: ${advice}`);
}

function createEntryNode(document: Document, accepts: Tolerance, newEntry: NewEntry) {
  const { requirement, because, link, target, until, swept } = newEntry;
  // `createNode` leaves out keys whose value is undefined.
  const node = document.createNode({ requirement, accepts, because, link, target, until, swept });
  node.spaceBefore = true;
  // Flow style writes `accepts` on one line: `accepts: { name: p_user_id }`.
  const acceptsNode: unknown = isMap(node) ? node.get('accepts') : undefined;
  if (isCollection(acceptsNode)) acceptsNode.flow = true;
  return node;
}
