import { type Contract, isRelation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { isOptional, type Requirement, requirementsOf } from '../../schemas/contract/requirements.ts';
import { counted, number } from '../../schemas/counted.ts';
import { pick } from '../../schemas/json.ts';
import { isOk } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Target } from '../client/target.ts';
import { atPlace } from '../redact/curl.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { type SweptShare, shareOf } from '../sweep/summary.ts';
import { entriesInForce, otherWay } from './ledger-use.ts';
import { resolveRejections } from './rejections.ts';
import type { Results, RunResults } from './results.ts';
import { sumOfCounts } from './totals.ts';
import type { Verdict } from './verdicts.ts';

/** A requirement with what a run says of it; `conformance.schema.json` says what each key is. */
export type RequirementResult = Requirement & {
  verdict: Verdict;
  exercised: number;
  requests: number;
  affected?: number;
  findings: Finding[];
  swept?: SweptShare;
  reason?: string;
  cause?: 'undeclared fields' | 'configured identifiers';
};

/** Requirements that a run judges; undeclared fields are one only where the configuration says so. */
export const requirementsFor = (
  contract: Pick<Contract, 'operations'>,
  { failOn }: Pick<Target, 'failOn'>,
): Requirement[] =>
  requirementsOf(contract).filter((one) => failOn.includes('undeclared') || !isOptional(one));

/** The results of a run with what they say of each requirement, and with what error responses mean beside the others. Pure. */
export function evaluate(
  contract: Pick<Contract, 'operations' | 'ledger'>,
  target: Pick<Target, 'name' | 'profile' | 'failOn'>,
  results: RunResults,
): Results {
  const observations = resolveRejections(results.observations);
  const entries = entriesInForce(target, results.run?.startedAt ?? '', contract.ledger);
  const requirementResults = requirementsFor(contract, target).map((requirement) => {
    const { operation, address } = requirement;
    const own = observations.filter((one) => one.operation === operation);
    const result = resultOf(requirement, own, target.profile, entries);
    const sweep = results.sweeps?.find((one) => one.operation === operation);
    const isExercised = own.some(({ swept, exercised }) => swept && Object.hasOwn(exercised, address));
    const share = sweep && shareOf(sweep, address, isExercised);
    if (share) return { ...result, swept: withRejected(share, address, own, target.profile) };
    const isFoundBy = ({ swept, findings }: Observation) =>
      swept && findings.some((one) => one.requirement === address);
    const isFound = /violation|deviation/.test(result.verdict) && own.some(isFoundBy);
    return isFound ? { reason: brokenOnly, ...result } : result;
  });
  return { ...results, observations, requirementResults };
}

/** What a reader has to know of figures to which a sweep adds what it has looked up, of each form of a record one. */
export const brokenOnly =
  'of what the sweep looked up, only what breaks this is counted: it is no share of the whole list';

/** The gravest verdict that the observations of an operation support. */
function resultOf(
  requirement: Requirement,
  observations: Observation[],
  profile: Target['profile'],
  entries: Entry[],
): RequirementResult {
  const { address } = requirement;
  const findings = observations
    .flatMap((one) => one.findings.filter(({ requirement: broken }) => broken === address))
    .map((finding) => ({ ...finding, kind: kindUnder(profile, finding.kind) }));
  const exercised = sumOf(observations, (one) => one.exercised[address]?.places);
  const requests = sumOf(observations, (one) => one.exercised[address]?.requests);
  const result = { ...requirement, exercised, requests, findings };
  const found = (verdict: 'violation' | 'deviation') =>
    findings.some(({ kind }) => kind === verdict)
      ? { ...result, verdict, affected: affectedBy(observations, address, verdict, profile) }
      : undefined;
  const violated = found('violation');
  if (violated)
    return {
      ...violated,
      ...(isOptional(requirement) ? ofUndeclaredFields : rejectedIdentifiers(requirement, observations)),
      ...otherWay(requirement, entries),
    };
  const blocked = blockedResult(requirement, observations, exercised);
  if (blocked) return { ...result, ...blocked };
  const deviating = found('deviation');
  if (deviating) return deviating;
  const unconfirmed = unconfirmedReason(observations, address);
  if (exercised > 0 && !unconfirmed) return { ...result, verdict: 'pass' };
  // What is left open is no pass, even where other responses meet the requirement.
  const reason = unconfirmed || unjudgedReason(requirement, observations);
  return { ...result, verdict: 'not exercised', exercised: 0, requests: 0, reason };
}

const sumOf = <One>(all: One[], count: (one: One) => number | undefined): number =>
  all.reduce((sum, one) => sum + (count(one) ?? 0), 0);

/** What a finding is under a profile: `documented` tolerates nothing. */
function kindUnder<Kind extends string>(profile: Target['profile'], kind: Kind): Kind | 'violation' {
  if (kind === 'undeclared') return 'violation';
  return kind === 'deviation' && profile === 'documented' ? 'violation' : kind;
}

