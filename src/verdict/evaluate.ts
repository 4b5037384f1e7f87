import { type Contract, isRelation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { formatAddress } from '../../schemas/contract/nodes.ts';
import {
  isDeclaredFieldsRule,
  listRequirements,
  type Requirement,
} from '../../schemas/contract/requirements.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { getLastStep, pickDefined } from '../../schemas/json.ts';
import { isOk } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Target } from '../client/target.ts';
import { adaptCurlOutput } from '../redact/curl.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { isRemainderFinding } from '../redact/redact.ts';
import { computeShare, type SweepResult, type SweptShare } from '../sweep/summary.ts';
import { createMismatchNote, selectEntriesInForce } from './ledger-use.ts';
import { resolveRejections } from './rejections.ts';
import type { RequirementResult, Results, RunResults } from './results.ts';
import { addCounts } from './totals.ts';

/** Selects the requirements that a run judges. Undeclared fields are forbidden only if `failOn` contains `undeclared`. */
export function selectRequirements(
  contract: Pick<Contract, 'operations'>,
  { failOn }: Pick<Target, 'failOn'>,
): Requirement[] {
  const requirements = listRequirements(contract);
  if (failOn.includes('undeclared')) return requirements;
  return requirements.filter((requirement) => !isDeclaredFieldsRule(requirement));
}

/**
 * Decides the verdict of each requirement.
 * @returns copy of `results` with `requirementResults`. In its `observations`, an observation of an unusable response has the
 *   reason in `blocked`.
 */
export function evaluate(
  contract: Pick<Contract, 'operations' | 'ledger'>,
  target: Pick<Target, 'name' | 'profile' | 'failOn'>,
  results: RunResults,
): Results {
  // Some error responses prove nothing, for example because the credentials are wrong. They are not judged.
  const observations = resolveRejections(results.observations);
  const ledgerEntries = selectEntriesInForce(target, results.run?.startedAt ?? '', contract.ledger);
  const requirementResults = selectRequirements(contract, target).map((requirement) => {
    const { operation } = requirement;
    const operationObservations = observations.filter((observation) => observation.operation === operation);
    const result = evaluateRequirement(requirement, operationObservations, target.profile, ledgerEntries);
    const explainedResult = explainStop(result, results);
    const sweep = results.sweeps?.find((candidate) => candidate.operation === operation);
    return addSweptShare(explainedResult, sweep, operationObservations, target.profile);
  });
  return { ...results, observations, requirementResults };
}

function explainStop(
  result: RequirementResult,
  { stopReason, operations: requestedOperations }: RunResults,
): RequirementResult {
  // The results of recorded traffic have no `operations`.
  const isRequested = requestedOperations?.includes(result.operation) ?? true;
  if (stopReason === undefined || isRequested || result.verdict !== 'not exercised') return result;
  return { ...result, reason: `not requested, because ${stopReason}` };
}

function addSweptShare(
  result: RequirementResult,
  sweep: SweepResult | undefined,
  observations: Observation[],
  profile: Target['profile'],
): RequirementResult {
  const { address, verdict } = result;
  const observationsOfSweep = observations.filter(({ swept: isFromSweep }) => isFromSweep);
  const wasExercisedBySweep = observationsOfSweep.some(({ exercised }) => Object.hasOwn(exercised, address));
  // A sweep counts only records with a violation, so it knows no share of records with a tolerated deviation.
  const mayHaveShare = sweep !== undefined && verdict !== 'deviation';
  const share = mayHaveShare ? computeShare(sweep, address, wasExercisedBySweep) : undefined;
  if (!share) return addSweepNote(result, observationsOfSweep);
  // The share stays as it is, unless a file of identifiers was swept.
  return { ...result, swept: countLinesInsteadOfRecords(share, address, observationsOfSweep, profile) };
}

function addSweepNote(result: RequirementResult, observationsOfSweep: Observation[]): RequirementResult {
  const { address, verdict, reason: earlierReason } = result;
  const isBroken = verdict === 'violation' || verdict === 'deviation';
  const findingsOfSweep = observationsOfSweep.flatMap(({ findings }) => findings);
  const wasFoundBySweep = findingsOfSweep.some(({ requirement }) => requirement === address);
  if (!isBroken || !wasFoundBySweep) return result;
  return { ...result, reason: earlierReason ? `${earlierReason}; ${sweepNote}` : sweepNote };
}

