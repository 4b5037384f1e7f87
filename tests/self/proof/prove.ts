import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import type { Finding, Observation } from '../../../src/redact/observation.ts';
import { type Coverage, computeCoverage } from '../../../src/verdict/coverage.ts';
import { observeProvider, type ProfileResult, resultsByProfile, type Settings } from '../harness/provider.ts';
import { observedTraffic } from '../traffic/judging.ts';
import { type Fault, readOperation } from './faults/fault.ts';
import { fullRecords } from './full-records.ts';
import type { Variant } from './variants/variant.ts';

/** Addresses that fail, deviate or are blocked, in both profiles. */
export type Proof = Record<'observed' | 'documented', AddressesByVerdict>;
export type AddressesByVerdict = Pick<ProfileResult, 'violated' | 'deviating' | 'blocked'>;

/** Results of a provider, and of the recorded exchanges with the number of skipped ones, keyed by reason. */
export interface WholeProof extends Proof {
  recorded: Proof & { skipped: Record<string, number> };
}

/** Identifiers to look up: three of each kind, which together have every field. */
const identifiers = Object.fromEntries(
  Object.entries(fullRecords).map(([name, values]) => [name, values.slice(0, 3)]),
);

/** Judges a provider with a fault, and its recording if `isRecorded`. Lists findings whose ids do not lead to the fault. */
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

/** Log entry of a provider: a request, and whether its answer differs from the answer of a conforming provider. */
interface LogEntry {
  id: string;
  path: string;
  isAltered: boolean;
}

/** Adds a log to a provider with a fault. */
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

/** Checks that each id of a finding occurs once in the log, at the reported request, and at least one at a faulty answer. */
function hasTraceableIds(log: LogEntry[], { id, exchange, against }: Finding): boolean {
  const exchanges = [{ id, exchange }, ...(against ? [against] : [])];
  const loggedEntries = exchanges.map((exchange) => log.filter((entry) => entry.id === exchange.id));
  // Findings show the request without identifiers.
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

/** Lists an operation, the operations it is compared with, and an unrelated one, without which a broken API looks unreachable. */
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

/** Judges a recording in both profiles. */
async function proveRecorded(text: string, { operations: _, ...settings }: Settings = {}) {
  const { observations, traffic } = await observedTraffic(['-'], { text, name: 'mock', ...settings });
  return { ...createProof(observations, settings), skipped: traffic.skipped };
}

/** Judges a variant in both profiles. `differs` is true if an answer was not that of the mock. */
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

/** Records whether the answers of a variant differ from those of the mock. */
function watchVariant({ alter, choices, settings }: Variant) {
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
