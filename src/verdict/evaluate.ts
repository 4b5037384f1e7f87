import { addressOf } from '../../schemas/contract/nodes.ts';
import { http, isOptional, type Requirement } from '../../schemas/contract/requirements.ts';
import { counted, number } from '../../schemas/counted.ts';
import type { Target } from '../client/target.ts';
import { atPlace } from '../redact/curl.ts';
import { type Finding, idOf, type Observation } from '../redact/observation.ts';
import type { SweptShare } from '../sweep/summary.ts';
import { resolveRejections } from './rejections.ts';
import type { Verdict } from './verdicts.ts';

/** A requirement with what a run says of it. */
export type RequirementResult = Requirement & {
  verdict: Verdict;
  /** How many places were judged. */
  exercised: number;
  /** In how many responses they were. */
  requests: number;
  /** In how many of them was found what the verdict rests on, where something was. */
  affected?: number;
  findings: Finding[];
  /** How many records break it, where a sweep has judged it. */
  swept?: SweptShare;
  /** Why there is no verdict on it, or what a reader of the verdict has to know. */
  reason?: string;
  cause?: Cause;
};

/** What breaks a requirement, where that is nothing but what was configured. */
export type Cause = 'undeclared fields' | 'configured identifiers';

/** What a run says of each requirement. Pure: the same observations give the same results. */
export function evaluateRequirements(
  requirements: Requirement[],
  observations: Observation[],
  profile: Target['profile'],
  origin: Origin = 'asked',
): RequirementResult[] {
  const resolved = resolveRejections(observations);
  const operations = [...new Set(requirements.map(({ operation }) => operation))];
  const own = (id: string) => resolved.filter(({ operation }) => operation === id);
  const tallies = new Map(operations.map((id) => [id, tally(own(id), profile)]));
  return requirements.map((requirement) =>
    resultOf(requirement, tallies.get(requirement.operation) ?? tally([], profile), origin),
  );
}

/** The observations of an operation, and what they say, by the address of the requirement. */
interface Tally {
  observations: Observation[];
  findings: Map<string, Finding[]>;
  exercised: Map<string, { places: number; requests: number }>;
  /** In how many requests something of a kind was found. */
  affected: Map<string, Map<Finding['kind'], number>>;
}

function tally(observations: Observation[], profile: Target['profile']): Tally {
  const tallied: Tally = { observations, findings: new Map(), exercised: new Map(), affected: new Map() };
  for (const { findings, exercised, affected } of observations) {
    for (const finding of findings) {
      const known = tallied.findings.get(finding.requirement) ?? [];
      known.push({ ...finding, kind: kindUnder(profile, finding.kind) });
      tallied.findings.set(finding.requirement, known);
    }
    for (const [address, more] of Object.entries(exercised)) {
      const { places = 0, requests = 0 } = tallied.exercised.get(address) ?? {};
      tallied.exercised.set(address, { places: places + more.places, requests: requests + more.requests });
    }
    for (const [address, byKind] of Object.entries(affected)) {
      const counts = tallied.affected.get(address) ?? new Map<Finding['kind'], number>();
      tallied.affected.set(address, counts);
      for (const [kind, count] of Object.entries(byKind) as [Finding['kind'], number][])
        counts.set(kindUnder(profile, kind), (counts.get(kindUnder(profile, kind)) ?? 0) + count);
    }
  }
  return tallied;
}

/** The kind of a finding under a profile: `documented` tolerates nothing. */
function kindUnder(profile: Target['profile'], kind: Finding['kind']): Finding['kind'] {
  if (kind === 'undeclared') return 'violation';
  return kind === 'deviation' && profile === 'documented' ? 'violation' : kind;
}

/** Why something is a violation that the contract does not rule out. */
const ofUndeclaredFields = {
  reason: 'the contract does not rule out fields that it does not name: FAIL_ON=undeclared does',
  cause: 'undeclared fields',
} as const;

/** The gravest verdict that something supports. */
function resultOf(requirement: Requirement, tallied: Tally, origin: Origin): RequirementResult {
  const { observations } = tallied;
  const { address } = requirement;
  const findings = tallied.findings.get(address) ?? [];
  const { places = 0, requests = 0 } = tallied.exercised.get(address) ?? {};
  const result = { ...requirement, exercised: places, requests, findings };
  const found = (verdict: 'violation' | 'deviation') =>
    findings.some(({ kind }) => kind === verdict)
      ? { ...result, verdict, affected: tallied.affected.get(address)?.get(verdict) ?? 0 }
      : undefined;
  const violated = found('violation');
  if (violated) return { ...violated, ...causeOf(requirement, observations) };
  const blocked = blockedResult(requirement, observations, places);
  if (blocked) return { ...result, ...blocked };
  const deviating = found('deviation');
  if (deviating) return deviating;
  const unconfirmed = unconfirmedSentences(observations, address).join('; ');
  if (places > 0 && !unconfirmed) return { ...result, verdict: 'pass' };
  // What is left open is no pass, even where other responses meet the requirement.
  const reason = unconfirmed || unjudgedReason(requirement, observations, origin);
  return { ...result, verdict: 'not exercised', exercised: 0, requests: 0, reason };
}

/** In how many responses a rule was contradicted, neither confirmed nor settled, for each reason. */
export function unconfirmedSentences(observations: Observation[], address: string): string[] {
  const counts = new Map<string, number>();
  for (const { undecided } of observations)
    for (const [reason, count] of Object.entries(undecided?.[address] ?? {}))
      counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts].map(
    ([reason, count]) => `contradictions of ${counted(count, 'response')} were not confirmed: ${reason}`,
  );
}

