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

/** Adds the share of swept records that violate the requirement, or a note if this share is unknown. */
function addSweptShare(
  result: RequirementResult,
  sweep: SweepResult | undefined,
  observations: Observation[],
  profile: Target['profile'],
): RequirementResult {
  const { address } = result;
  const sweptObservations = observations.filter(({ swept: isFromSweep }) => isFromSweep);
  const isExercised = sweptObservations.some(({ exercised }) => Object.hasOwn(exercised, address));
  const share = sweep && computeShare(sweep, address, isExercised);
  if (!share) return addFailedLookupsNote(result, sweptObservations);
  return { ...result, swept: countLinesInsteadOfRecords(share, address, sweptObservations, profile) };
}

/** Sets the reason of a violation or deviation that a sweep found to `failedLookupsNote`, unless there is a reason already. */
function addFailedLookupsNote(
  result: RequirementResult,
  sweptObservations: Observation[],
): RequirementResult {
  const { address, verdict, reason = failedLookupsNote } = result;
  const isBroken = verdict === 'violation' || verdict === 'deviation';
  const sweptFindings = sweptObservations.flatMap(({ findings }) => findings);
  const hasSweptFinding = sweptFindings.some(({ requirement }) => requirement === address);
  return isBroken && hasSweptFinding ? { ...result, reason } : result;
}

/** Note on a violation in a lookup of one record at the end of a sweep. Only failed lookups are stored: their share is unknown. */
export const failedLookupsNote = 'only failed lookups are counted; this is not a rate over the whole list';

/** Gives a requirement the first verdict that applies: `violation`, `blocked`, `deviation`, `pass`, `not exercised`. */
function evaluateRequirement(
  requirement: Requirement,
  observations: Observation[],
  profile: Target['profile'],
  entries: LedgerEntry[],
): RequirementResult {
  const { address } = requirement;
  const exercised = sumBy(observations, (observation) => observation.exercised[address]?.places);
  const requests = sumBy(observations, (observation) => observation.exercised[address]?.requests);
  const findings = selectFindings(observations, address, profile);
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

function selectFindings(observations: Observation[], address: string, profile: Target['profile']): Finding[] {
  const allFindings = observations.flatMap(({ findings }) => findings);
  const findingsOfRequirement = allFindings.filter(({ requirement }) => requirement === address);
  return findingsOfRequirement.map((finding) => ({
    ...finding,
    kind: getEffectiveKind(finding.kind, profile),
  }));
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

/** Returns `violation` for `undeclared` (used with `FAIL_ON=undeclared`), and in the profile `documented` also for `deviation`. */
function getEffectiveKind<Kind extends string>(kind: Kind, profile: Target['profile']): Kind | 'violation' {
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
  const countsOfVerdict = countsByKind.filter(([kind]) => getEffectiveKind(kind, profile) === verdict);
  return sumBy(countsOfVerdict, ([, count]) => count);
}

/**
 * Bases a share on the lines of a file of identifiers (`CARD_IDS=@cards.txt`) if more lines than returned records were judged. An
 * identifier that the target rejects returns no record, but the HTTP status of its line is judged.
 */
function countLinesInsteadOfRecords(
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

/** Explains contradictions between responses about a record: "contradictions of 2 responses were not confirmed: …"; or ''. */
function explainUnconfirmed(observations: Observation[], address: string): string {
  const unconfirmedCounts = observations.map(({ undecided }) => undecided?.[address]);
  const countByReason = unconfirmedCounts.reduce<Counts>(addCounts, {});
  const sentences = Object.entries(countByReason).map(
    ([reason, count]) => `contradictions of ${formatCount(count, 'response')} were not confirmed: ${reason}`,
  );
  return sentences.join('; ');
}

/**
 * Returns whether a response can show that a requirement is met or violated. A response to a request without a promised success
 * can show this only for a rule with `needs`: "`type=user` without `user_id` is rejected" (contract section 4.4).
 */
const canDecide = (requirement: Requirement, { expectsSuccess }: Observation) =>
  expectsSuccess || (requirement.kind === 'rule' && 'needs' in requirement.rule.check);

/**
 * Creates the result `blocked` for a requirement that was judged at no place because requests were blocked; otherwise undefined. A
 * requirement of the HTTP status is about every response, so that one blocked request is enough.
 */
function createBlockedResult(requirement: Requirement, observations: Observation[], places: number) {
  const isJudged = places > 0;
  const isAboutEveryResponse = requirement.kind === 'status';
  if (isJudged && !isAboutEveryResponse) return undefined;
  const blockedObservations = observations.filter(({ blocked }) => blocked);
  const relevantObservations = blockedObservations.filter(
    // A configured identifier that does not have the documented form counts only if nothing else exercised the requirement.
    (observation) => canDecide(requirement, observation) || (observation.configured && !isJudged),
  );
  const shownObservations = selectSent(relevantObservations);
  const [first] = shownObservations;
  if (!first) return undefined;
  return {
    verdict: 'blocked',
    reason: first.blocked ?? '',
    findings: shownObservations.map((observation) => createBlockedFinding(requirement, observation)),
    affected: sumBy(shownObservations, ({ requests }) => requests),
  } as const;
}

/** Selects the requests that were sent. Returns all if none was sent, because earlier requests had failed. */
function selectSent(observations: Observation[]): Observation[] {
  const sentObservations = observations.filter(({ notSent }) => !notSent);
  return sentObservations.length > 0 ? sentObservations : observations;
}

const createBlockedFinding = (
  { address, operation, pointer }: Requirement,
  { repeat: curlCommand, ...observation }: Observation,
): Finding => ({
  kind: 'blocked',
  requirement: address,
  operation,
  pointer,
  expected: 'a response that can be judged',
  actual: observation.blocked ?? '',
  exchange: observation.exchange,
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
  const bodyAddress = formatAddress(operation, '');
  const isBodyJudged = responses.some(({ exercised }) => Object.hasOwn(exercised, bodyAddress));
  const [firstFinding] = responses.flatMap(({ findings }) => findings);
  if (!firstFinding || isBodyJudged) return undefined;
  return `no body is judged, because responses break ${firstFinding.requirement}, here with ${firstFinding.actual}`;
}

const configurationAdvice =
  'the suite assumes that the target knows each configured identifier. If the target does not know one, correct the configuration: the contract does not say how to answer an unknown identifier';

/** Explains a violation by the configuration: each violating response rejects a configured identifier, such as one of `CARD_IDS`. */
function explainRejectedIdentifiers(
  requirement: Requirement,
  observations: Observation[],
): { reason: string; cause: 'configured identifiers' } | undefined {
  const isIdentifierParameter = requirement.kind === 'parameter' && requirement.parameter['x-identifiers'];
  const isViolation = (finding: Finding) =>
    finding.requirement === requirement.address && finding.kind === 'violation';
  const violatingObservations = observations.filter(({ findings }) => findings.some(isViolation));
  // A wrong identifier shows as HTTP 404, which violates the requirement of the parameter, or as a rejection in the body of a 2xx
  // response, which may violate any requirement.
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
