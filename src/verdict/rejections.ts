import { http, parameterAddress } from '../../schemas/contract/requirements.ts';
import { isClientFault, isOk, isServerFault, otherReason } from '../../schemas/judge/classify.ts';
import { unauthorizedSentence } from '../client/reasons.ts';
import type { Finding, Observation } from '../redact/observation.ts';

/**
 * Decides what error responses mean beside the other responses of their operation, and beside the first request of the run: that
 * nothing can be said (`blocked`), as if every request was rejected, or that the value of a parameter is rejected. Other
 * observations stay as they are. Responses of further operations count in recordings alone, where nothing was selected.
 */
export function resolveRejections(observations: Observation[]): Observation[] {
  const checks = observations.filter(({ isApiCheck }) => isApiCheck);
  return observations.map((observation) => {
    const isPeer = ({ operation }: Observation) => operation === observation.operation;
    const peers = observations.filter(isPeer);
    if (isUnanswered(observation, peers)) return withoutReason(observation);
    const evidence =
      checks.length > 0 ? [...peers, ...checks.filter((check) => !isPeer(check))] : observations;
    const blocked = blockedReason(observation, peers, evidence);
    if (blocked) return { ...observation, blocked, exercised: {}, covered: {}, findings: [], affected: {} };
    const isInHttp = isRejection(observation) && !isOk(Number(observation.status));
    const rejected = isInHttp ? rejectedParameterOf(observation, peers) : undefined;
    return rejected ? attributeRejection(observation, rejected) : observation;
  });
}

const isDocumentedSuccess = ({ expectsSuccess, kind }: Observation) => expectsSuccess && kind === 'success';
const isUnauthorized = ({ kind }: Observation) => kind === 'unauthorized';
/** Whether the request is at fault, as the target says. */
const isRejection = ({ kind = 'other' }: Observation) => isClientFault(kind);
/** Whether all that was answered is of a kind. */
const isAll = (all: Observation[], is: (one: Observation) => boolean) =>
  all.every((one) => one.status === undefined || is(one));

/** A target that answers what is documented, and nothing to what it should reject: not the contract's matter. */
const isUnanswered = ({ expectsSuccess, status }: Observation, peers: Observation[]): boolean =>
  !expectsSuccess && status === undefined && peers.some(isDocumentedSuccess);

const withoutReason = ({ blocked: _, ...observation }: Observation): Observation => observation;

/** Why a response rejects this client rather than breaks the contract, if it does. What is said in a body is judged. */
function blockedReason(
  observation: Observation,
  peers: Observation[],
  evidence: Observation[],
): string | undefined {
  const { status, blocked, contentType = 'no Content-Type', kind = 'other' } = observation;
  if (status === undefined) return undefined;
  const isReached = evidence.some((one) => one.status !== undefined && !one.lacksEnvelope);
  // HTTP 401 and 403 say by themselves what to check, beside any page.
  const isExplained = isReached || blocked || isUnauthorized(observation);
  const notTheApi =
    !isExplained &&
    `no response looks like the API, here HTTP ${status} with ${contentType}: is this the API, are the credentials right? Check BASE_URL and API_HEADERS or AUTH_MODULE`;
  if (isOk(status)) return notTheApi || undefined;
  const judged = peers.filter((peer) => peer.expectsSuccess);
  const isConfigured = observation.configured && isRejection(observation);
  const alike = peers.filter((peer) => peer.configured);
  const reasons = [
    otherReason(kind, `HTTP ${status}`),
    isAll(evidence, (one) => isServerFault(one.kind ?? 'other')) &&
      `the target answered everything with HTTP 5xx, here ${status}: it is out of order`,
    notTheApi,
    isUnauthorized(observation) && isAll(judged, isUnauthorized) && unauthorizedSentence(status),
    isAll(evidence, isRejection) &&
      `the target rejected every request, here with HTTP ${status}: check BASE_URL and the credentials`,
    isConfigured &&
      isAll(alike, isRejection) &&
      `the target answered HTTP ${status} for every configured identifier, which it may not know`,
  ];
  return reasons.find(Boolean) || undefined;
}

/** The parameter whose value is rejected wherever it is sent, if one explains the error response. */
function rejectedParameterOf(observation: Observation, peers: Observation[]): string | undefined {
  const granted = new Set(peers.filter(isDocumentedSuccess).flatMap(({ sent }) => Object.keys(sent)));
  const candidates = ({ sent }: Observation) => Object.keys(sent).filter((pair) => !granted.has(pair));
  // Of several, one that is rejected without the others too: of requests that are one here, each with a value of its own.
  const rejectedAlone = peers
    .filter(isRejection)
    .map(candidates)
    .filter((pairs) => new Set(pairs.map(nameIn)).size === 1)
    .flat();
  const rejected = candidates(observation).find((pair) => rejectedAlone.includes(pair));
  const isAnyAccepted = peers.some(isDocumentedSuccess);
  return isAnyAccepted && rejected !== undefined ? nameIn(rejected) : undefined;
}

const nameIn = (pair: string) => pair.split('=')[0];

/** What is said of the status is said of the parameter instead, which was judged in as many requests. */
function attributeRejection(observation: Observation, parameter: string): Observation {
  const { operation, findings, exercised, affected } = observation;
  const { status } = http(operation);
  const requirement = parameterAddress(operation, parameter);
  const attributed = (finding: Finding): Finding => {
    const expected = `${finding.expected}, as other requests of this operation are answered`;
    return { ...finding, requirement, pointer: 'request', expected };
  };
  const renamed = <T>(counts: Record<string, T>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(counts).map(([address, count]) => [address === status ? requirement : address, count]),
    );
  return {
    ...observation,
    findings: findings.map(attributed),
    exercised: renamed(exercised),
    affected: renamed(affected),
  };
}
