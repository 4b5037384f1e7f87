import { http, type Requirement } from '../../schemas/requirements.ts';
import { atPlace } from '../client/curl.ts';
import type { Finding, Observation } from '../client/observation.ts';
import type { Target } from '../client/target.ts';
import { concludeObservations } from './rejections.ts';
import type { Verdict } from './verdicts.ts';

/** A requirement with what a run says of it. */
export type RequirementResult = Requirement & {
  verdict: Verdict;
  /** How many places were judged. */
  exercised: number;
  /** In how many responses they were. */
  requests: number;
  findings: Finding[];
  /** Why there is no verdict on it, or what a reader of the verdict has to know. */
  reason?: string;
};

/** What a run says of each requirement. Pure: the same observations give the same results. */
export function evaluateRequirements(
  requirements: Requirement[],
  observations: Observation[],
  profile: Target['profile'],
): RequirementResult[] {
  const conclusive = concludeObservations(observations).map((observation) => ({
    ...observation,
    findings: observation.findings.map((finding) => applyProfile(finding, profile)),
  }));
  const operations = [...new Set(requirements.map(({ operation }) => operation))];
  const own = (id: string) => conclusive.filter(({ operation }) => operation === id);
  const tallies = new Map(operations.map((id) => [id, tally(own(id))]));
  return requirements.map((requirement) =>
    resultOf(requirement, tallies.get(requirement.operation) ?? tally([])),
  );
}

/** The observations of an operation, and what they say, by the address of the requirement. */
interface Tally {
  observations: Observation[];
  findings: Map<string, Finding[]>;
  exercised: Map<string, { places: number; requests: number }>;
}

function tally(observations: Observation[]): Tally {
  const findings: Tally['findings'] = new Map();
  const exercised: Tally['exercised'] = new Map();
  for (const observation of observations) {
    for (const finding of observation.findings) {
      const known = findings.get(finding.requirement) ?? [];
      known.push(finding);
      findings.set(finding.requirement, known);
    }
    for (const [address, count] of Object.entries(observation.visits)) {
      const { places = 0, requests = 0 } = exercised.get(address) ?? {};
      exercised.set(address, { places: places + count, requests: requests + 1 });
    }
  }
  return { observations, findings, exercised };
}

/** A finding under a profile: `documented` tolerates nothing. */
function applyProfile(finding: Finding, profile: Target['profile']): Finding {
  if (finding.kind === 'undeclared') return { ...finding, kind: 'violation' };
  return finding.kind === 'deviation' && profile === 'documented'
    ? { ...finding, kind: 'violation' }
    : finding;
}

/** The gravest verdict that something supports. */
function resultOf(requirement: Requirement, tallied: Tally): RequirementResult {
  const { observations } = tallied;
  const findings = tallied.findings.get(requirement.address) ?? [];
  const { places = 0, requests = 0 } = tallied.exercised.get(requirement.address) ?? {};
  const blocked = observations.filter((one) => one.blocked && concerns(requirement, one));
  const touched = requirement.kind === 'status' ? 0 : places;
  const kinds = new Set(findings.map(({ kind }) => kind));
  const rest = { ...requirement, exercised: places, requests, findings };
  if (kinds.has('violation')) return { ...rest, verdict: 'violation' };
  if (blocked[0] && touched === 0) return { ...rest, ...blockedResult(requirement, blocked, blocked[0]) };
  if (kinds.has('deviation')) return { ...rest, verdict: 'deviation' };
  if (places > 0) return { ...rest, verdict: 'pass' };
  return { ...rest, verdict: 'not exercised', reason: reasonOf(requirement, observations) };
}

/** The response to a request that must be rejected says something of that rule alone. */
const concerns = (requirement: Requirement, { expectsSuccess }: Observation) =>
  expectsSuccess || (requirement.kind === 'rule' && 'needs' in requirement.rule.check);

function blockedResult(requirement: Requirement, blocked: Observation[], first: Observation) {
  const reason = first.blocked ?? '';
  const findings = blocked.map(
    (observation): Finding => ({
      kind: 'blocked',
      requirement: requirement.address,
      operation: requirement.operation,
      pointer: requirement.place,
      expected: 'a response that can be judged',
      actual: observation.blocked ?? '',
      exchange: observation.exchange,
      repeat: atPlace(observation.repeat, 'http'),
    }),
  );
  return { verdict: 'blocked', reason, findings } as const;
}

function reasonOf({ operation, place }: Requirement, observations: Observation[]): string {
  if (observations.length === 0)
    return `no request of ${operation} was sent: no identifiers are configured or found`;
  if (observations.every(({ visits }) => !Object.hasOwn(visits, http(operation).contentType)))
    return 'no request of this operation had a success as response';
  if (place === 'request' && observations.some(({ status }) => status === undefined))
    return 'the request that would show it got no response';
  return place === 'request'
    ? 'no request that would show it was sent'
    : 'no response held anything to judge it by';
}
