import { isOptional, type Requirement } from '../../schemas/contract/requirements.ts';
import { atPlace } from '../client/curl.ts';
import type { Target } from '../configuration/target.ts';
import type { Finding, Observation } from '../redaction/observation.ts';
import { unconfirmedSentences } from '../relations/unconfirmed.ts';
import type { SweptShare } from '../sweep/results/result.ts';
import { rejectedIdentifiers } from './rejected-identifiers.ts';
import { resolveRejections } from './rejections.ts';
import { exercisedIn, foundIn, kindsOf, requestCount } from './request-counts.ts';
import { type Origin, unjudgedReason } from './unjudged.ts';
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
  for (const observation of observations) {
    for (const finding of observation.findings) {
      const known = tallied.findings.get(finding.requirement) ?? [];
      known.push({ ...finding, kind: kindUnder(profile, finding.kind) });
      tallied.findings.set(finding.requirement, known);
    }
    for (const [address, count] of Object.entries(observation.visits)) {
      const { places = 0, requests = 0 } = tallied.exercised.get(address) ?? {};
      const more = { places: places + count, requests: requests + exercisedIn(observation, address) };
      tallied.exercised.set(address, more);
    }
    countAffected(tallied.affected, observation, profile);
  }
  return tallied;
}

function countAffected(
  affected: Tally['affected'],
  observation: Observation,
  profile: Target['profile'],
): void {
  for (const [address, byKinds] of Object.entries(foundIn(observation))) {
    const counts = affected.get(address) ?? new Map<Finding['kind'], number>();
    affected.set(address, counts);
    for (const [kinds, count] of Object.entries(byKinds))
      for (const kind of new Set(kindsOf(kinds).map((one) => kindUnder(profile, one))))
        counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
}

/** The kind of a finding under a profile: `documented` tolerates nothing. */
function kindUnder(profile: Target['profile'], kind: Finding['kind']): Finding['kind'] {
  if (kind === 'undeclared') return 'violation';
  return kind === 'deviation' && profile === 'documented' ? 'violation' : kind;
}

/** Why something is a violation that the contract does not rule out. */
const ofUndeclaredFields = {
  reason: 'the contract does not rule out fields that it does not name: UNDECLARED_FIELDS=fail does',
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
    affected: blocked.reduce((sum, one) => sum + requestCount(one), 0),
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
  repeat: atPlace(observation.repeat, 'http'),
  ...(observation.folded ? { requests: requestCount(observation) } : {}),
});
