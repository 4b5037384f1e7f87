import { formatParameterAddress, getHttpAddresses } from '../../schemas/contract/requirements.ts';
import {
  explainInconclusive,
  formatErrorStatus,
  isAccessDenied,
  isClientFault,
  isOk,
  isServerFault,
  isTransient,
} from '../../schemas/judge/classify.ts';
import { formatUnauthorizedReason } from '../client/reasons.ts';
import type { Finding, Observation } from '../redact/observation.ts';

/**
 * Finds the causes of error responses by comparing the responses of a run (contract section 7). If an error proves nothing, its
 * observation gets the reason in `blocked`. For example, HTTP 401 proves nothing, and HTTP 403 proves nothing if every request got
 * HTTP 403. If the target rejected a parameter, the findings name the requirement of the parameter instead of the requirement of
 * the HTTP status.
 * @returns all observations, in the same order
 */
export const resolveRejections = (observations: Observation[]): Observation[] =>
  observations.map((observation) => resolveRejection(observation, observations));

function resolveRejection(observation: Observation, allObservations: Observation[]): Observation {
  const peers = allObservations.filter(({ operation }) => operation === observation.operation);
  // A missing response that is not needed blocks no requirement.
  if (lacksUnneededResponse(observation, peers)) {
    const { blocked: _, ...unblockedObservation } = observation;
    return unblockedObservation;
  }
  const comparedObservations = selectComparedObservations(observation, allObservations);
  const blockedReason = explainUnusable(observation, peers, comparedObservations);
  if (blockedReason)
    return {
      ...observation,
      blocked: blockedReason,
      exercised: {},
      documentedValueCounts: {},
      findings: [],
      affectedRequests: {},
    };
  const rejectedParameter = findRejectedParameter(observation, peers);
  return rejectedParameter ? blameParameter(observation, rejectedParameter) : observation;
}

const lacksUnneededResponse = ({ status, expectsSuccess }: Observation, peers: Observation[]): boolean =>
  status === undefined && !expectsSuccess && peers.some(isDocumentedSuccess);

function selectComparedObservations(observation: Observation, allObservations: Observation[]): Observation[] {
  // A recording has no API checks, which only the suite sends. Then any response of the recording may explain the error.
  const isRecording = !allObservations.some(({ isApiCheck }) => isApiCheck);
  if (isRecording) return allObservations;
  return allObservations.filter(
    ({ operation, isApiCheck }) => operation === observation.operation || isApiCheck,
  );
}

const isDocumentedSuccess = ({ expectsSuccess, kind }: Observation) => expectsSuccess && kind === 'success';
const isUnauthorized = ({ kind }: Observation) => kind === 'unauthorized';
const isDenied = ({ kind = 'other' }: Observation) => isAccessDenied(kind);
const isRejection = ({ kind = 'other' }: Observation) => isClientFault(kind);

// HTTP 401, 407 and 429 are about no parameter.
const mayBlameParameter = ({ kind }: Observation) => kind === 'rejection' || kind === 'forbidden';

const isEveryResponse = (
  observations: Observation[],
  condition: (observation: Observation) => boolean,
): boolean => observations.every((observation) => isWithoutEvidence(observation) || condition(observation));

const isWithoutEvidence = ({ status, kind = 'other' }: Observation) =>
  status === undefined || isTransient(kind);

interface ErrorContext {
  observation: Observation;
  /** Status of the error in words, such as `HTTP 404` or `HTTP 200 and an error in the body`. */
  errorStatus: string;
  /** Observations of the operation that got the error. The observation of the error is one of them. */
  peers: Observation[];
  /**
   * Observations that may explain the error. In a recording, all observations are included. In a run that sends requests, only
   * `peers` and the observations of the API check at the beginning of the run are included.
   */
  comparedObservations: Observation[];
}

/**
 * Explains why a response cannot be judged: "every response is a server error, here HTTP 500: the target is down, or fails".
 * Returns undefined if the response can be judged, or if there is no response.
 */
function explainUnusable(
  observation: Observation,
  peers: Observation[],
  comparedObservations: Observation[],
): string | undefined {
  const { status, blocked, kind = 'other' } = observation;
  // There is no response. The caller keeps the reason in `blocked`, such as a timeout.
  if (status === undefined) return undefined;
  // Used only if the response is an error.
  const errorStatus = formatErrorStatus(status);
  const context = { observation, errorStatus, peers, comparedObservations };
  return (
    blocked ??
    explainInconclusive(kind, errorStatus) ??
    explainServerErrors(context) ??
    explainOtherApi(context) ??
    explainDenied(context) ??
    explainRejectedRequests(context) ??
    explainUnknownIdentifiers(context)
  );
}

const isServerError = ({ kind = 'other' }: Observation) => isServerFault(kind);

const explainServerErrors = ({ errorStatus, comparedObservations }: ErrorContext) =>
  isEveryResponse(comparedObservations, isServerError)
    ? `every response is a server error, here ${errorStatus}: the target is down, or fails`
    : undefined;

function explainOtherApi({ observation, comparedObservations }: ErrorContext): string | undefined {
  // `explainDenied` explains these, even if the body is a web page.
  if (isDenied(observation)) return undefined;
  if (comparedObservations.some(isFromApi)) return undefined;
  const { status, contentType = 'no Content-Type' } = observation;
  return `no response looks like the API, here HTTP ${status} with ${contentType}: is this the API, are the credentials right? Check BASE_URL and API_HEADERS or AUTH_MODULE`;
}

const isFromApi = ({ status, lacksEnvelope }: Observation) => status !== undefined && !lacksEnvelope;

