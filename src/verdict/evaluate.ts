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

/** Selects the requirements that a run judges. Undeclared fields are judged only if `FAIL_ON` contains `undeclared`. */
export const selectRequirements = (
  contract: Pick<Contract, 'operations'>,
  { failOn }: Pick<Target, 'failOn'>,
): Requirement[] =>
  listRequirements(contract).filter(
    (requirement) => failOn.includes('undeclared') || !isDeclaredFieldsRule(requirement),
  );

/**
 * Decides the verdict of each requirement from the observations of its operation, after `resolveRejections` has decided which error
 * responses are judged. If a sweep judged the requirement, adds the share of records that violate it.
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
 * Adds the share of swept records that violate the requirement. If the share is unknown, a violation or deviation with a finding of
 * the sweep gets `failedLookupsNote`.
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
  const sweptFindings = sweptObservations.flatMap(({ findings }) => findings);
  const hasSweptFinding = sweptFindings.some(({ requirement }) => requirement === address);
  return isBroken && hasSweptFinding ? { reason: failedLookupsNote, ...result } : result;
}

/** Note on a violation in the lookups at the end of a sweep. Only failed lookups are stored, so their share is unknown. */
export const failedLookupsNote = 'only failed lookups are counted; this is not a rate over the whole list';

/**
 * Gives a requirement the first verdict that applies: `violation`, `blocked`, `deviation`, `pass`, `not exercised`.
 * @param observations observations of the operation of the requirement
 */
function evaluateRequirement(
  requirement: Requirement,
  observations: Observation[],
  profile: Target['profile'],
  entries: LedgerEntry[],
): RequirementResult {
  const { address } = requirement;
  const exercised = sumBy(observations, (observation) => observation.exercised[address]?.places);
  const requests = sumBy(observations, (observation) => observation.exercised[address]?.requests);
  const findings = selectFindingsOfRequirement(observations, address, profile);
  const result = { ...requirement, exercised, requests, findings };
  const isViolated = findings.some(({ kind }) => kind === 'violation');
  if (isViolated) {
    const affected = countAffectedRequests(observations, address, 'violation', profile);
    const explanation = explainViolation(requirement, observations, entries);
    return { ...result, verdict: 'violation', affected, ...explanation };
  }
  const blockedResult = createBlockedResult(requirement, observations, exercised);
  if (blockedResult) return { ...result, ...blockedResult };
  const isDeviated = findings.some(({ kind }) => kind === 'deviation');
  if (isDeviated) {
    const affected = countAffectedRequests(observations, address, 'deviation', profile);
    return { ...result, verdict: 'deviation', affected };
  }
  // An unconfirmed contradiction is no pass, even if other responses meet the requirement.
  const unconfirmedReason = explainUnconfirmed(observations, address);
  if (exercised > 0 && !unconfirmedReason) return { ...result, verdict: 'pass' };
  const reason = unconfirmedReason || explainNotExercised(requirement, observations);
  return { ...result, verdict: 'not exercised', exercised: 0, requests: 0, reason };
}

/** Selects the findings of a requirement, with the kinds that they have in a profile. */
function selectFindingsOfRequirement(
  observations: Observation[],
  address: string,
  profile: Target['profile'],
): Finding[] {
  const allFindings = observations.flatMap((observation) => observation.findings);
  const ownFindings = allFindings.filter((finding) => finding.requirement === address);
  return ownFindings.map((finding) => ({ ...finding, kind: applyProfile(profile, finding.kind) }));
}

function explainViolation(
  requirement: Requirement,
  observations: Observation[],
  entries: LedgerEntry[],
): Pick<RequirementResult, 'reason' | 'cause'> {
  const causeNote = isDeclaredFieldsRule(requirement)
    ? undeclaredFieldsNote
    : explainRejectedIdentifiers(requirement, observations);
  // A reason about a ledger entry replaces the reason of the cause.
  return { ...causeNote, ...createMismatchNote(requirement, entries) };
}

const sumBy = <Element>(elements: Element[], count: (element: Element) => number | undefined): number =>
  elements.reduce((sum, element) => sum + (count(element) ?? 0), 0);

/** Returns the kind of a finding in a profile: `undeclared` is a violation, and in the profile `documented` so is `deviation`. */
function applyProfile<Kind extends string>(profile: Target['profile'], kind: Kind): Kind | 'violation' {
  if (kind === 'undeclared') return 'violation';
  return kind === 'deviation' && profile === 'documented' ? 'violation' : kind;
}

function countAffectedRequests(
  observations: Observation[],
  address: string,
  verdict: string,
  profile: Target['profile'],
): number {
  const countsByKind = observations.flatMap(({ affected }) => Object.entries(affected[address] ?? {}));
  const countsOfVerdict = countsByKind.filter(([kind]) => applyProfile(profile, kind) === verdict);
  return sumBy(countsOfVerdict, ([, count]) => count);
}

/**
 * Replaces the share of returned records by the share of lines if the sweep of a file of identifiers judged more lines than
 * records: a rejected identifier returns no record, but its HTTP status is judged.
 */
function includeRejectedLines(
  share: SweptShare,
  address: string,
  sweptObservations: Observation[],
  profile: Target['profile'],
): SweptShare {
  // A configured identifier of a sweep is a line of a file. `again` marks a repeated lookup of the same line.
  const lineObservations = sweptObservations.filter(({ configured, again }) => configured && !again);
  const judgedLines = sumBy(lineObservations, ({ exercised }) => exercised[address]?.requests);
  if (judgedLines <= share.judged) return share;
  const brokenLines = countAffectedRequests(lineObservations, address, 'violation', profile);
  return { ...share, judged: judgedLines, broken: brokenLines };
}

