import type { MockResponse } from '../../../mock/responses.ts';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { getComparedListIds } from '../../../src/operations/operation-file.ts';
import type { Finding, Observation } from '../../../src/redact/observation.ts';
import { type Coverage, computeCoverage } from '../../../src/verdict/coverage.ts';
import {
  evaluateWithBothProfiles,
  observeProvider,
  type ProfileResult,
  type Settings,
} from '../harness/provider.ts';
import { observeSources } from '../traffic/judging.ts';
import { type Fault, readOperationId } from './faults/fault.ts';
import { fullRecords } from './full-records.ts';
import type { Variant } from './variants/variant.ts';

/** Violated, deviating and blocked requirements, keyed by the value of `PROFILE`. */
export type Proof = Record<'observed' | 'documented', AddressesByVerdict>;
export type AddressesByVerdict = Pick<ProfileResult, 'violated' | 'deviating' | 'blocked'>;

export interface WholeProof extends Proof {
  /** Verdicts on the recorded traffic, with counts of skipped exchanges by reason. */
  recorded: Proof & { skipped: Record<string, number> };
}

// The three customers together have every optional field of a customer.
const identifiers = Object.fromEntries(
  Object.entries(fullRecords).map(([name, values]) => [name, values.slice(0, 3)]),
);

/** Judges a provider with one fault; `withRecording` also judges its recorded traffic. */
export async function proveFault(
  fault: Fault,
  { withRecording }: { withRecording: boolean },
): Promise<Proof & Partial<WholeProof> & { untraceable: string[] }> {
  const { alter, log } = logAnswers(fault.alter);
  const settings: Settings = { identifiers, failOn: fault.needsFailOnUndeclared ? ['undeclared'] : [] };
  const run = await observeProvider(
    { alter, network: false },
    { ...settings, operations: listOperationsToRun(readOperationId(fault.breaks)) },
  );
  const findings = run.observations.flatMap((observation) => observation.findings);
  const findingsOfFault = findings.filter(({ requirement }) => requirement === fault.breaks);
  const untraceable = describeUntraceable(findingsOfFault, log);
  const proof = { ...judgeWithBothProfiles(run.observations, settings), untraceable };
  if (!withRecording) return proof;
  return { ...proof, recorded: await judgeRecording(run.recording(), settings) };
}

const describeUntraceable = (findings: Finding[], log: LogEntry[]): string[] =>
  findings.filter((finding) => !hasTraceableIds(log, finding)).map(({ exchange, id }) => `${exchange} ${id}`);

interface LogEntry {
  /** `<trace id>-<span id>` from the header `traceparent`; empty if absent. */
  id: string;
  path: string;
  isAltered: boolean;
}

/** Wraps `alter` so that it also logs each response. */
export function logAnswers(alter: Alter): { alter: Alter; log: LogEntry[] } {
  const log: LogEntry[] = [];
  const alterAndLog: Alter = async (answer, request) => {
    // Serialized first, because `alter` may change the answer in place.
    const conformingText = serializeAnswer(answer);
    const alteredAnswer = await alter(answer, request);
    const isAltered = serializeAnswer(alteredAnswer) !== conformingText;
    log.push({ id: readRequestId(request), path: request.path, isAltered });
    return alteredAnswer;
  };
  return { alter: alterAndLog, log };
}

function readRequestId({ headers }: MockRequest): string {
  // `00-<trace id>-<span id>-01` (W3C Trace Context).
  const traceparent = /^00-(.+)-01$/;
  const [, id = ''] = traceparent.exec(String(headers.traceparent)) ?? [];
  return id;
}

function hasTraceableIds(log: LogEntry[], { id, exchange, against }: Finding): boolean {
  // A finding that compares two responses has the other request in `against`.
  const requests = against ? [{ id, exchange }, against] : [{ id, exchange }];
  const entries = requests.map((request) => findOnlyEntry(log, request));
  const isEachRequestLogged = entries.every((entry) => entry !== undefined);
  return isEachRequestLogged && entries.some((entry) => entry?.isAltered);
}

function findOnlyEntry(
  log: LogEntry[],
  request: { id?: string | undefined; exchange: string },
): LogEntry | undefined {
  const entries = log.filter((entry) => entry.id === request.id);
  if (entries.length !== 1) return undefined;
  return entries.find((entry) => matchesRequestLine(entry, request.exchange));
}

/** Returns true if the path contains all text outside the braces of a `GET` request line: `/cards/` for `GET /cards/{CARD_IDS[0]}`. */
function matchesRequestLine({ path }: LogEntry, requestLine: string): boolean {
  // Such as `{CARD_IDS[0]}`, in place of any identifier.
  const placeholder = /\{[^}]*\}/;
  const shownParts = requestLine.replace('GET ', '').split(placeholder);
  return shownParts.every((part) => path.includes(part));
}

const { operations } = loadContract();

function listOperationsToRun(operationId: string): string[] {
  // The suite compares the responses of some operations, such as those of `getCustomer` and `listCustomers`.
  const comparedGroups = operations.map((operation) => [operation.id, ...getComparedListIds(operation)]);
  const groupsOfOperation = comparedGroups.filter((ids) => ids.includes(operationId));
  const relatedIds = new Set(groupsOfOperation.flat());
  // Adds an operation that works: if none worked, the suite would only report that the target has another API.
  // An operation that is compared with a list would also need this list.
  const unrelated = operations.findLast(
    (operation) => !relatedIds.has(operation.id) && getComparedListIds(operation).length === 0,
  );
  return unrelated ? [...relatedIds, unrelated.id] : [...relatedIds];
}

const judgeWithBothProfiles = (observations: Observation[], settings: Settings = {}): Proof =>
  evaluateWithBothProfiles(observations, settings, 'requested');

async function judgeRecording(recording: string, settings: Settings = {}): Promise<WholeProof['recorded']> {
  // The source `-` is the standard input, here `text`.
  const { observations, traffic } = await observeSources(['-'], {
    text: recording,
    name: 'mock',
    ...settings,
  });
  return { ...judgeWithBothProfiles(observations, settings), skipped: traffic.skipped };
}

interface VariantProof extends WholeProof {
  coverage: Coverage;
  /** True if `alter` changed a response of the mock. Always true for variants with `headers`, or with `choices` but no `alter`. */
  differs: boolean;
}

/** Judges a provider variant, both live and from a recording of its traffic. */
export async function proveVariant(variant: Variant): Promise<VariantProof> {
  const { choices = {}, settings = {}, network = false } = variant;
  const { alter, differs } = watchVariant(variant);
  const { observations, recording } = await observeProvider({ alter, choices, network }, settings);
  return {
    ...judgeWithBothProfiles(observations),
    coverage: computeCoverage(loadContract(), observations),
    differs: differs(),
    recorded: await judgeRecording(recording()),
  };
}

function watchVariant({ alter, choices, settings }: Variant): { alter: Alter; differs: () => boolean } {
  // `choices` change the mock itself, and a variant with `headers` rejects only requests without them.
  const differsWithoutAlter = Boolean(settings?.headers) || (choices !== undefined && !alter);
  let hasDiffered = false;
  const alterAndCompare: Alter = async (response, request) => {
    const mockText = serializeAnswer(response);
    const alteredResponse = alter ? await alter(response, request) : response;
    if (serializeAnswer(alteredResponse) !== mockText) hasDiffered = true;
    return alteredResponse;
  };
  return { alter: alterAndCompare, differs: () => differsWithoutAlter || hasDiffered };
}

const serializeAnswer = ({ status, headers, body, raw }: MockResponse) =>
  JSON.stringify([status, headers, body, raw?.toString('latin1')]);