/**
 * Note on a violation or deviation that a sweep found, but for which no share of records is computed. For example, a wrong media
 * type is a violation in a page of the list, not in a record. Of the lookups that a sweep sends, only the failed ones are counted.
 */
export const sweepNote =
  'found by the sweep: this is no rate over the whole list, and a run that sends fewer requests may not see it';

export const isSweepNote = (reason = ''): boolean => reason.endsWith(sweepNote);

/**
 * Decides the verdict of a requirement. The first verdict that applies counts, in the order `violation`, `blocked`, `deviation`,
 * `pass`, `not exercised`.
 */
function evaluateRequirement(
  requirement: Requirement,
  observations: Observation[],
  profile: Target['profile'],
  entries: LedgerEntry[],
): RequirementResult {
  const { address } = requirement;
  const judgedPlaces = sumBy(observations, ({ exercised }) => exercised[address]?.places);
  const judgedRequests = sumBy(observations, ({ exercised }) => exercised[address]?.requests);
  const findings = selectFindings(observations, address, profile);
  const result = { ...requirement, exercised: judgedPlaces, requests: judgedRequests, findings };
  const hasFinding = (wantedKind: Finding['kind']) => findings.some(({ kind }) => kind === wantedKind);
  if (hasFinding('violation')) {
    const affected = countAffectedRequests(observations, address, 'violation', profile);
    const explanation = explainViolation(requirement, observations, profile, entries);
    return { ...result, verdict: 'violation', affected, ...explanation };
  }
  const blockedResult = createBlockedResult(requirement, observations, judgedPlaces);
  if (blockedResult) return { ...result, ...blockedResult };
  if (hasFinding('deviation')) {
    const affected = countAffectedRequests(observations, address, 'deviation', profile);
    return { ...result, verdict: 'deviation', affected };
  }
  // Two responses that may contradict each other are no pass, even if other responses meet the requirement.
  const unconfirmedReason = explainUnconfirmed(observations, address);
  const isMet = judgedPlaces > 0 && !unconfirmedReason;
  if (isMet) return { ...result, verdict: 'pass' };
  const reason = unconfirmedReason || explainNotExercised(requirement, observations);
  // If `unconfirmedReason` is set, places may have been judged. They do not count.
  return { ...result, verdict: 'not exercised', exercised: 0, requests: 0, reason };
}

function selectFindings(observations: Observation[], address: string, profile: Target['profile']): Finding[] {
  const allFindings = observations.flatMap(({ findings }) => findings);
  const findingsOfRequirement = allFindings.filter(({ requirement }) => requirement === address);
  return findingsOfRequirement.map((finding) => ({
    ...finding,
    kind: getEffectiveKind(finding.kind, profile),
    actual: finding.kind === 'undeclared' ? describeUndeclared(finding) : finding.actual,
  }));
}

function describeUndeclared(finding: Finding): string {
  const { pointer, actual: type } = finding;
  if (isRemainderFinding(finding)) return type;
  const name = getLastStep(pointer);
  // A name that no report may show is `(name withheld)` in the pointer.
  const isShown = /^[\w-]+$/.test(name);
  return isShown ? `the undeclared field \`${name}\`, ${type}` : `an undeclared field, ${type}`;
}

function explainViolation(
  requirement: Requirement,
  observations: Observation[],
  profile: Target['profile'],
  entries: LedgerEntry[],
): Pick<RequirementResult, 'reason' | 'cause'> {
  const reasonAndCause = isDeclaredFieldsRule(requirement)
    ? undeclaredFieldsNote
    : explainRejectedIdentifiers(requirement, observations, profile);
  // Has a `reason` if the ledger has an entry for this requirement. That reason replaces the other one.
  const ledgerNote = createMismatchNote(requirement, entries);
  return { ...reasonAndCause, ...ledgerNote };
}

const sumBy = <Element>(elements: Element[], count: (element: Element) => number | undefined): number =>
  elements.reduce((sum, element) => sum + (count(element) ?? 0), 0);