const undeclaredFieldsNote = {
  reason: 'the contract does not forbid other fields; FAIL_ON=undeclared does',
  cause: 'undeclared fields',
} as const;

/** Formats "contradictions of 2 responses were not confirmed: the record was not shown again". Empty without contradictions. */
function explainUnconfirmed(observations: Observation[], address: string): string {
  const countsPerObservation = observations.map(({ undecided }) => undecided?.[address]);
  const countByReason = countsPerObservation.reduce<Counts>(addCounts, {});
  const sentences = Object.entries(countByReason).map(
    ([reason, count]) => `contradictions of ${formatCount(count, 'response')} were not confirmed: ${reason}`,
  );
  return sentences.join('; ');
}

/**
 * Returns whether a response can show that a requirement is met or violated. If the contract promises no success for the request,
 * that holds only for a rule with `needs`, such as "`type=user` without `user_id` is rejected" (contract section 4.4).
 */
const canDecide = (requirement: Requirement, { expectsSuccess }: Observation) =>
  expectsSuccess || (requirement.kind === 'rule' && 'needs' in requirement.rule.check);

/**
 * Creates the result `blocked` for a requirement that was not judged, because requests were blocked; undefined if none was. A
 * requirement of the HTTP status is blocked even if other responses were judged, because every response should decide it.
 * @param places number of places at which the requirement was judged
 */
function createBlockedResult(requirement: Requirement, observations: Observation[], places: number) {
  const isJudged = places > 0;
  if (isJudged && requirement.kind !== 'status') return undefined;
  const blockedObservations = observations.filter(({ blocked }) => blocked);
  const relevantObservations = blockedObservations.filter(
    // A configured identifier that does not have the documented form counts only if nothing else exercised the requirement.
    (observation) => canDecide(requirement, observation) || (observation.configured && !isJudged),
  );
  // A request that was not sent, because earlier ones failed, is shown only if none of the blocked requests was sent.
  const sentObservations = relevantObservations.filter(({ notSent }) => !notSent);
  const shownObservations = sentObservations.length > 0 ? sentObservations : relevantObservations;
  const [first] = shownObservations;
  if (!first) return undefined;
  return {
    verdict: 'blocked',
    reason: first.blocked ?? '',
    findings: shownObservations.map((observation) => createBlockedFinding(requirement, observation)),
    affected: sumBy(shownObservations, ({ requests }) => requests),
  } as const;
}

const createBlockedFinding = (
  { address, operation, pointer }: Requirement,
  observation: Observation,
): Finding => ({
  kind: 'blocked',
  requirement: address,
  operation,
  pointer,
  expected: 'a response that can be judged',
  actual: observation.blocked ?? '',
  exchange: observation.exchange,
  ...pickDefined(observation, ['id']),
  repeat: adaptCurlOutput(observation.repeat, 'http'),
  ...(observation.requests > 1 ? { requests: observation.requests } : {}),
});

function explainNotExercised(requirement: Requirement, observations: Observation[]): string {
  const { operation, pointer } = requirement;
  if (observations.length === 0)
    return `no request of ${operation} was sent or recorded whose response can be judged`;
  const unjudgedBodiesReason = explainUnjudgedBodies(operation, observations);
  if (unjudgedBodiesReason) return unjudgedBodiesReason;
  if (!observations.some(({ expectsSuccess, kind }) => expectsSuccess && kind === 'success'))
    return 'no response of this operation is a success';
  if (pointer === 'request') return 'no response decides whether the target meets it';
  return requirement.kind === 'rule' && isRelation(requirement.rule.check)
    ? 'no two responses show the same record with values to compare'
    : 'no response contains what the requirement is about';
}

/**
 * Explains why no body of an operation was judged: the responses violate a requirement that is judged before the body, such as
 * `getCard/http/status`. Undefined if a body was judged, or if no response has a finding.
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
 * Explains a violation that may be a mistake in the configuration: each response with the violation rejects a configured
 * identifier, such as one of `CARD_IDS`. Otherwise undefined.
 */
function explainRejectedIdentifiers(
  requirement: Requirement,
  observations: Observation[],
): { reason: string; cause: 'configured identifiers' } | undefined {
  const isIdentifierParameter = requirement.kind === 'parameter' && requirement.parameter['x-identifiers'];
  const isViolation = (finding: Finding) =>
    finding.requirement === requirement.address && finding.kind === 'violation';
  const violatingObservations = observations.filter(({ findings }) => findings.some(isViolation));
  // A rejection with an HTTP status such as 404 violates the requirement of the parameter. For other requirements, only a
  // rejection in the body of a 2xx response counts.
  const rejectsIdentifier = ({ configured, kind, status = 0 }: Observation) =>
    configured && (isIdentifierParameter || (kind === 'rejection' && isOk(status)));
  if (violatingObservations.length === 0 || !violatingObservations.every(rejectsIdentifier)) return undefined;
  const rejectedCount = countConfiguredIdentifiers(violatingObservations);
  const identifierCount = countConfiguredIdentifiers(observations);
  return {
    reason: `${formatNumber(rejectedCount)} of ${formatNumber(identifierCount)} configured identifiers were rejected; ${configurationAdvice}`,
    cause: 'configured identifiers',
  };
}

/** Counts the configured identifiers that got a response, each once, even if its request was repeated. */
function countConfiguredIdentifiers(observations: Observation[]): number {
  const firstResponses = observations.filter(
    ({ configured, status, again }) => configured && status !== undefined && !again,
  );
  // An observation of `Totals` stands for several requests, each with another identifier.
  return sumBy(firstResponses, ({ requests }) => requests);
}
