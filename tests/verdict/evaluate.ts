import { loadContract } from '../../schemas/contract.ts';
import type { Requirement } from '../../schemas/requirements.ts';
import { atPlace } from '../client/curl.ts';
import type { Finding, Observation } from '../client/observation.ts';
import type { Target } from '../client/target.ts';

export type Verdict = 'pass' | 'violation' | 'deviation' | 'not exercised' | 'blocked' | 'error';

const needsRules = new Set(
  loadContract().rules.flatMap(({ address, check }) => ('needs' in check ? address : [])),
);

/** A requirement with what a run says of it. */
export interface RequirementResult extends Requirement {
  verdict: Verdict;
  /** How many places were judged. */
  exercised: number;
  findings: Finding[];
  /** Why there is no verdict on it. */
  reason?: string;
}

/** What a run says of each requirement. Pure: the same observations give the same standing. */
export function evaluateRequirements(
  requirements: Requirement[],
  observations: Observation[],
  profile: Target['profile'],
): RequirementResult[] {
  const conclusive = observations.map((observation) => concluded(observation, observations));
  const read = conclusive.map((observation) => ({
    ...observation,
    findings: observation.findings.map((finding) => reading(finding, profile)),
  }));
  const own = (id: string) => read.filter(({ operation }) => operation === id);
  const tallies = new Map(loadContract().operations.map(({ id }) => [id, tally(own(id))]));
  return requirements.map((requirement) =>
    standing(requirement, tallies.get(requirement.operation) ?? tally([])),
  );
}

/** The observations of an operation, and what they say, by the address of the requirement. */
interface Tally {
  observations: Observation[];
  findings: Map<string, Finding[]>;
  exercised: Map<string, number>;
}

function tally(observations: Observation[]): Tally {
  const findings = new Map<string, Finding[]>();
  const exercised = new Map<string, number>();
  for (const observation of observations) {
    for (const finding of observation.findings) {
      const known = findings.get(finding.requirement) ?? [];
      known.push(finding);
      findings.set(finding.requirement, known);
    }
    for (const [address, count] of Object.entries(observation.visits))
      exercised.set(address, (exercised.get(address) ?? 0) + count);
  }
  return { observations, findings, exercised };
}

/** A finding as a profile reads it: `documented` tolerates nothing. */
function reading(finding: Finding, profile: Target['profile']): Finding {
  if (finding.kind === 'undeclared') return { ...finding, kind: 'violation' };
  return finding.kind === 'deviation' && profile === 'documented'
    ? { ...finding, kind: 'violation' }
    : finding;
}

/** The gravest verdict that something speaks for. */
function standing(requirement: Requirement, { observations, ...tallied }: Tally): RequirementResult {
  const findings = tallied.findings.get(requirement.address) ?? [];
  const exercised = tallied.exercised.get(requirement.address) ?? 0;
  const blocked = observations.filter((one) => one.blocked && concerns(requirement, one));
  const touched = requirement.address.endsWith('/http/status') ? 0 : exercised;
  const kinds = new Set(findings.map(({ kind }) => kind));
  const rest = { ...requirement, exercised, findings };
  if (kinds.has('violation')) return { ...rest, verdict: 'violation' };
  if (blocked[0] && touched === 0) return { ...rest, ...blockedStanding(requirement, blocked, blocked[0]) };
  if (kinds.has('deviation')) return { ...rest, verdict: 'deviation' };
  if (exercised > 0) return { ...rest, verdict: 'pass' };
  return { ...rest, verdict: 'not exercised', reason: reasonOf(requirement, observations) };
}

/** What a request that is to be refused came to says something of that rule alone. */
const concerns = ({ address }: Requirement, { documented, operation }: Observation) =>
  documented || needsRules.has(address.slice(operation.length + 1));

function blockedStanding(requirement: Requirement, blocked: Observation[], first: Observation) {
  const reason = first.blocked ?? '';
  const findings = blocked.map(
    (observation): Finding => ({
      kind: 'blocked',
      requirement: requirement.address,
      operation: requirement.operation,
      pointer: requirement.place,
      expected: 'an answer that can be judged',
      actual: observation.blocked ?? '',
      exchange: observation.exchange,
      repeat: atPlace(observation.repeat, 'http'),
    }),
  );
  return { verdict: 'blocked', reason, findings } as const;
}

