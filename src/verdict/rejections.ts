import { http, parameterAddress } from '../../schemas/contract/requirements.ts';
import { isClientFault, isServerFault, otherReason } from '../../schemas/judge/classify.ts';
import type { Finding, Observation } from '../redact/observation.ts';

/**
 * What error responses mean beside all other responses: that nothing can be said (`blocked`), as where every request was
 * rejected, or that the value of a parameter is rejected. Other observations stay as they are.
 */
export function resolveRejections(observations: Observation[]): Observation[] {
  const answered = observations.filter(({ status, requests }) => status !== undefined && requests > 0);
  const reached = answered.length === 0 || answered.some(({ lacksEnvelope }) => !lacksEnvelope);
  return observations.map((one) => resolved(one, { all: observations, reached }));
}

interface Context {
  all: Observation[];
  /** Whether some response looks like the API, or there is none to infer it from. */
  reached: boolean;
}

function resolved(observation: Observation, context: Context): Observation {
  const peers = context.all.filter(({ operation }) => operation === observation.operation);
  if (isServerError(observation, peers)) return unanswered(observation);
  const reason = blockedReason(observation, peers, context);
  if (reason) return asBlocked(observation, reason);
  const rejected = isRejection(observation) ? rejectedParameterOf(observation, peers) : undefined;
  return rejected ? attributeRejection(observation, rejected) : observation;
}

function asBlocked(observation: Observation, blocked: string): Observation {
  return { ...observation, blocked, exercised: {}, covered: {}, findings: [], affected: {} };
}

const isSuccess = ({ response }: Observation) => response === 'success';
const isUnauthorized = ({ response }: Observation) => response === 'unauthorized';
/** Whether the request is at fault, as the target says. */
export const isRejection = ({ response = 'other' }: Observation): boolean => isClientFault(response);
const isOutOfOrder = ({ response = 'other' }: Observation) => isServerFault(response);

/** A target that answers what is documented, and nothing to what it should reject: not the contract's matter. */
const isServerError = ({ expectsSuccess, status }: Observation, peers: Observation[]): boolean =>
  !expectsSuccess && status === undefined && peers.some((peer) => peer.expectsSuccess && isSuccess(peer));

const unanswered = ({ blocked: _, ...observation }: Observation): Observation => observation;

/** Why a response rejects this client rather than breaks the contract, if it does. */
function blockedReason(observation: Observation, peers: Observation[], context: Context): string | undefined {
  const { status, expectsSuccess, blocked } = observation;
  if (status === undefined) return undefined;
  // HTTP 401 and 403 say by themselves what to check, beside any page.
  const isExplained = context.reached || blocked || isUnauthorized(observation);
  const notTheApi = isExplained ? undefined : foreignResponse(observation);
  if (isSuccess(observation)) return notTheApi;
  if (!expectsSuccess && peers.some((peer) => peer.expectsSuccess && isSuccess(peer))) return undefined;
  return (
    outOfOrder(observation, context.all) ??
    notTheApi ??
    rejectionOfAll(
      observation,
      peers.filter((peer) => peer.expectsSuccess && peer.status !== undefined),
      context.all,
    )
  );
}

/** What was received in place of the API, and what to check. */
const foreignResponse = ({ status, contentType = 'no Content-Type' }: Observation) =>
  `no response looks like the API, here HTTP ${status} with ${contentType}: is this the API, are the credentials right? Check BASE_URL and API_HEADERS or AUTH_MODULE`;

function outOfOrder({ status, response = 'other' }: Observation, all: Observation[]): string | undefined {
  const reason = otherReason(response, `HTTP ${status}`);
  if (reason) return reason;
  if (all.every((other) => other.status === undefined || isOutOfOrder(other)))
    return `the target answered everything with HTTP 5xx, here ${status}: it is out of order`;
  return undefined;
}

function rejectionOfAll(
  observation: Observation,
  others: Observation[],
  all: Observation[],
): string | undefined {
  const { status } = observation;
  if (isUnauthorized(observation) && others.every(isUnauthorized))
    return `the target rejected the request with HTTP ${status}: check the credentials, API_HEADERS among them`;
  if (all.every((other) => other.status === undefined || isRejection(other)))
    return `the target rejected every request, here with HTTP ${status}: check BASE_URL and the credentials`;
  return unknownIdentifiers(observation, others);
}

function unknownIdentifiers(observation: Observation, others: Observation[]): string | undefined {
  const { status, expectsSuccess, configured } = observation;
  const alike = others.filter((peer) => peer.configured);
  return expectsSuccess && configured && isRejection(observation) && alike.every(isRejection)
    ? `the target answered HTTP ${status} for every configured identifier: does it know them?`
    : undefined;
}

/** The parameter whose value is rejected wherever it is sent, if one explains the error response. */
function rejectedParameterOf(observation: Observation, peers: Observation[]): string | undefined {
  const accepted = peers.filter((peer) => peer.expectsSuccess && isSuccess(peer));
  const granted = new Set(accepted.flatMap(pairsOf));
  const candidates = (one: Observation) => pairsOf(one).filter((pair) => !granted.has(pair));
  // Of several, one that is rejected without the others too.
  const rejectedAlone = peers.filter(isRejection).map(candidates).filter(isOfOne).flat();
  const rejected = candidates(observation).find((pair) => rejectedAlone.includes(pair));
  return accepted.length === 0 || rejected === undefined ? undefined : nameIn(rejected);
}

/** Whether one parameter alone is left; of requests that are folded, each with a value of its own. */
const isOfOne = (pairs: string[]) => new Set(pairs.map(nameIn)).size === 1;

const nameIn = (pair: string) => pair.slice(0, pair.indexOf('='));

const pairsOf = ({ sent }: Observation) => Object.keys(sent);

/** What is said of the status is said of the parameter instead, which was judged in as many requests. */
function attributeRejection(observation: Observation, parameter: string): Observation {
  const { operation, findings, exercised, affected } = observation;
  const { status } = http(operation);
  const requirement = parameterAddress(operation, parameter);
  const attributed = (finding: Finding): Finding => {
    if (finding.requirement !== status) return finding;
    const expected = `${finding.expected}, as other requests of this operation are answered`;
    return { ...finding, requirement, pointer: 'request', expected };
  };
  const renamed = <T>(counts: Record<string, T>) => withRenamed(counts, status, requirement);
  return {
    ...observation,
    findings: findings.map(attributed),
    exercised: renamed(exercised),
    affected: renamed(affected),
  };
}

const withRenamed = <T>(counts: Record<string, T>, from: string, to: string): Record<string, T> =>
  Object.fromEntries(
    Object.entries(counts).map(([address, count]) => [address === from ? to : address, count]),
  );
