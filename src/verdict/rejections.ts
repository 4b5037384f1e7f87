import { formatParameterAddress, http } from '../../schemas/contract/requirements.ts';
import { explainOtherResponse, isClientFault, isOk, isServerFault } from '../../schemas/judge/classify.ts';
import { unauthorizedSentence } from '../client/reasons.ts';
import type { Finding, Observation } from '../redact/observation.ts';

/**
 * Interprets each error response by comparison with other responses: those of its operation and the API checks at the start of
 * the run; in a recording, which has no API checks, all responses. An inconclusive response, for example if the target rejected
 * every request, becomes `blocked` and loses its judgement. If the response rejects the value of one parameter, its findings move
 * to the requirement of that parameter. A missing response to a request without promised success is no longer `blocked`. Any
 * other observation stays as it is.
 */
export function resolveRejections(observations: Observation[]): Observation[] {
  const checks = observations.filter(({ isApiCheck }) => isApiCheck);
  return observations.map((observation) => {
    const isPeer = ({ operation }: Observation) => operation === observation.operation;
    const peers = observations.filter(isPeer);
    if (isUnanswered(observation, peers)) return withoutReason(observation);
    const comparedObservations =
      checks.length > 0 ? [...peers, ...checks.filter((check) => !isPeer(check))] : observations;
    const blocked = explainBlocked(observation, peers, comparedObservations);
    if (blocked) return { ...observation, blocked, exercised: {}, covered: {}, findings: [], affected: {} };
    const isInHttp = isRejection(observation) && !isOk(Number(observation.status));
    const parameter = isInHttp ? findRejectedParameter(observation, peers) : undefined;
    return parameter ? attributeRejection(observation, parameter) : observation;
  });
}

const isDocumentedSuccess = ({ expectsSuccess, kind }: Observation) => expectsSuccess && kind === 'success';
const isUnauthorized = ({ kind }: Observation) => kind === 'unauthorized';
/** Returns whether the target blames the request, by a status such as 404, or by an error code in the body. */
const isRejection = ({ kind = 'other' }: Observation) => isClientFault(kind);
/** Returns whether a condition holds for every observation with a response; true if there is none. */
const isEveryResponse = (observations: Observation[], condition: (observation: Observation) => boolean) =>
  observations.every((observation) => observation.status === undefined || condition(observation));

/** Returns whether a request without promised success got no response, although a documented request of the operation succeeded. */
const isUnanswered = ({ expectsSuccess, status }: Observation, peers: Observation[]): boolean =>
  !expectsSuccess && status === undefined && peers.some(isDocumentedSuccess);

/** Removes `blocked`, so that a missing response to such a request does not block a requirement. */
const withoutReason = ({ blocked: _, ...observation }: Observation): Observation => observation;

/**
 * Explains why a response is inconclusive, for example because of wrong credentials or a target that is out of order. An error in
 * the body of an HTTP 2xx counts like an HTTP 4xx or 5xx, because the contract leaves the form of errors open (contract section 7).
 * Undefined if the response can be judged.
 * @param peers observations of the same operation
 * @param comparedObservations peers, and responses of other operations that show whether the target works
 */
function explainBlocked(
  observation: Observation,
  peers: Observation[],
  comparedObservations: Observation[],
): string | undefined {
  const { status, blocked, contentType = 'no Content-Type', kind = 'other' } = observation;
  if (status === undefined) return undefined;
  // A response with a part of the promised envelope comes from this API.
  const isReached = comparedObservations.some(
    ({ status: otherStatus, lacksEnvelope }) => otherStatus !== undefined && !lacksEnvelope,
  );
  // HTTP 401 and 403 name the credentials as the cause, whatever page the body holds.
  const isExplained = isReached || blocked || isUnauthorized(observation);
  const notTheApi =
    !isExplained &&
    `no response looks like the API, here HTTP ${status} with ${contentType}: is this the API, are the credentials right? Check BASE_URL and API_HEADERS or AUTH_MODULE`;
  const answer = isOk(status) ? `HTTP ${status} and an error in the body` : `HTTP ${status}`;
  const expectedSuccesses = peers.filter((peer) => peer.expectsSuccess);
  const isConfigured = observation.configured && isRejection(observation);
  const configuredLookups = peers.filter((peer) => peer.configured);
  const reasons = [
    blocked ?? explainOtherResponse(kind, `HTTP ${status}`),
    isEveryResponse(comparedObservations, (response) => isServerFault(response.kind ?? 'other')) &&
      `the target answered every request with a server error, here ${answer}: it is out of order`,
    notTheApi,
    isUnauthorized(observation) &&
      isEveryResponse(expectedSuccesses, isUnauthorized) &&
      unauthorizedSentence(answer),
    isEveryResponse(comparedObservations, isRejection) &&
      `the target rejected every request, here with ${answer}: check BASE_URL and the credentials`,
    isConfigured &&
      isEveryResponse(configuredLookups, isRejection) &&
      `the target answered ${answer} for every configured identifier, which it may not know`,
  ];
  return reasons.find(Boolean) || undefined;
}

/**
 * Finds the parameter whose value explains an error response: no request with that value got a success, and a request in which
 * all other values are accepted was rejected. Undefined if there is none, or if no request of the operation got a success.
 */
function findRejectedParameter(observation: Observation, peers: Observation[]): string | undefined {
  if (!peers.some(isDocumentedSuccess)) return undefined;
  const acceptedPairs = new Set(
    peers.filter(isDocumentedSuccess).flatMap(({ sent: valueCounts }) => Object.keys(valueCounts)),
  );
  const listCandidates = ({ sent: valueCounts }: Observation) =>
    Object.keys(valueCounts).filter((pair) => !acceptedPairs.has(pair));
  // Pairs of requests in which only one parameter can be the cause. A summed observation may have many values of one parameter.
  const surelyRejectedPairs = peers
    .filter(isRejection)
    .map(listCandidates)
    .filter((pairs) => new Set(pairs.map(parseName)).size === 1)
    .flat();
  const rejectedPair = listCandidates(observation).find((pair) => surelyRejectedPairs.includes(pair));
  return rejectedPair === undefined ? undefined : parseName(rejectedPair);
}

/** Parses the name of a pair `name=value`. */
const parseName = (pair: string) => pair.split('=')[0];

/** Moves all findings, and the counts of the requirement about the HTTP status, to the requirement of the rejected parameter. */
function attributeRejection(observation: Observation, parameter: string): Observation {
  const { operation, findings, exercised, affected } = observation;
  const { status } = http(operation);
  const requirement = formatParameterAddress(operation, parameter);
  const attributeFinding = (finding: Finding): Finding => {
    const expected = `${finding.expected}, as other requests of this operation are answered`;
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
