import type { Alter, MockResponse } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Finding, Observation } from '../../../src/redact/observation.ts';
import { getComparedListIds } from '../../../src/run/run-session.ts';
import { type Coverage, computeCoverage } from '../../../src/verdict/coverage.ts';
import {
  evaluateByProfile,
  observeProvider,
  type ProfileResult,
  type Settings,
} from '../harness/provider.ts';
import { observeSources } from '../traffic/judging.ts';
import { type Fault, readOperation } from './faults/fault.ts';
import { fullRecords } from './full-records.ts';
import type { Variant } from './variants/variant.ts';

/** Addresses of the requirements that are violated, deviate or are blocked, under both profiles. */
export type Proof = Record<'observed' | 'documented', AddressesByVerdict>;
export type AddressesByVerdict = Pick<ProfileResult, 'violated' | 'deviating' | 'blocked'>;

export interface WholeProof extends Proof {
  /** Results from a recording of the responses. `skipped` counts the exchanges that were not judged, keyed by reason. */
  recorded: Proof & { skipped: Record<string, number> };
}

/** Identifiers of three records for each variable such as `CARD_IDS`. Together, the records have every field. */
const identifiers = Object.fromEntries(
  Object.entries(fullRecords).map(([name, values]) => [name, values.slice(0, 3)]),
);

/** Judges a provider with a fault. `untraceable`: findings whose ids do not lead to a faulty answer in the log of the provider. */
export async function proveFault(
  fault: Fault,
  { withRecording }: { withRecording: boolean },
): Promise<Proof & Partial<WholeProof> & { untraceable: string[] }> {
  const operations = listRelatedOperations(readOperation(fault));
  const failOn = fault.undeclared ? (['undeclared'] as const) : [];
  const settings = { identifiers, failOn, operations };
  const { alter, log } = logAnswers(fault.alter);
  const { observations, recording } = await observeProvider({ alter, network: false }, settings);
  const findings = observations.flatMap((observation) => observation.findings);
  const findingsOfFault = findings.filter(({ requirement }) => requirement === fault.breaks);
  const untraceableFindings = findingsOfFault.filter((finding) => !hasTraceableIds(log, finding));
  const untraceable = untraceableFindings.map(({ exchange, id }) => `${exchange} ${id}`);
  const proof = { ...createProof(observations, settings), untraceable };
  return withRecording ? { ...proof, recorded: await proveRecorded(recording(), settings) } : proof;
}

interface LogEntry {
  /** Trace id and span id from the header `traceparent` of the request. */
  id: string;
  path: string;
  /** True if the fault changed this answer. */
  isAltered: boolean;
}

export function logAnswers(alter: Alter): { alter: Alter; log: LogEntry[] } {
  const log: LogEntry[] = [];
  const alterAndLog: Alter = async (conforming, request) => {
    const conformingText = serializeAnswer(conforming);
    const response = await alter(conforming, request);
    const [, id = ''] = /^00-(.+)-01$/.exec(String(request.headers.traceparent)) ?? [];
    log.push({ id, path: request.path, isAltered: serializeAnswer(response) !== conformingText });
    return response;
  };
  return { alter: alterAndLog, log };
}

/** Returns whether each request id of a finding leads to one logged answer, with the path of the finding, and to a faulty answer. */
function hasTraceableIds(log: LogEntry[], { id, exchange, against }: Finding): boolean {
  const requests = against ? [{ id, exchange }, against] : [{ id, exchange }];
  const answers: LogEntry[] = [];
  for (const request of requests) {
    const [entry, ...duplicates] = log.filter((candidate) => candidate.id === request.id);
    if (!entry || duplicates.length > 0 || !hasShownPath(entry, request.exchange)) return false;
    answers.push(entry);
  }
  return answers.some(({ isAltered }) => isAltered);
}

/** Returns whether a path fits a request line such as `GET /cards/{CARD_IDS[0]}`, in which a label replaces the identifier. */
function hasShownPath({ path }: LogEntry, requestLine: string): boolean {
  const label = /\{[^}]*\}/;
  const shownParts = requestLine.replace('GET ', '').split(label);
  return shownParts.every((part) => path.includes(part));
}

const { operations } = loadContract();

/** Lists an operation, those compared with it, and an unrelated one: if no operation worked, the suite would only report another API. */
function listRelatedOperations(operation: string): string[] {
  const comparisonGroups = operations.map((candidate) => [candidate.id, ...getComparedListIds(candidate)]);
  const relatedIds = new Set(comparisonGroups.filter((ids) => ids.includes(operation)).flat());
  const unrelated = operations.findLast(
    (candidate) => !relatedIds.has(candidate.id) && getComparedListIds(candidate).length === 0,
  );
  return unrelated ? [...relatedIds, unrelated.id] : [...relatedIds];
}

const createProof = (observations: Observation[], settings: Settings = {}): Proof =>
  evaluateByProfile(observations, settings, 'requested');

async function proveRecorded(text: string, { operations: _, ...settings }: Settings = {}) {
  const { observations, traffic } = await observeSources(['-'], { text, name: 'mock', ...settings });
  return { ...createProof(observations, settings), skipped: traffic.skipped };
}

/** Judges a conforming variant and its recording under both profiles. `differs` is true if an answer was not that of the mock. */
export async function proveVariant(
  variant: Variant,
): Promise<WholeProof & { coverage: Coverage; differs: boolean }> {
  const { settings = {}, network = false } = variant;
  const { alter, differs } = watchVariant(variant);
  const provider = { alter, network, ...(variant.choices ? { choices: variant.choices } : {}) };
  const { observations, recording } = await observeProvider(provider, settings);
  return {
    ...createProof(observations),
    coverage: computeCoverage(loadContract(), observations),
    differs: differs(),
    recorded: await proveRecorded(recording()),
  };
}

/** Wraps the `alter` of a variant. `differs()` returns whether any answer has differed from that of the mock, or could not be compared. */
function watchVariant({ alter, choices, settings }: Variant) {
  // Headers of requests, and choices without `alter`, change the mock itself.
  const canCompare = !settings?.headers && (alter || !choices);
  let hasDiffered = false;
  const alterAndCompare: Alter = async (response, request) => {
    const usualText = serializeAnswer(response);
    const alteredResponse = (await alter?.(response, request)) ?? response;
    hasDiffered ||= serializeAnswer(alteredResponse) !== usualText;
    return alteredResponse;
  };
  return { alter: alterAndCompare, differs: () => hasDiffered || !canCompare };
}

const serializeAnswer = ({ status, headers, body, raw }: MockResponse) =>
  JSON.stringify([status, headers, body, raw?.toString('latin1')]);
