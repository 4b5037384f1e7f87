import { formatParameterAddress, getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { explainInconclusive, isClientFault, isOk, isServerFault } from '../../schemas/judge/classify.ts';
import { formatUnauthorizedReason } from '../client/reasons.ts';
import type { Finding, Observation } from '../redact/observation.ts';

/**
 * Interprets error responses by comparison with other responses, because the contract does not say how errors look (section 7).
 *
 * - An error response that proves nothing, for example because the target rejected every request, becomes `blocked`.
 * - An error response that rejects the value of one parameter counts as a violation of the requirement of the parameter.
 * - A request that need not succeed and got no response is no longer `blocked` if another request of its operation succeeded.
 *
 * An error response is compared with the responses of its operation and of the API checks (first requests of a run, which show
 * whether `BASE_URL` is the API). A recording has no API checks: all its responses are compared.
 */
export const resolveRejections = (observations: Observation[]): Observation[] =>
  observations.map((observation) => resolveRejection(observation, observations));

function resolveRejection(observation: Observation, allObservations: Observation[]): Observation {
  const peers = allObservations.filter(({ operation }) => operation === observation.operation);
  const isUnanswered = observation.status === undefined;
  const mayStayUnanswered = !observation.expectsSuccess && peers.some(isDocumentedSuccess);
  const { blocked: _, ...unblockedObservation } = observation;
  if (isUnanswered && mayStayUnanswered) return unblockedObservation;
  const comparedObservations = selectComparedObservations(observation, allObservations);
  const blockedReason = explainUnusable(observation, peers, comparedObservations);
  if (blockedReason)
    return { ...observation, blocked: blockedReason, exercised: {}, covered: {}, findings: [], affected: {} };
  // A rejection in the body of a 2xx response is judged like any other body.
  const isRejectedByStatus = isRejection(observation) && !isOk(Number(observation.status));
  const rejectedParameter = isRejectedByStatus ? findRejectedParameter(observation, peers) : undefined;
  return rejectedParameter ? blameParameter(observation, rejectedParameter) : observation;
}

/** Selects the observations of the operation and of the API checks (first requests of a run); all, if there are no API checks. */
function selectComparedObservations(observation: Observation, allObservations: Observation[]): Observation[] {
  const hasApiChecks = allObservations.some(({ isApiCheck }) => isApiCheck);
  if (!hasApiChecks) return allObservations;
  return allObservations.filter(
    ({ operation, isApiCheck }) => operation === observation.operation || isApiCheck,
  );
}

const isDocumentedSuccess = ({ expectsSuccess, kind }: Observation) => expectsSuccess && kind === 'success';
const isUnauthorized = ({ kind }: Observation) => kind === 'unauthorized';
const isRejection = ({ kind = 'other' }: Observation) => isClientFault(kind);

/** Returns whether a condition holds for every observation with a response; true if there is none. */
const isEveryResponse = (observations: Observation[], condition: (observation: Observation) => boolean) =>
  observations.every((observation) => observation.status === undefined || condition(observation));

interface ErrorContext {
  observation: Observation;
  /** Status of an error response: `HTTP 404`, or `HTTP 200 and an error in the body`. */
  shownStatus: string;
  /** Observations of the same operation, including `observation`. */
  peers: Observation[];
  /** `peers`, and responses of other operations that show whether the target works. */
  comparedObservations: Observation[];
}

/** Explains why a response proves nothing about the target, for example wrong credentials. Undefined if it can be judged. */
function explainUnusable(
  observation: Observation,
  peers: Observation[],
  comparedObservations: Observation[],
): string | undefined {
  const { status, blocked, kind = 'other' } = observation;
  if (status === undefined) return undefined;
  // An error in the body counts like HTTP 4xx or 5xx, because the contract leaves the form of errors open (section 7).
  const shownStatus = isOk(status) ? `HTTP ${status} and an error in the body` : `HTTP ${status}`;
  const context = { observation, shownStatus, peers, comparedObservations };
  return (
    blocked ??
    explainInconclusive(kind, shownStatus) ??
    explainServerErrors(context) ??
    explainOtherApi(context) ??
    explainDenied(context) ??
    explainRejectedRequests(context) ??
    explainUnknownIdentifiers(context)
  );
}

const isServerError = ({ kind = 'other' }: Observation) => isServerFault(kind);

const explainServerErrors = ({ shownStatus, comparedObservations }: ErrorContext) =>
  isEveryResponse(comparedObservations, isServerError)
    ? `every response is a server error, here ${shownStatus}: the target is down, or fails`
    : undefined;

/** Explains that no response is from this API. Undefined for HTTP 401 and 403, even with a web page: see `explainDenied`. */
function explainOtherApi({ observation, comparedObservations }: ErrorContext): string | undefined {
  if (isUnauthorized(observation) || comparedObservations.some(isFromApi)) return undefined;
  const { status, contentType = 'no Content-Type' } = observation;
  return `no response looks like the API, here HTTP ${status} with ${contentType}: is this the API, are the credentials right? Check BASE_URL and API_HEADERS or AUTH_MODULE`;
}

/** Returns whether a response has a part of the promised envelope (contract section 2.1), and so comes from this API. */
const isFromApi = ({ status, lacksEnvelope }: Observation) => status !== undefined && !lacksEnvelope;

/** Explains a denied access. Only HTTP 401 certainly means wrong credentials; HTTP 403 may come from a gateway. */
function explainDenied({ observation, shownStatus, peers }: ErrorContext): string | undefined {
  const expectedSuccesses = peers.filter((peer) => peer.expectsSuccess);
  if (!isUnauthorized(observation) || !isEveryResponse(expectedSuccesses, isUnauthorized)) return undefined;
  return observation.status === 401
    ? formatUnauthorizedReason(shownStatus)
    : `access is denied with ${shownStatus}: check the credentials (API_HEADERS, TOKEN_URL or AUTH_MODULE), their rights, and any gateway in between`;
}

const explainRejectedRequests = ({ shownStatus, comparedObservations }: ErrorContext) =>
  isEveryResponse(comparedObservations, isRejection)
    ? `the target rejected every request, here with ${shownStatus}: check BASE_URL and the credentials`
    : undefined;

function explainUnknownIdentifiers({ observation, shownStatus, peers }: ErrorContext): string | undefined {
  const isIdentifierRejected = observation.configured && isRejection(observation);
  const configuredLookups = peers.filter((peer) => peer.configured);
  return isIdentifierRejected && isEveryResponse(configuredLookups, isRejection)
    ? `every configured identifier was rejected with ${shownStatus}: the target may not know them`
    : undefined;
}

/**
 * Finds the parameter to blame for an error response: no request with its value succeeded, but requests with the other values did.
 * If `type=user` succeeded and `type=user&user_id=1` did not, returns `user_id`.
 * @param peers observations of the same operation
 */
function findRejectedParameter(observation: Observation, peers: Observation[]): string | undefined {
  const successes = peers.filter(isDocumentedSuccess);
  if (successes.length === 0) return undefined;
  // Pairs of parameter and value, such as `type=user`.
  const listPairs = ({ sent: countByPair }: Observation) => Object.keys(countByPair);
  const acceptedPairs = new Set(successes.flatMap(listPairs));
  const listNeverAcceptedPairs = (rejection: Observation) =>
    listPairs(rejection).filter((pair) => !acceptedPairs.has(pair));
  // An observation may sum up requests, so that it may have several values of the one parameter to blame.
  const haveOneParameter = (pairs: string[]) => new Set(pairs.map(parseParameterName)).size === 1;
  const pairsPerRejection = peers.filter(isRejection).map(listNeverAcceptedPairs);
  const surelyRejectedPairs = pairsPerRejection.filter(haveOneParameter).flat();
  const rejectedPair = listNeverAcceptedPairs(observation).find((pair) => surelyRejectedPairs.includes(pair));
  return rejectedPair === undefined ? undefined : parseParameterName(rejectedPair);
}

const parseParameterName = (pair: string) => pair.split('=')[0];

/**
 * Moves the findings and counts of a rejection from the requirement of the HTTP status to that of the rejected parameter. All
 * findings are about the status, because nothing else of a response with a wrong status is judged.
 */
function blameParameter(observation: Observation, parameter: string): Observation {
  const { operation, findings, exercised, affected } = observation;
  const { status: statusAddress } = getHttpAddresses(operation);
  const requirement = formatParameterAddress(operation, parameter);
  const moveFinding = (finding: Finding): Finding => {
    const expected = `${finding.expected}, as for other requests of this operation`;
    return { ...finding, requirement, pointer: 'request', expected };
  };
  const moveAddress = (address: string) => (address === statusAddress ? requirement : address);
  const moveCounts = <Count>(countByAddress: Record<string, Count>): Record<string, Count> => {
    const counts = Object.entries(countByAddress);
    return Object.fromEntries(counts.map(([address, count]) => [moveAddress(address), count]));
  };
  return {
    ...observation,
    findings: findings.map(moveFinding),
    exercised: moveCounts(exercised),
    affected: moveCounts(affected),
  };
}
