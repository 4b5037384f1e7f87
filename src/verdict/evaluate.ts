import { type Contract, isRelation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { formatAddress } from '../../schemas/contract/nodes.ts';
import {
  isDeclaredFieldsRule,
  listRequirements,
  type Requirement,
} from '../../schemas/contract/requirements.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { pickDefined } from '../../schemas/json.ts';
import { isOk } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Target } from '../client/target.ts';
import { adaptCurlOutput } from '../redact/curl.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { computeShare, type SweepResult, type SweptShare } from '../sweep/summary.ts';
import { createMismatchNote, selectEntriesInForce } from './ledger-use.ts';
import { resolveRejections } from './rejections.ts';
import type { RequirementResult, Results, RunResults } from './results.ts';
import { addCounts } from './totals.ts';

/** Selects the requirements that a run judges. Without `FAIL_ON=undeclared`, undeclared fields are allowed. */
export const selectRequirements = (
  contract: Pick<Contract, 'operations'>,
  { failOn }: Pick<Target, 'failOn'>,
): Requirement[] =>
  listRequirements(contract).filter(
    (requirement) => failOn.includes('undeclared') || !isDeclaredFieldsRule(requirement),
  );

/**
 * Gives each requirement a verdict by the observations of its operation, after `resolveRejections` has decided which error
 * responses are judged. Adds the share of broken records (`swept`) if a sweep judged the requirement.
 */
export function evaluate(
  contract: Pick<Contract, 'operations' | 'ledger'>,
  target: Pick<Target, 'name' | 'profile' | 'failOn'>,
  results: RunResults,
): Results {
  const observations = resolveRejections(results.observations);
  const entries = selectEntriesInForce(target, results.run?.startedAt ?? '', contract.ledger);
  const requirementResults = selectRequirements(contract, target).map((requirement) => {
    const { operation } = requirement;
    const operationObservations = observations.filter((observation) => observation.operation === operation);
    const result = evaluateRequirement(requirement, operationObservations, target.profile, entries);
    const sweep = results.sweeps?.find((candidate) => candidate.operation === operation);
    return addSweptShare(result, sweep, operationObservations, target.profile);
  });
  return { ...results, observations, requirementResults };
}

/**
 * Adds the share of swept records that break a requirement to its result. If a sweep has broken the requirement but no share can be
 * computed, adds `brokenOnlyNote` as reason, unless there is a reason already.
 */
function addSweptShare(
  result: RequirementResult,
  sweep: SweepResult | undefined,
  observations: Observation[],
  profile: Target['profile'],
): RequirementResult {
  const { address, verdict } = result;
  const sweptObservations = observations.filter(({ swept: isFromSweep }) => isFromSweep);
  const isExercised = sweptObservations.some(({ exercised }) => Object.hasOwn(exercised, address));
  const share = sweep && computeShare(sweep, address, isExercised);
  if (share) return { ...result, swept: includeRejectedLines(share, address, sweptObservations, profile) };
  const isBroken = verdict === 'violation' || verdict === 'deviation';
  const hasFinding = ({ findings }: Observation) =>
    findings.some((finding) => finding.requirement === address);
  return isBroken && sweptObservations.some(hasFinding) ? { reason: brokenOnlyNote, ...result } : result;
}

/**
 * Reason of a requirement that lookups at the end of a sweep break. Only lookups that break something are stored, so no rate is
 * known.
 */
export const brokenOnlyNote = 'only failed lookups are counted; this is not a rate over the whole list';

/**
 * Gives a requirement the first verdict that applies: `violation`, `blocked`, `deviation`, `pass`, `not exercised`. An unconfirmed
 * contradiction between responses prevents `pass`.
 * @param observations those of the operation of the requirement
 */
