import { formatParameterAddress, getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { explainInconclusive, isClientFault, isOk, isServerFault } from '../../schemas/judge/classify.ts';
import { formatUnauthorizedReason } from '../client/reasons.ts';
import type { Finding, Observation } from '../redact/observation.ts';

/**
 * Interprets each error response by comparison with other responses of the run, because the contract does not say how errors look
 * (contract section 7). Compares with responses of the same operation and with the API checks at the start of the run; in a
 * recording, which has no API checks, with all responses.
 *
 * - A response that proves nothing, for example if the target rejected every request, becomes `blocked` without a judgement.
 * - The findings of a response that rejects the value of one parameter move to the requirement of that parameter.
 * - `blocked` is removed for a missing response to a request without promised success, if another request of the operation
 * succeeded.
 * - Any other observation stays as it is.
 */
export function resolveRejections(observations: Observation[]): Observation[] {
  const checks = observations.filter(({ isApiCheck }) => isApiCheck);
  return observations.map((observation) => {
    const isPeer = ({ operation }: Observation) => operation === observation.operation;
    const peers = observations.filter(isPeer);
    if (isUnanswered(observation, peers)) return removeBlocked(observation);
    const comparedObservations =
      checks.length > 0 ? [...peers, ...checks.filter((check) => !isPeer(check))] : observations;
    const blocked = explainByOtherResponses(observation, peers, comparedObservations);
    if (blocked) return { ...observation, blocked, exercised: {}, covered: {}, findings: [], affected: {} };
    // A rejection in the body of a 2xx is judged as that body.
    const isRejectedByStatus = isRejection(observation) && !isOk(Number(observation.status));
    const parameter = isRejectedByStatus ? findRejectedParameter(observation, peers) : undefined;
    return parameter ? attributeRejection(observation, parameter) : observation;
  });
}

const isDocumentedSuccess = ({ expectsSuccess, kind }: Observation) => expectsSuccess && kind === 'success';
const isUnauthorized = ({ kind }: Observation) => kind === 'unauthorized';
/** True for an HTTP status such as 404 and for an error code in the body such as `40401`. */
const isRejection = ({ kind = 'other' }: Observation) => isClientFault(kind);
/** Returns whether a condition holds for every response; true if there is none. */
const isEveryResponse = (observations: Observation[], condition: (observation: Observation) => boolean) =>
  observations.every((observation) => observation.status === undefined || condition(observation));

const isUnanswered = ({ expectsSuccess, status }: Observation, peers: Observation[]): boolean =>
  !expectsSuccess && status === undefined && peers.some(isDocumentedSuccess);

const removeBlocked = ({ blocked: _, ...observation }: Observation): Observation => observation;

/**
 * Explains why a response proves nothing about the target, for example because the credentials are wrong. Undefined if the response
 * can be judged, or is missing. An error code in the body of a 2xx counts like an HTTP 4xx or 5xx, because the contract leaves the
 * form of errors open (section 7).
 * @param peers observations of the same operation, including this one
 * @param comparedObservations peers, and responses of other operations that show whether the target works
 */
function explainByOtherResponses(
  observation: Observation,
  peers: Observation[],
  comparedObservations: Observation[],
): string | undefined {
  const { status, blocked, contentType = 'no Content-Type', kind = 'other' } = observation;
  if (status === undefined) return undefined;
  // A response with a part of the promised envelope (contract section 2.1) comes from this API.
  const isApiReached = comparedObservations.some(
    ({ status: otherStatus, lacksEnvelope }) => otherStatus !== undefined && !lacksEnvelope,
  );
  // HTTP 401 and 403 explain themselves, whatever page the body holds.
  const isExplained = isApiReached || blocked || isUnauthorized(observation);
  const otherApiReason =
    !isExplained &&
    `no response looks like the API, here HTTP ${status} with ${contentType}: is this the API, are the credentials right? Check BASE_URL and API_HEADERS or AUTH_MODULE`;
  const answer = isOk(status) ? `HTTP ${status} and an error in the body` : `HTTP ${status}`;
  const expectedSuccesses = peers.filter((peer) => peer.expectsSuccess);
  const isConfiguredRejected = observation.configured && isRejection(observation);
  const configuredLookups = peers.filter((peer) => peer.configured);
  // The first reason that applies is returned; the others are false or undefined.
  const reasons = [
    blocked ?? explainInconclusive(kind, answer),
    isEveryResponse(comparedObservations, (response) => isServerFault(response.kind ?? 'other')) &&
      `every response is a server error, here ${answer}: the target is down, or fails`,
    otherApiReason,
    isUnauthorized(observation) &&
      isEveryResponse(expectedSuccesses, isUnauthorized) &&
      explainDenied(status, answer),
    isEveryResponse(comparedObservations, isRejection) &&
      `the target rejected every request, here with ${answer}: check BASE_URL and the credentials`,
    isConfiguredRejected &&
      isEveryResponse(configuredLookups, isRejection) &&
      `every configured identifier was rejected with ${answer}: the target may not know them`,
  ];
  return reasons.find(Boolean) || undefined;
}

/** Explains that the target denied access. Only HTTP 401 is surely about the credentials: HTTP 403 may come from a gateway. */
const explainDenied = (status: number, answer: string): string =>
  status === 401
    ? formatUnauthorizedReason(answer)
    : `access is denied with ${answer}: check the credentials (API_HEADERS, TOKEN_URL or AUTH_MODULE), their rights, and any gateway in between`;

/**
 * Finds the parameter, such as `linked_source_type`, whose value explains an error response: no request with this value got a
 * success, and in one rejected request every other value is accepted elsewhere. Undefined if no value explains the response, or if
 * no request of the operation got a success.
 */
function findRejectedParameter(observation: Observation, peers: Observation[]): string | undefined {
  if (!peers.some(isDocumentedSuccess)) return undefined;
  const acceptedPairs = new Set(
    peers.filter(isDocumentedSuccess).flatMap(({ sent: valueCounts }) => Object.keys(valueCounts)),
  );
  const listCandidates = ({ sent: valueCounts }: Observation) =>
    Object.keys(valueCounts).filter((pair) => !acceptedPairs.has(pair));
  // Pairs `name=value` of requests in which only one parameter can be the cause. An observation may sum up many values of it.
  const isAboutOneParameter = (pairs: string[]) => new Set(pairs.map(parseName)).size === 1;
  const surelyRejectedPairs = peers
    .filter(isRejection)
    .map(listCandidates)
    .filter(isAboutOneParameter)
    .flat();
  const rejectedPair = listCandidates(observation).find((pair) => surelyRejectedPairs.includes(pair));
  return rejectedPair === undefined ? undefined : parseName(rejectedPair);
}

const parseName = (pair: string) => pair.split('=')[0];

/** Moves the findings of an error response, and its count for the HTTP status, to the requirement of the rejected parameter. */
function attributeRejection(observation: Observation, parameter: string): Observation {
  const { operation, findings, exercised, affected } = observation;
  const { status } = getHttpAddresses(operation);
  const requirement = formatParameterAddress(operation, parameter);
  const attributeFinding = (finding: Finding): Finding => {
    const expected = `${finding.expected}, as for other requests of this operation`;
    return { ...finding, requirement, pointer: 'request', expected };
  };
  const renameStatus = <T>(counts: Record<string, T>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(counts).map(([address, count]) => [address === status ? requirement : address, count]),
    );
  return {
    ...observation,
    findings: findings.map(attributeFinding),
    exercised: renameStatus(exercised),
    affected: renameStatus(affected),
  };
}