function explainDenied({ observation, errorStatus, peers }: ErrorContext): string | undefined {
  if (!isDenied(observation)) return undefined;
  const peersThatShouldSucceed = peers.filter((peer) => peer.expectsSuccess);
  // A token may expire during the run (RFC 6749 section 5.1), so HTTP 401 rejects no parameter, even if other requests succeed.
  const isEveryRequestDenied = isEveryResponse(peersThatShouldSucceed, isDenied);
  const areCredentialsRejected = isEveryRequestDenied || peersThatShouldSucceed.some(isUnauthorized);
  if (isUnauthorized(observation) && areCredentialsRejected) return formatUnauthorizedReason(errorStatus);
  if (!isEveryRequestDenied) return undefined;
  // HTTP 403 may also come from a gateway.
  return `access is denied with ${errorStatus}: check the credentials (API_HEADERS, TOKEN_URL or AUTH_MODULE), their rights, and any gateway in between`;
}

const explainRejectedRequests = ({ errorStatus, comparedObservations }: ErrorContext) =>
  isEveryResponse(comparedObservations, isRejection)
    ? `the target rejected every request, here with ${errorStatus}: check BASE_URL and the credentials`
    : undefined;

function explainUnknownIdentifiers({ observation, errorStatus, peers }: ErrorContext): string | undefined {
  const isIdentifierRejected = observation.configured && isRejection(observation);
  const configuredLookups = peers.filter((peer) => peer.configured);
  const isEveryIdentifierRejected = isIdentifierRejected && isEveryResponse(configuredLookups, isRejection);
  if (!isEveryIdentifierRejected) return undefined;
  // Matches the beginning of a label such as `{CARD_IDS[0]}` or `{CARD_IDS, line 7}`.
  const [, variable] = /\{([A-Z][A-Z0-9_]*)[[,]/.exec(observation.requestText) ?? [];
  return `every identifier of ${variable} was rejected with ${errorStatus}: does the target know them?`;
}

/**
 * Finds the name of the parameter that caused a rejection, such as `offset`. The rejected requests are compared with successful
 * requests. Returns undefined if the comparison proves no cause, or if the HTTP status is no rejection.
 */
function findRejectedParameter(observation: Observation, peers: Observation[]): string | undefined {
  // A rejection in the body of a 2xx response is judged like any other body.
  const isRejectedByStatus = isRejection(observation) && !isOk(Number(observation.status));
  const successes = peers.filter(isDocumentedSuccess);
  if (!isRejectedByStatus || successes.length === 0) return undefined;
  const acceptedPairs = new Set(successes.flatMap(listPairs));
  // `offset=20` is suspect if no successful request had it.
  const listSuspects = (rejection: Observation) =>
    listPairs(rejection).filter((pair) => !acceptedPairs.has(pair));
  const rejections = peers.filter(mayBlameParameter);
  // `limit=20` with `Store` is a rejected combination if `limit=20` was accepted in another request, and `Store`, too.
  // A request that was also accepted shows that the target answers differently each time.
  const acceptedCombinations = new Set(successes.map(formatPairs));
  const isRejectedCombination = (rejection: Observation) =>
    rejection.expectsSuccess &&
    listSuspects(rejection).length === 0 &&
    !acceptedCombinations.has(formatPairs(rejection));
  const namesOfRejectedCombinations = new Set(
    rejections.filter(isRejectedCombination).map(formatParameterNames),
  );
  // `offset` is proven to be the cause if a rejected request has no other suspect parameter. But the rejection of `limit=5` with
  // `Store` proves nothing about `limit`, if `limit` with `linked_source_type` is a rejected combination.
  const suspectsOfRejections = rejections
    .filter((rejection) => !namesOfRejectedCombinations.has(formatParameterNames(rejection)))
    .map(listSuspects);
  const provenPairs = suspectsOfRejections.filter(haveOneParameter).flat();
  const provenSuspect = listSuspects(observation).find((pair) => provenPairs.includes(pair));
  return provenSuspect === undefined ? undefined : parseParameterName(provenSuspect);
}

const listPairs = ({ parameterValueCounts: countByPair }: Observation): string[] => Object.keys(countByPair);

const formatParameterNames = (observation: Observation): string =>
  listPairs(observation).map(parseParameterName).sort().join();

const formatPairs = (observation: Observation): string => listPairs(observation).sort().join();

const parseParameterName = (pair: string) => pair.split('=')[0];

const haveOneParameter = (pairs: string[]): boolean => new Set(pairs.map(parseParameterName)).size === 1;

function blameParameter(observation: Observation, parameter: string): Observation {
  const { operation, findings, exercised, affectedRequests } = observation;
  const { status: statusAddress } = getHttpAddresses(operation);
  const parameterAddress = formatParameterAddress(operation, parameter);
  const moveFinding = (finding: Finding): Finding => {
    const expected = `${finding.expected}, as for other requests of this operation`;
    return { ...finding, requirement: parameterAddress, pointer: 'request', expected };
  };
  const moveCounts = <Count>(countByAddress: Record<string, Count>) =>
    renameKey(countByAddress, statusAddress, parameterAddress);
  return {
    ...observation,
    // All findings are about the HTTP status, because nothing else of a response with a wrong status is judged.
    findings: findings.map(moveFinding),
    exercised: moveCounts(exercised),
    affectedRequests: moveCounts(affectedRequests),
  };
}

function renameKey<Value>(
  values: Record<string, Value>,
  oldKey: string,
  newKey: string,
): Record<string, Value> {
  const renamed: Record<string, Value> = {};
  for (const [key, value] of Object.entries(values)) renamed[key === oldKey ? newKey : key] = value;
  return renamed;
}