/** In how many responses was found what is of a verdict under a profile. */
function affectedBy(
  observations: Observation[],
  address: string,
  verdict: string,
  profile: Target['profile'],
): number {
  const counts = observations.flatMap(({ affected }) => Object.entries(affected[address] ?? {}));
  const own = counts.filter(([kind]) => kindUnder(profile, kind) === verdict);
  return sumOf(own, ([, count]) => count);
}

/** More lines of a file may be judged by a requirement than show a record: by a status, by the code of a rejection. */
function withRejected(
  share: SweptShare,
  address: string,
  observations: Observation[],
  profile: Target['profile'],
): SweptShare {
  const ofFiles = observations.filter(({ swept, configured, again }) => swept && configured && !again);
  const judged = sumOf(ofFiles, ({ exercised }) => exercised[address]?.requests);
  if (judged <= share.judged) return share;
  return { ...share, judged, broken: affectedBy(ofFiles, address, 'violation', profile) };
}

const ofUndeclaredFields = {
  reason: 'the contract does not rule out fields that it does not name: FAIL_ON=undeclared does',
  cause: 'undeclared fields',
} as const;

/** In how many responses a rule was contradicted, neither confirmed nor settled, for each reason; empty where in none. */
function unconfirmedReason(observations: Observation[], address: string): string {
  const counts = observations.reduce<Counts>((sum, one) => sumOfCounts(sum, one.undecided?.[address]), {});
  return Object.entries(counts)
    .map(([reason, count]) => `contradictions of ${counted(count, 'response')} were not confirmed: ${reason}`)
    .join('; ');
}

/** The response to a request that must be rejected says something of that rule alone. */
const concerns = (requirement: Requirement, { expectsSuccess }: Observation) =>
  expectsSuccess || (requirement.kind === 'rule' && 'needs' in requirement.rule.check);

/** Undefined where something was judged, or nothing was blocked. A status is judged by each response. */
function blockedResult(requirement: Requirement, observations: Observation[], places: number) {
  // An identifier of another form, which may be rejected, says something where no other was looked up.
  const isAlone = ({ configured }: Observation) => configured && places === 0;
  const blocked = observations.filter((one) => one.blocked && (concerns(requirement, one) || isAlone(one)));
  const [first] = blocked;
  if (!first || (requirement.kind !== 'status' && places > 0)) return undefined;
  return {
    verdict: 'blocked',
    reason: first.blocked ?? '',
    findings: blocked.map((observation) => blockedFinding(requirement, observation)),
    affected: sumOf(blocked, ({ requests }) => requests),
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
  ...pick(observation, ['id']),
  repeat: atPlace(observation.repeat, 'http'),
  ...(observation.requests > 1 ? { requests: observation.requests } : {}),
});

/** Why there is nothing to judge a requirement by, though nothing was blocked. @param observations of its operation */
function unjudgedReason(requirement: Requirement, observations: Observation[]): string {
  const { operation, place } = requirement;
  if (observations.length === 0)
    return `no request of ${operation} was sent, or recorded, that can be judged`;
  if (!observations.some(({ expectsSuccess, kind }) => expectsSuccess && kind === 'success'))
    return 'no request of this operation was answered with a success';
  if (place === 'request') return 'no request that would show it was answered';
  // A rule between responses needs two that show the same record.
  return requirement.kind === 'rule' && isRelation(requirement.rule.check)
    ? 'no two responses held the same record with values to compare'
    : 'no response held anything to judge it by';
}

const advice =
  'the target is taken to have the record of each configured identifier: if one is malformed or unknown there, correct the configuration, since the contract does not say how such a request is answered';

/**
 * What a reader has to know of a requirement that is broken by nothing but the rejection of identifiers that were configured,
 * in HTTP's way or in a body: how many were rejected. Undefined where anything else breaks it.
 */
function rejectedIdentifiers(
  requirement: Requirement,
  observations: Observation[],
): { reason: string; cause: 'configured identifiers' } | undefined {
  const { address } = requirement;
  const isOfIdentifier = requirement.kind === 'parameter' && requirement.parameter['x-identifiers'];
  const broken = observations.filter(({ findings }) =>
    findings.some((one) => one.requirement === address && one.kind === 'violation'),
  );
  const isRejection = ({ configured, kind, status = 0 }: Observation) =>
    configured && (isOfIdentifier || (kind === 'rejection' && isOk(status)));
  if (broken.length === 0 || !broken.every(isRejection)) return undefined;
  const isAsked = ({ configured, status, again }: Observation) =>
    configured && status !== undefined && !again;
  const asked = sumOf(observations.filter(isAsked), ({ requests }) => requests);
  const count = sumOf(broken, ({ requests }) => requests);
  // What stands in every body may be due to the target as well.
  if (!isOfIdentifier && count === asked) return undefined;
  const reason = `${number(count)} of ${number(asked)} configured identifiers were rejected; ${advice}`;
  return { reason, cause: 'configured identifiers' };
}