function evaluateRequirement(
  requirement: Requirement,
  observations: Observation[],
  profile: Target['profile'],
  entries: LedgerEntry[],
): RequirementResult {
  const { address } = requirement;
  const findings = observations
    .flatMap((observation) =>
      observation.findings.filter(({ requirement: findingRequirement }) => findingRequirement === address),
    )
    .map((finding) => ({ ...finding, kind: applyProfile(profile, finding.kind) }));
  const exercised = sumBy(observations, (observation) => observation.exercised[address]?.places);
  const requests = sumBy(observations, (observation) => observation.exercised[address]?.requests);
  const result = { ...requirement, exercised, requests, findings };
  const createVerdictResult = (verdict: 'violation' | 'deviation') =>
    findings.some(({ kind }) => kind === verdict)
      ? { ...result, verdict, affected: countAffected(observations, address, verdict, profile) }
      : undefined;
  const violationResult = createVerdictResult('violation');
  if (violationResult)
    return {
      ...violationResult,
      ...(isDeclaredFieldsRule(requirement)
        ? undeclaredFieldsNote
        : explainRejectedIdentifiers(requirement, observations)),
      ...createMismatchNote(requirement, entries),
    };
  const blockedResult = createBlockedResult(requirement, observations, exercised);
  if (blockedResult) return { ...result, ...blockedResult };
  const deviationResult = createVerdictResult('deviation');
  if (deviationResult) return deviationResult;
  const unconfirmedReason = explainUnconfirmed(observations, address);
  if (exercised > 0 && !unconfirmedReason) return { ...result, verdict: 'pass' };
  // An unconfirmed contradiction is no pass, even if other responses meet the requirement.
  const reason = unconfirmedReason || explainNotExercised(requirement, observations);
  return { ...result, verdict: 'not exercised', exercised: 0, requests: 0, reason };
}

const sumBy = <Element>(elements: Element[], count: (element: Element) => number | undefined): number =>
  elements.reduce((sum, element) => sum + (count(element) ?? 0), 0);

/** Returns the kind of a finding in a profile: `undeclared` becomes `violation`, and so does `deviation` in `documented`. */
function applyProfile<Kind extends string>(profile: Target['profile'], kind: Kind): Kind | 'violation' {
  if (kind === 'undeclared') return 'violation';
  return kind === 'deviation' && profile === 'documented' ? 'violation' : kind;
}

function countAffected(
  observations: Observation[],
  address: string,
  verdict: string,
  profile: Target['profile'],
): number {
  const counts = observations.flatMap(({ affected }) => Object.entries(affected[address] ?? {}));
  const countsOfVerdict = counts.filter(([kind]) => applyProfile(profile, kind) === verdict);
  return sumBy(countsOfVerdict, ([, count]) => count);
}

/**
 * Counts lines of a swept file instead of returned records, if more lines were judged: a rejection has an HTTP status but no
 * record.
 */
function includeRejectedLines(
  share: SweptShare,
  address: string,
  sweptObservations: Observation[],
  profile: Target['profile'],
): SweptShare {
  const fileObservations = sweptObservations.filter(({ configured, again }) => configured && !again);
  const judgedCount = sumBy(fileObservations, ({ exercised }) => exercised[address]?.requests);
  if (judgedCount <= share.judged) return share;
  return {
    ...share,
    judged: judgedCount,
    broken: countAffected(fileObservations, address, 'violation', profile),
  };
}

const undeclaredFieldsNote = {
  reason: 'the contract does not forbid other fields; FAIL_ON=undeclared does',
  cause: 'undeclared fields',
} as const;

/** Formats "contradictions of 2 responses were not confirmed: the record was not shown again". Empty if there are none. */
function explainUnconfirmed(observations: Observation[], address: string): string {
  const counts = observations.reduce<Counts>(
    (sum, observation) => addCounts(sum, observation.undecided?.[address]),
    {},
  );
  return Object.entries(counts)
    .map(
      ([reason, count]) =>
        `contradictions of ${formatCount(count, 'response')} were not confirmed: ${reason}`,
    )
    .join('; ');
}

/**
 * Returns whether a response can decide a requirement. If the contract promises no success, only a rule with `needs` is decided,
 * such as "`type=user` without `user_id` is rejected" (contract section 4.4).
 */
const isRelevant = (requirement: Requirement, { expectsSuccess }: Observation) =>
  expectsSuccess || (requirement.kind === 'rule' && 'needs' in requirement.rule.check);

/**
 * Creates the result of a blocked requirement, with a finding for each blocked request. Undefined if no request was blocked, or if
 * any place was judged; the HTTP status counts even then, because every response decides it.
 */
