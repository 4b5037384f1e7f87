import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import type { Finding, Observation } from '../../../src/redact/observation.ts';
import { type Coverage, computeCoverage } from '../../../src/verdict/coverage.ts';
import { observeProvider, type ProfileResult, resultsByProfile, type Settings } from '../harness/provider.ts';
import { observedTraffic } from '../traffic/judging.ts';
import { type Fault, readOperation } from './faults/fault.ts';
import { fullRecords } from './full-records.ts';
import type { Variant } from './variants/variant.ts';

/** Addresses of the requirements that are violated, deviate or are blocked, under both profiles. */
export type Proof = Record<'observed' | 'documented', AddressesByVerdict>;
export type AddressesByVerdict = Pick<ProfileResult, 'violated' | 'deviating' | 'blocked'>;

/** Addresses of the requirements that a provider does not meet, as a run and as a recording of its responses show them. */
export interface WholeProof extends Proof {
  /** Results of the recording; `skipped` counts the exchanges that were not judged, keyed by reason. */
  recorded: Proof & { skipped: Record<string, number> };
}

/** Identifiers to look up, three for each variable such as `CARD_IDS`; the records together have every field. */
const identifiers = Object.fromEntries(
  Object.entries(fullRecords).map(([name, values]) => [name, values.slice(0, 3)]),
);

/**
 * Judges a provider with a fault under both profiles. With `isRecorded`, also judges the recording of its responses. `misled` lists the
 * findings about the broken requirement whose request id does not lead to the faulty response in the provider's log.
 */
export async function proveFault(
  fault: Fault,
  isRecorded: boolean,
): Promise<Proof & Partial<WholeProof> & { misled: string[] }> {
  const undeclaredSetting = fault.undeclared ? { failOn: ['undeclared'] as const } : {};
  const settings = {
    identifiers,
    ...undeclaredSetting,
    operations: listRelatedOperations(readOperation(fault)),
  };
  const { alter, log } = logging(fault.alter);
  const { observations, recording } = await observeProvider({ alter, network: false }, settings);
  const findings = observations.flatMap((observation) => observation.findings);
  const ownFindings = findings.filter(({ requirement }) => requirement === fault.breaks);
  return {
    ...createProof(observations, settings),
    misled: ownFindings
      .filter((finding) => !hasTraceableIds(log, finding))
      .map(({ exchange, id }) => `${exchange} ${id}`),
    ...(isRecorded && { recorded: await proveRecorded(recording(), settings) }),
  };
}

/** Entry in the log of a provider, for one request. */
interface LogEntry {
  /** Trace id and span id from the header `traceparent`. */
  id: string;
  path: string;
  /** True if the answer differs from the one that conforms to the contract. */
  isAltered: boolean;
}

/** Wraps an `Alter` so that `log` gets an entry for each request. */
export function logging(alter: Alter): { alter: Alter; log: LogEntry[] } {
  const log: LogEntry[] = [];
  const alterAndLog: Alter = async (conforming, request) => {
    const conformingText = serializeAnswer(conforming);
    const answer = await alter(conforming, request);
    const [, id = ''] = /^00-(.+)-01$/.exec(String(request.headers.traceparent)) ?? [];
    log.push({ id, path: request.path, isAltered: serializeAnswer(answer) !== conformingText });
    return answer;
  };
  return { alter: alterAndLog, log };
}

/**
 * Returns whether the ids of a finding lead to the fault: the id of each request in the finding is in the provider's log once, at a request
 * with that path, and at least one of them at a faulty answer.
 */
function hasTraceableIds(log: LogEntry[], { id, exchange, against }: Finding): boolean {
  const exchanges = [{ id, exchange }, ...(against ? [against] : [])];
  const loggedEntries = exchanges.map((exchange) => log.filter((entry) => entry.id === exchange.id));
  // A finding shows a label such as `{CARD_IDS[0]}` in place of an identifier, so only the parts between labels are compared.
  const isShown = exchanges.every((exchange, index) =>
    exchange.exchange
      .replace('GET ', '')
      .split(/\{[^}]*\}/)
      .every((part) => loggedEntries[index]?.[0]?.path.includes(part)),
  );
  return (
    isShown &&
    loggedEntries.every(({ length }) => length === 1) &&
    loggedEntries.flat().some((entry) => entry.isAltered)
  );
}

const { operations } = loadContract();

/**
 * Lists the ids of an operation, of the operations with which its responses are compared, and of one that is unrelated: without a working
 * operation, the suite would report that the target is not this API.
 */
function listRelatedOperations(operation: string): string[] {
  const findLists = ({ rules }: Operation) =>
    rules.flatMap(({ check }) => ('listedBy' in check ? check.listedBy : []));
  const groups = operations.map((operationOfGroup) => [operationOfGroup.id, ...findLists(operationOfGroup)]);
  const related = groups.filter((group) => group.includes(operation)).flat();
  const isUnrelated = ([id = '', ...lists]: string[]) => !related.includes(id) && lists.length === 0;
  return [...related, ...(groups.findLast(isUnrelated) ?? [])];
}

const createProof = (observations: Observation[], settings: Settings = {}): Proof =>
  resultsByProfile(observations, settings, 'asked');

/** Judges recorded traffic under both profiles. @param text recording as newline-delimited JSON */
async function proveRecorded(text: string, { operations: _, ...settings }: Settings = {}) {
  const { observations, traffic } = await observedTraffic(['-'], { text, name: 'mock', ...settings });
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

/** Wraps the `alter` of a variant so that `differs()` tells whether any answer differed from that of the mock. */
function watchVariant({ alter, choices, settings }: Variant) {
  // Headers of requests, and choices without `alter`, change the mock itself, which is not compared.
  let changed = Boolean(settings?.headers || (!alter && choices));
  const alterAndCompare: Alter = async (answer, request) => {
    const conformingText = changed ? '' : serializeAnswer(answer);
    const altered = (await alter?.(answer, request)) ?? answer;
    changed ||= serializeAnswer(altered) !== conformingText;
    return altered;
  };
  return { alter: alterAndCompare, differs: () => changed };
}

const serializeAnswer = ({ status, headers, body, raw }: MockAnswer) =>
  JSON.stringify([status, headers, body, raw?.toString('latin1')]);
