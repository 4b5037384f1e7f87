import { formatParameterAddress, getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { explainInconclusive, isClientFault, isOk, isServerFault } from '../../schemas/judge/classify.ts';
import { formatUnauthorizedReason } from '../client/reasons.ts';
import type { Finding, Observation } from '../redact/observation.ts';

/**
 * Interprets error responses, by comparison with other responses of the run, because the contract does not say how errors look
 * (contract section 7).
 *
 * - An error response that proves nothing, for example because the target rejected every request, becomes `blocked` and is not
 * judged.
 * - An error response that rejects the value of one parameter counts as a violation of that parameter's requirement.
 * - If a request without promised success got no response, `blocked` is removed, provided that another request of the operation
 * succeeded.
 * - All other observations are returned unchanged.
 *
 * Responses are compared with those of the same operation and of the API checks at the start of the run. A recording has no API
 * checks, so all of its responses are compared.
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
const isRejection = ({ kind = 'other' }: Observation) => isClientFault(kind);
/** Returns whether a condition holds for every received response; true if there is none. */
const isEveryResponse = (observations: Observation[], condition: (observation: Observation) => boolean) =>
  observations.every((observation) => observation.status === undefined || condition(observation));

const isUnanswered = ({ expectsSuccess, status }: Observation, peers: Observation[]): boolean =>
  !expectsSuccess && status === undefined && peers.some(isDocumentedSuccess);

const removeBlocked = ({ blocked: _, ...observation }: Observation): Observation => observation;

/**
 * Explains why a response proves nothing about the target, for example because the credentials are wrong. Undefined if it can be
 * judged. An error code in the body of a 2xx response counts like HTTP 4xx or 5xx, because the contract leaves the form of errors
 * open (section 7).
 * @param peers observations of the same operation, including this one
 * @param comparedObservations `peers`, and responses of other operations that show whether the target works
 */
function explainByOtherResponses(
  observation: Observation,
  peers: Observation[],
  comparedObservations: Observation[],
): string | undefined {
  const { status, blocked, contentType = 'no Content-Type', kind = 'other' } = observation;
  if (status === undefined) return undefined;
  if (blocked) return blocked;
  const shownStatus = isOk(status) ? `HTTP ${status} and an error in the body` : `HTTP ${status}`;
  const inconclusiveReason = explainInconclusive(kind, shownStatus);
  if (inconclusiveReason) return inconclusiveReason;
  if (isEveryResponse(comparedObservations, isServerError))
    return `every response is a server error, here ${shownStatus}: the target is down, or fails`;
  // HTTP 401 and 403 explain themselves, whatever page the body holds.
  const isDenied = isUnauthorized(observation);
  if (!isDenied && !comparedObservations.some(isFromApi))
    return `no response looks like the API, here HTTP ${status} with ${contentType}: is this the API, are the credentials right? Check BASE_URL and API_HEADERS or AUTH_MODULE`;
  const expectedSuccesses = peers.filter((peer) => peer.expectsSuccess);
  if (isDenied && isEveryResponse(expectedSuccesses, isUnauthorized))
    return explainDenied(status, shownStatus);
  if (isEveryResponse(comparedObservations, isRejection))
    return `the target rejected every request, here with ${shownStatus}: check BASE_URL and the credentials`;
  const isIdentifierRejected = observation.configured && isRejection(observation);
  const configuredLookups = peers.filter((peer) => peer.configured);
  if (isIdentifierRejected && isEveryResponse(configuredLookups, isRejection))
    return `every configured identifier was rejected with ${shownStatus}: the target may not know them`;
  return undefined;
}

const isServerError = ({ kind = 'other' }: Observation) => isServerFault(kind);

/** Returns whether a response has a part of the promised envelope (contract section 2.1), and so comes from this API. */
const isFromApi = ({ status, lacksEnvelope }: Observation) => status !== undefined && !lacksEnvelope;

/**
 * Explains a denied access. Only HTTP 401 certainly means wrong credentials; HTTP 403 may come from a gateway.
 * @param shownStatus status as reports show it, such as `HTTP 401`
 */
const explainDenied = (status: number, shownStatus: string): string =>
  status === 401
    ? formatUnauthorizedReason(shownStatus)
    : `access is denied with ${shownStatus}: check the credentials (API_HEADERS, TOKEN_URL or AUTH_MODULE), their rights, and any gateway in between`;

/**
 * Finds the parameter, such as `linked_source_type`, whose value explains an error response: no request with this value
 * succeeded, although the values of the other parameters did.
 * @param peers observations of the same operation
 */
function findRejectedParameter(observation: Observation, peers: Observation[]): string | undefined {
  if (!peers.some(isDocumentedSuccess)) return undefined;
  const acceptedPairs = new Set(
    peers.filter(isDocumentedSuccess).flatMap(({ sent: valueCounts }) => Object.keys(valueCounts)),
  );
  // Pairs such as `type=user` that no success has.
  const listNeverAccepted = ({ sent: valueCounts }: Observation) =>
    Object.keys(valueCounts).filter((pair) => !acceptedPairs.has(pair));
  // An observation may sum up requests with different values of one parameter.
  const isAboutOneParameter = (pairs: string[]) => new Set(pairs.map(parseName)).size === 1;
  const surelyRejectedPairs = peers
    .filter(isRejection)
    .map(listNeverAccepted)
    .filter(isAboutOneParameter)
    .flat();
  const rejectedPair = listNeverAccepted(observation).find((pair) => surelyRejectedPairs.includes(pair));
  return rejectedPair === undefined ? undefined : parseName(rejectedPair);
}

const parseName = (pair: string) => pair.split('=')[0];

/** Moves the findings and counts of an error response from the HTTP status to the rejected parameter. */
function attributeRejection(observation: Observation, parameter: string): Observation {
  const { operation, findings, exercised, affected } = observation;
  const { status: statusAddress } = getHttpAddresses(operation);
  const requirement = formatParameterAddress(operation, parameter);
  const attributeFinding = (finding: Finding): Finding => {
    const expected = `${finding.expected}, as for other requests of this operation`;
    return { ...finding, requirement, pointer: 'request', expected };
  };
  const attributeCounts = <Count>(counts: Record<string, Count>): Record<string, Count> => {
    const attributedCounts = Object.entries(counts).map(([address, count]): [string, Count] => [
      address === statusAddress ? requirement : address,
      count,
    ]);
    return Object.fromEntries(attributedCounts);
  };
  return {
    ...observation,
    findings: findings.map(attributeFinding),
    exercised: attributeCounts(exercised),
    affected: attributeCounts(affected),
  };
}