function reasonOf({ operation, place }: Requirement, observations: Observation[]): string {
  if (observations.length === 0)
    return `nothing was asked of ${operation}: no identifiers are configured or found`;
  if (observations.every(({ status }) => status !== 200))
    return 'no request of this operation was answered with a success';
  if (place === 'request' && observations.some(({ status }) => status === undefined))
    return 'the request that would show it got no answer';
  return place === 'request'
    ? 'no request that would show it was made'
    : 'no answer held anything to judge it by';
}

/** An observation as it reads beside all others: refusals of everything say nothing of the contract. */
function concluded(observation: Observation, all: Observation[]): Observation {
  const peers = all.filter(({ operation }) => operation === observation.operation);
  if (isServerError(observation, peers)) return unanswered(observation);
  const refusal = refusalOf(observation, peers, all);
  if (refusal) return { ...observation, blocked: refusal, visits: {}, states: {}, findings: [] };
  return {
    ...observation,
    findings: observation.findings.map((finding) => attributeRejection(finding, observation, peers)),
  };
}

/** A target that answers what is documented, and nothing to what it should refuse: not the contract's matter. */
const isServerError = ({ documented, blocked }: Observation, peers: Observation[]) =>
  !documented && blocked !== undefined && peers.some((peer) => peer.documented && peer.status === 200);

const unanswered = ({ blocked: _, ...observation }: Observation): Observation => observation;

const isRefused = ({ status = 0 }: Observation) => status >= 400 && status < 500;
const unauthorized = [401, 403];
const overloaded = [429, 502, 503, 504];

/** Why an answer is a refusal of us rather than a breach of the contract, if it is. */
function refusalOf(observation: Observation, peers: Observation[], all: Observation[]): string | undefined {
  const { status, documented, configured } = observation;
  if (status === undefined || status === 200) return undefined;
  if (!documented && peers.some((peer) => peer.documented && peer.status === 200)) return undefined;
  const others = peers.filter((peer) => peer.documented && peer.status !== undefined);
  if (overloaded.includes(status))
    return `the target answered HTTP ${status}: it is overloaded, or out of order`;
  if (status === 407) return 'the proxy refused with HTTP 407: check the user and password of the proxy';
  if (unauthorized.includes(status) && others.every((peer) => unauthorized.includes(peer.status ?? 0)))
    return `the target refused with HTTP ${status}: check the credentials, API_HEADERS among them`;
  if (all.every((other) => other.status === undefined || other.status >= 500))
    return `the target answered everything with HTTP 5xx, here ${status}: it is out of order`;
  if (all.every((other) => other.status === undefined || isRefused(other)))
    return `the target refused everything, here with HTTP ${status}: check BASE_URL and the credentials`;
  const alike = others.filter((peer) => peer.configured);
  if (documented && configured && isRefused(observation) && alike.every(isRefused))
    return `the target answered HTTP ${status} for every configured identifier: does it know them?`;
  return undefined;
}

/** Names the parameter value that is refused wherever it is sent, if one explains the refusal. */
function attributeRejection(finding: Finding, observation: Observation, peers: Observation[]): Finding {
  if (!finding.requirement.endsWith('/http/status') || !isRefused(observation)) return finding;
  const accepted = peers.filter((peer) => peer.documented && peer.status === 200);
  const granted = new Set(accepted.flatMap(pairsOf));
  const candidates = (one: Observation) => pairsOf(one).filter((pair) => !granted.has(pair));
  // Of several, one that is refused without the others too.
  const rejectedAlone = peers.filter(isRefused).map(candidates).filter(isSingle).flat();
  const rejectedParameter = candidates(observation).find((pair) => rejectedAlone.includes(pair));
  if (accepted.length === 0 || !rejectedParameter) return finding;
  const name = rejectedParameter.slice(0, rejectedParameter.indexOf('='));
  const expected = `${finding.expected}, as other requests of this operation are answered`;
  return { ...finding, requirement: `${finding.operation}/parameters/${name}`, pointer: 'request', expected };
}

const isSingle = ({ length }: string[]) => length === 1;

const pairsOf = ({ parameters }: Observation) =>
  Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