function createBlockedResult(requirement: Requirement, observations: Observation[], places: number) {
  // A configured identifier that does not have the documented form counts only if nothing else exercised the requirement.
  const isOnlyEvidence = ({ configured }: Observation) => configured && places === 0;
  const blockedObservations = observations.filter(
    (observation) =>
      observation.blocked && (isRelevant(requirement, observation) || isOnlyEvidence(observation)),
  );
  // A request that was not sent, because earlier ones failed, is shown only if none of the blocked requests was sent.
  const sentObservations = blockedObservations.filter(({ notSent }) => !notSent);
  const shownObservations = sentObservations.length > 0 ? sentObservations : blockedObservations;
  const [first] = shownObservations;
  if (!first || (requirement.kind !== 'status' && places > 0)) return undefined;
  return {
    verdict: 'blocked',
    reason: first.blocked ?? '',
    findings: shownObservations.map((observation) => createBlockedFinding(requirement, observation)),
    affected: sumBy(shownObservations, ({ requests }) => requests),
  } as const;
}

const createBlockedFinding = (
  { address, operation, place }: Requirement,
  observation: Observation,
): Finding => ({
  kind: 'blocked',
  requirement: address,
  operation,
  pointer: place,
  expected: 'a response that can be judged',
  actual: observation.blocked ?? '',
  exchange: observation.exchange,
  ...pickDefined(observation, ['id']),
  repeat: adaptCurlOutput(observation.repeat, 'http'),
  ...(observation.requests > 1 ? { requests: observation.requests } : {}),
});

function explainNotExercised(requirement: Requirement, observations: Observation[]): string {
  const { operation, place } = requirement;
  if (observations.length === 0)
    return `no request of ${operation} was sent or recorded whose response can be judged`;
  const unjudgedBodiesReason = explainUnjudgedBodies(operation, observations);
  if (unjudgedBodiesReason) return unjudgedBodiesReason;
  if (!observations.some(({ expectsSuccess, kind }) => expectsSuccess && kind === 'success'))
    return 'no response of this operation is a success';
  if (place === 'request') return 'no response decides whether the target meets it';
  // A rule between responses needs two responses with the same record.
  return requirement.kind === 'rule' && isRelation(requirement.rule.check)
    ? 'no two responses show the same record with values to compare'
    : 'no response contains what the requirement is about';
}

/**
 * Explains why no body of an operation is judged: the responses break a requirement that is judged before the body, such as
 * `getCard/http/status`. Undefined if a body is judged, or if no response breaks a requirement.
 */
function explainUnjudgedBodies(operation: string, observations: Observation[]): string | undefined {
  const responses = observations.filter((observation) => observation.expectsSuccess && observation.status);
  const isBodyJudged = ({ exercised }: Observation) => Object.hasOwn(exercised, formatAddress(operation, ''));
  const [first] = responses.flatMap(({ findings }) => findings);
  if (!first || responses.some(isBodyJudged)) return undefined;
  return `no body is judged, because responses break ${first.requirement}, here with ${first.actual}`;
}

const configurationAdvice =
  'the suite assumes that the target knows each configured identifier. If the target does not know one, correct the configuration: the contract does not say how to answer an unknown identifier';

/**
 * Explains a violation that may be a mistake in the configuration: all responses that violate the requirement reject an identifier
 * of a variable such as `CARD_IDS`. Undefined if any other response violates it.
 */
function explainRejectedIdentifiers(
  requirement: Requirement,
  observations: Observation[],
): { reason: string; cause: 'configured identifiers' } | undefined {
  const { address } = requirement;
  const isIdentifierParameter = requirement.kind === 'parameter' && requirement.parameter['x-identifiers'];
  const brokenObservations = observations.filter(({ findings }) =>
    findings.some((finding) => finding.requirement === address && finding.kind === 'violation'),
  );
  // A broken identifier parameter is a rejection by HTTP status. Elsewhere only a rejection in the body of a 2xx counts.
  const isRejection = ({ configured, kind, status = 0 }: Observation) =>
    configured && (isIdentifierParameter || (kind === 'rejection' && isOk(status)));
  if (brokenObservations.length === 0 || !brokenObservations.every(isRejection)) return undefined;
  // Responses to repeated requests (`again`) would count an identifier twice.
  const isFirstResponse = ({ configured, status, again }: Observation) =>
    configured && status !== undefined && !again;
  const formatIdentifierCount = (counted: Observation[]) =>
    formatNumber(sumBy(counted.filter(isFirstResponse), ({ requests }) => requests));
  const reason = `${formatIdentifierCount(brokenObservations)} of ${formatIdentifierCount(observations)} configured identifiers were rejected; ${configurationAdvice}`;
  return { reason, cause: 'configured identifiers' };
}
