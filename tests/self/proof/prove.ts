import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import type { Finding, Observation } from '../../../src/redact/observation.ts';
import { type Coverage, coverageOf } from '../../../src/verdict/coverage.ts';
import { observeProvider, type ProfileResult, resultsByProfile, type Settings } from '../harness/provider.ts';
import { observedTraffic } from '../traffic/judging.ts';
import { conditional } from './faults/behaviour.ts';
import { type Fault, operationOf } from './faults/fault.ts';
import { relations } from './faults/relations.ts';
import { relatedFields } from './faults/relations-of-cards-and-rules.ts';
import { fullRecords } from './full-records.ts';
import type { Variant } from './variants/variant.ts';

/** What goes red in either profile. */
export type Proof = Record<'observed' | 'documented', AddressesByVerdict>;
export type AddressesByVerdict = Pick<ProfileResult, 'violated' | 'deviating' | 'blocked'>;

/** What is made of a provider, and of the same exchanges, recorded; how many of those say nothing, by reason. */
export interface WholeProof extends Proof {
  recorded: Proof & { skipped: Record<string, number> };
}

/** Pages are followed, and long, only where that is what matters: hundreds of runs are to be quick. */
const thorough = { choices: {}, maxPages: 3 };
const brief = { choices: { defaultLimit: 10 }, maxPages: 1 };
const followed = new Set([...conditional, ...relatedFields, ...relations]);

/** Whom a proof asks for: few, and with every field that there is. */
const identifiers = Object.fromEntries(
  Object.entries(fullRecords).map(([name, all]) => [name, all.slice(0, 3)]),
);

/** What both profiles make of a provider with a fault, and of a recording of it; findings whose ids do not lead to it. */
export async function proveFault(
  fault: Fault,
  isRecorded: boolean,
): Promise<Proof & Partial<WholeProof> & { misled: string[] }> {
  const { choices, maxPages } = followed.has(fault) ? thorough : brief;
  const undeclared = fault.undeclared ? { failOn: ['undeclared'] as const } : {};
  const settings = { identifiers, maxPages, ...undeclared, operations: around(operationOf(fault)) };
  const { alter, log } = logging(fault.alter);
  const { observations, recording } = await observeProvider({ choices, alter, network: false }, settings);
  const findings = observations.flatMap((one) => one.findings);
  const own = findings.filter(({ requirement }) => requirement === fault.breaks);
  return {
    ...proofOf(observations, settings),
    misled: own.filter((one) => !leadsTo(log, one)).map(({ exchange, id }) => `${exchange} ${id}`),
    ...(isRecorded && { recorded: await proveRecorded(recording(), settings) }),
  };
}

/** What a provider has logged: each request, and whether it was answered otherwise than a conforming provider does. */
interface Logged {
  id: string;
  path: string;
  isAltered: boolean;
}

/** A provider that logs, behind its fault. */
export function logging(alter: Alter): { alter: Alter; log: Logged[] } {
  const log: Logged[] = [];
  const noting: Alter = async (conforming, request) => {
    const before = print(conforming);
    const answer = await alter(conforming, request);
    const [, id = ''] = /^00-(.+)-01$/.exec(String(request.headers.traceparent)) ?? [];
    log.push({ id, path: request.path, isAltered: print(answer) !== before });
    return answer;
  };
  return { alter: noting, log };
}

/** Whether each id of a finding occurs once in the log, at the request that is shown, and one of them at a faulty response. */
function leadsTo(log: Logged[], { id, exchange, against }: Finding): boolean {
  const sides = [{ id, exchange }, ...(against ? [against] : [])];
  const logged = sides.map((side) => log.filter((one) => one.id === side.id));
  // Identifiers are withheld; all else of the request is shown.
  const isShown = sides.every((side, at) =>
    side.exchange
      .replace('GET ', '')
      .split(/\{[^}]*\}/)
      .every((part) => logged[at]?.[0]?.path.includes(part)),
  );
  return isShown && logged.every(({ length }) => length === 1) && logged.flat().some((one) => one.isAltered);
}

const { operations } = loadContract();

/** An operation, those that are held against it, and another one: where nothing is right, it is not the API that answers. */
function around(operation: string): string[] {
  const listsOf = ({ rules }: Operation) =>
    rules.flatMap(({ check }) => ('listedBy' in check ? check.listedBy : []));
  const groups = operations.map((one) => [one.id, ...listsOf(one)]);
  const related = groups.filter((group) => group.includes(operation)).flat();
  const isOther = ([id = '', ...lists]: string[]) => !related.includes(id) && lists.length === 0;
  return [...related, ...(groups.findLast(isOther) ?? [])];
}

const proofOf = (observations: Observation[], settings: Settings = {}): Proof =>
  resultsByProfile(observations, settings, 'asked');

/** What both profiles make of a recording. */
async function proveRecorded(text: string, { operations: _, ...settings }: Settings = {}) {
  const { observations, traffic } = await observedTraffic(['-'], { text, name: 'mock', ...settings });
  return { ...proofOf(observations, settings), skipped: traffic.skipped };
}

/** What both profiles make of a variant; whether it answered anything in another way than the usual provider. */
export async function proveVariant(
  variant: Variant,
): Promise<WholeProof & { coverage: Coverage; differs: boolean }> {
  const { settings = {}, network = false } = variant;
  const { alter, differs } = watched(variant);
  const { choices: usual, maxPages } = settings.maxPages ? thorough : brief;
  const choices = { ...usual, ...variant.choices };
  const provider = { choices, alter, network };
  const { observations, recording } = await observeProvider(provider, { maxPages, ...settings });
  return {
    ...proofOf(observations),
    coverage: coverageOf(loadContract(), observations),
    differs: differs(),
    recorded: await proveRecorded(recording()),
  };
}

/** A variant's alteration, and whether anything was other than usual for it. */
function watched({ alter, choices, settings }: Variant) {
  let changed = Boolean(settings?.headers || (!alter && choices));
  const watched: Alter = async (answer, request) => {
    const before = changed ? '' : print(answer);
    const altered = (await alter?.(answer, request)) ?? answer;
    changed ||= print(altered) !== before;
    return altered;
  };
  return { alter: watched, differs: () => changed };
}

const print = ({ status, headers, body, raw }: MockAnswer) =>
  JSON.stringify([status, headers, body, raw?.toString('latin1')]);