function getEffectiveKind<Kind extends string>(kind: Kind, profile: Target['profile']): Kind | 'violation' {
  // Only with `FAIL_ON=undeclared` is there a requirement with findings of this kind.
  if (kind === 'undeclared') return 'violation';
  if (kind === 'deviation' && profile === 'documented') return 'violation';
  return kind;
}

function countAffectedRequests(
  observations: Observation[],
  address: string,
  verdict: string,
  profile: Target['profile'],
): number {
  let requestCount = 0;
  for (const { affectedRequests } of observations)
    for (const [kind, count] of Object.entries(affectedRequests[address] ?? {}))
      if (getEffectiveKind(kind, profile) === verdict) requestCount += count;
  return requestCount;
}

function countLinesInsteadOfRecords(
  share: SweptShare,
  address: string,
  observationsOfSweep: Observation[],
  profile: Target['profile'],
): SweptShare {
  // In a sweep, each `configured` identifier is a line of a file. `again` marks a second request for the same line.
  // A line with HTTP 404 has no record, but its request is judged.
  const lineObservations = observationsOfSweep.filter(({ configured, again }) => configured && !again);
  const judgedLines = sumBy(lineObservations, ({ exercised }) => exercised[address]?.requests);
  const { judged: judgedRecords } = share;
  const hasLinesWithoutRecord = judgedLines > judgedRecords;
  if (!hasLinesWithoutRecord) return share;
  const brokenLines = countAffectedRequests(lineObservations, address, 'violation', profile);
  return { ...share, judged: judgedLines, broken: brokenLines };
}

const undeclaredFieldsNote = {
  reason: 'the contract does not forbid other fields; FAIL_ON=undeclared does',
  cause: 'undeclared fields',
} as const;

function explainUnconfirmed(observations: Observation[], address: string): string {
  const unconfirmedCounts = observations.map(({ undecided }) => undecided?.[address]);
  const countByReason = unconfirmedCounts.reduce<Counts>(addCounts, {});
  const sentences = Object.entries(countByReason).map(
    ([reason, count]) => `${formatCount(count, 'contradiction')} between responses, not confirmed: ${reason}`,
  );
  return sentences.join('; ');
}

function needsResponse(requirement: Requirement, { expectsSuccess }: Observation): boolean {
  if (expectsSuccess) return true;
  // A rule about requests that must fail: "`type=user` without `user_id` is rejected" (contract section 4.4).
  return requirement.kind === 'rule' && 'needs' in requirement.rule.check;
}

/**
 * Creates the result `blocked` if an unusable response prevents the verdict on a requirement. A requirement with a judged value is
 * not blocked. Only the requirement of the HTTP status may be blocked in spite of judged values, because the requirement is about
 * every response.
 * @param judgedPlaces number of values that were judged for the requirement
 * @returns undefined if the requirement is not blocked
 */
function createBlockedResult(
  requirement: Requirement,
  observations: Observation[],
  judgedPlaces: number,
): Pick<RequirementResult, 'verdict' | 'reason' | 'findings' | 'affected'> | undefined {
  const isJudged = judgedPlaces > 0;
  const isAboutEveryResponse = requirement.kind === 'status';
  if (isJudged && !isAboutEveryResponse) return undefined;
  const isObstacle = (observation: Observation) => {
    if (!observation.blocked) return false;
    if (needsResponse(requirement, observation)) return true;
    // A lookup of a malformed identifier, such as one that is no UUID, cannot decide. But it explains why nothing was judged.
    return observation.configured && !isJudged;
  };
  // Requests that were not sent are shown only if no request was sent.
  const shownObservations = selectSentOrAll(observations.filter(isObstacle));
  const [first] = shownObservations;
  if (!first) return undefined;
  return {
    verdict: 'blocked',
    reason: first.blocked ?? '',
    findings: shownObservations.map((observation) => createBlockedFinding(requirement, observation)),
    affected: sumBy(shownObservations, ({ requests }) => requests),
  };
}

function selectSentOrAll(observations: Observation[]): Observation[] {
  const sentObservations = observations.filter(({ notSent }) => !notSent);
  return sentObservations.length > 0 ? sentObservations : observations;
}