const causeOf = (requirement: Requirement, observations: Observation[]) =>
  isOptional(requirement) ? ofUndeclaredFields : rejectedIdentifiers(requirement, observations);

/** The response to a request that must be rejected says something of that rule alone. */
const concerns = (requirement: Requirement, { expectsSuccess }: Observation) =>
  expectsSuccess || (requirement.kind === 'rule' && 'needs' in requirement.rule.check);

/** Undefined where something was judged, or nothing was blocked. A status is judged by each response. */
function blockedResult(requirement: Requirement, observations: Observation[], places: number) {
  const blocked = observations.filter((one) => one.blocked && concerns(requirement, one));
  const [first] = blocked;
  if (!first || (requirement.kind !== 'status' && places > 0)) return undefined;
  return {
    verdict: 'blocked',
    reason: first.blocked ?? '',
    findings: blocked.map((observation) => blockedFinding(requirement, observation)),
    affected: blocked.reduce((sum, one) => sum + one.requests, 0),
  } as const;
}

const blockedFinding = ({ address, operation, place }: Requirement, observation: Observation): Finding => ({
  kind: 'blocked',
  requirement: address,
  operation,
  pointer: place,
  expected: 'a response that can be judged',
  actual: observation.blocked ?? '',
  exchange: observation.exchange,
  ...idOf(observation),
  repeat: atPlace(observation.repeat, 'http'),
  ...(observation.requests > 1 ? { requests: observation.requests } : {}),
});

/** Whether responses were requested, or read from a recording. */
export type Origin = 'asked' | 'recorded';

/** Why there is nothing to judge a requirement by, though nothing was blocked. @param observations of its operation */
export const unjudgedReason = (
  requirement: Requirement,
  observations: Observation[],
  origin: Origin,
): string =>
  origin === 'asked' ? unaskedReason(requirement, observations) : unrecordedReason(requirement, observations);

function unaskedReason(requirement: Requirement, observations: Observation[]): string {
  const { operation, place } = requirement;
  if (observations.length === 0)
    return `no request of ${operation} was sent: no identifiers are configured or found`;
  if (observations.every(({ exercised }) => !Object.hasOwn(exercised, http(operation).contentType)))
    return 'no request of this operation was answered with a success';
  if (place === 'request' && observations.some(({ status }) => status === undefined))
    return 'the request that would show it got no response';
  return place === 'request'
    ? 'no request that would show it was sent'
    : lackOf(requirement, observations, '');
}

function unrecordedReason(requirement: Requirement, observations: Observation[]): string {
  const { operation, place } = requirement;
  if (observations.length === 0) return nothingRecorded(operation);
  return place === 'request'
    ? 'no request that would show it was recorded'
    : lackOf(requirement, observations, 'recorded ');
}

/** That a recording says nothing of an operation. */
export const nothingRecorded = (operation: string): string =>
  `no exchange of ${operation} was recorded that can be judged`;

/** What no response had. A rule between responses needs two that show the same record. */
function lackOf(requirement: Requirement, observations: Observation[], recorded: '' | 'recorded '): string {
  const body = addressOf(requirement.operation, '');
  if (observations.every(({ exercised }) => !Object.hasOwn(exercised, body)))
    return `no ${recorded}response had a body that could be judged`;
  const check = requirement.kind === 'rule' ? requirement.rule.check : {};
  if (!('again' in check)) return `no ${recorded}response held anything to judge it by`;
  const record = 'constant' in check ? 'the requested record' : 'the same record';
  return `no two ${recorded}responses held ${record} with values to compare`;
}

/** How many rejected identifiers are named, by where they are configured. */
const maxNamed = 5;

const advice =
  'the target is taken to have the record of each configured identifier: if one is malformed or unknown there, correct the configuration, since the contract does not say how such a request is answered';

/**
 * What a reader has to know of a requirement that is broken by nothing but the rejection of identifiers that were configured,
 * in HTTP's way or in a body: how many were rejected, and where they stand. Undefined where anything else breaks it.
 */
export function rejectedIdentifiers(
  requirement: Requirement,
  observations: Observation[],
): { reason: string; cause: 'configured identifiers' } | undefined {
  const { address } = requirement;
  const isOfIdentifier = requirement.kind === 'parameter' && requirement.parameter['x-identifiers'];
  const broken = observations.filter(({ findings }) =>
    findings.some((one) => one.requirement === address && one.kind === 'violation'),
  );
  const isRejection = ({ configured, rejectedInBody }: Observation) =>
    configured && (isOfIdentifier || rejectedInBody);
  if (broken.length === 0 || !broken.every(isRejection)) return undefined;
  const isAsked = ({ configured, status, again }: Observation) =>
    configured && status !== undefined && !again;
  const asked = countOf(observations.filter(isAsked));
  const places = broken.flatMap(({ parameters }) => Object.values(parameters).filter(isConfigured));
  const count = countOf(broken);
  // What stands in every body may be due to the target as well.
  if (!isOfIdentifier && count === asked) return undefined;
  const named = [...new Set(places)].slice(0, maxNamed);
  const more = count > named.length ? ` and ${number(count - named.length)} more` : '';
  const reason = `${number(count)} of ${number(asked)} configured identifiers were rejected: ${named.join(', ')}${more}; ${advice}`;
  return { reason, cause: 'configured identifiers' };
}

/** Whether what is shown of a value says where it was configured. */
const isConfigured = (label: string) => label.startsWith('{');

const countOf = (observations: Observation[]) => observations.reduce((sum, one) => sum + one.requests, 0);