const createBlockedFinding = (
  { address, operation, pointer }: Requirement,
  { curlCommand, ...observation }: Observation,
): Finding => ({
  kind: 'blocked',
  requirement: address,
  operation,
  pointer,
  expected: 'a response that can be judged',
  actual: observation.blocked ?? '',
  exchange: observation.requestText,
  ...pickDefined(observation, ['id']),
  // With `http`, the command also prints the HTTP status.
  repeat: adaptCurlOutput(curlCommand, 'http'),
  ...(observation.requests > 1 ? { requests: observation.requests } : {}),
});

function explainNotExercised(requirement: Requirement, observations: Observation[]): string {
  const { operation, pointer } = requirement;
  if (observations.length === 0)
    return `no request of ${operation} was sent or recorded whose response can be judged`;
  const unjudgedBodiesReason = explainUnjudgedBodies(operation, observations);
  if (unjudgedBodiesReason) return unjudgedBodiesReason;
  const hasSuccess = observations.some(({ expectsSuccess, kind }) => expectsSuccess && kind === 'success');
  if (!hasSuccess) return 'no response of this operation is a success';
  // Such a requirement is about the requests that the target accepts or rejects.
  if (pointer === 'request') return 'no response decides whether the target meets it';
  return comparesLookups(requirement)
    ? 'no lookup shows a record that an earlier response shows, with values to compare'
    : 'no response contains what the requirement is about';
}

function comparesLookups(requirement: Requirement): boolean {
  if (requirement.kind !== 'rule') return false;
  const { check } = requirement.rule;
  return isRelation(check) && !('unique' in check);
}

function explainUnjudgedBodies(operation: string, observations: Observation[]): string | undefined {
  const responses = observations.filter((observation) => observation.expectsSuccess && observation.status);
  const bodyAddress = formatAddress(operation, '');
  const isBodyJudged = responses.some(({ exercised }) => Object.hasOwn(exercised, bodyAddress));
  // If no body is judged, each finding is about what prevented it, such as a wrong HTTP status or media type.
  const [firstFinding] = responses.flatMap(({ findings }) => findings);
  if (!firstFinding || isBodyJudged) return undefined;
  return `no body is judged, because responses break ${firstFinding.requirement}, here with ${firstFinding.actual}`;
}

const configurationAdvice =
  'the suite assumes that the target knows each configured identifier. If the target does not know one, correct the configuration: the contract does not say how to answer an unknown identifier';

function explainRejectedIdentifiers(
  requirement: Requirement,
  observations: Observation[],
  profile: Target['profile'],
): { reason: string; cause: 'configured identifiers' } | undefined {
  const isViolation = (finding: Finding) =>
    finding.requirement === requirement.address && getEffectiveKind(finding.kind, profile) === 'violation';
  const violatingObservations = observations.filter(({ findings }) => findings.some(isViolation));
  const isEachExplained = violatingObservations.every((observation) =>
    mayRejectUnknownIdentifier(observation, requirement),
  );
  if (violatingObservations.length === 0 || !isEachExplained) return undefined;
  const rejectedCount = countConfiguredIdentifiers(violatingObservations);
  const identifierCount = countConfiguredIdentifiers(observations);
  return {
    reason: `${formatNumber(rejectedCount)} of ${formatNumber(identifierCount)} configured identifiers were rejected; ${configurationAdvice}`,
    cause: 'configured identifiers',
  };
}

function mayRejectUnknownIdentifier(
  { configured, kind, status = 0 }: Observation,
  requirement: Requirement,
): boolean {
  if (!configured) return false;
  // HTTP 404 to a lookup of an unknown identifier violates the requirement of its parameter.
  const isAboutIdentifier =
    requirement.kind === 'parameter' && Boolean(requirement.parameter['x-identifiers']);
  // HTTP 200 with an error in the body may violate any requirement (contract section 7).
  const isRejectedInBody = kind === 'rejection' && isOk(status);
  return isAboutIdentifier || isRejectedInBody;
}

function countConfiguredIdentifiers(observations: Observation[]): number {
  const firstResponses = observations.filter(
    ({ configured, status, again }) => configured && status !== undefined && !again,
  );
  // An observation may be the sum of several requests, each with another identifier.
  return sumBy(firstResponses, ({ requests }) => requests);
}
