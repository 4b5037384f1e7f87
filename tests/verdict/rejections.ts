import { http, parameterAddress } from '../../schemas/requirements.ts';
import type { Finding, Folded, Observation } from '../client/observation.ts';
import { sentValues } from './request-counts.ts';

/** Observations as they read beside each other: what every request got says nothing of a requirement. */
export function concludeObservations(observations: Observation[]): Observation[] {
  const succeeded = observations.filter(isSuccess);
  const reached = succeeded.length === 0 || succeeded.some(looksLikeApi);
  return observations.map((one) => concluded(one, { all: observations, reached }));
}

interface Context {
  all: Observation[];
  /** Whether some success looks like one of the API, or there is none to infer it from. */
  reached: boolean;
}

function concluded(observation: Observation, context: Context): Observation {
  const peers = context.all.filter(({ operation }) => operation === observation.operation);
  if (isServerError(observation, peers)) return unanswered(observation);
  const reason = blockedReason(observation, peers, context);
  if (reason) return withoutJudgement(observation, reason);
  const rejected = isRejection(observation) ? rejectedParameterOf(observation, peers) : undefined;
  return rejected ? attributeRejection(observation, rejected) : observation;
}

function withoutJudgement(observation: Observation, blocked: string): Observation {
  const { folded } = observation;
  const unjudged = { visits: {}, states: {}, findings: [] };
  return { ...observation, blocked, ...unjudged, ...(folded ? { folded: { ...folded, found: {} } } : {}) };
}

const isSuccess = ({ response }: Observation) => response === 'success';
const isUnauthorized = ({ response }: Observation) => response === 'unauthorized';
/** Whether the request is at fault, as the target says. */
export const isRejection = ({ response = 'other' }: Observation): boolean =>
  ['rejection', 'unauthorized', 'proxy', 'rate limit'].includes(response);
const isOutOfOrder = ({ response = 'other' }: Observation) => ['server error', 'overload'].includes(response);

/** A target that answers what is documented, and nothing to what it should reject: not the contract's matter. */
const isServerError = ({ expectsSuccess, blocked }: Observation, peers: Observation[]): boolean =>
  !expectsSuccess && blocked !== undefined && peers.some((peer) => peer.expectsSuccess && isSuccess(peer));

const unanswered = ({ blocked: _, ...observation }: Observation): Observation => observation;

/** Whether media type or body of a response are what the contract promises; a page for people has neither. */
const looksLikeApi = (observation: Observation) => keptOfHttp(observation).includes(true);

/** Whether media type, and whether JSON are what the contract promises. */
export function keptOfHttp({
  operation,
  visits,
  findings,
}: Observation): [contentType: boolean, json: boolean] {
  const at = http(operation);
  const kept = (address: string) =>
    Object.hasOwn(visits, address) &&
    !findings.some(({ kind, requirement }) => kind !== 'deviation' && requirement === address);
  return [kept(at.contentType), kept(at.json)];
}

/** Why a response rejects this client rather than breaks the contract, if it does. */
function blockedReason(observation: Observation, peers: Observation[], context: Context): string | undefined {
  const { status, expectsSuccess } = observation;
  if (status === undefined) return undefined;
  if (isSuccess(observation)) return notTheApi(observation, context);
  if (!expectsSuccess && peers.some((peer) => peer.expectsSuccess && isSuccess(peer))) return undefined;
  const others = peers.filter((peer) => peer.expectsSuccess && peer.status !== undefined);
  return (
    rejectionOfAll(observation, others, context.all) ??
    unknownIdentifiers(observation, others) ??
    notTheApi(observation, context)
  );
}

const notTheApi = ({ status, blocked }: Observation, { reached }: Context) =>
  reached || blocked
    ? undefined
    : `no response looks like the API, here HTTP ${status}: is this the API, are the credentials right?`;

function rejectionOfAll(
  observation: Observation,
  others: Observation[],
  all: Observation[],
): string | undefined {
  const { status, response } = observation;
  if (response === 'overload' || response === 'rate limit')
    return `the target answered HTTP ${status}: it is overloaded, or out of order`;
  if (response === 'proxy')
    return 'the proxy rejected the request with HTTP 407: check the user and password of the proxy';
  if (isUnauthorized(observation) && others.every(isUnauthorized))
    return `the target rejected the request with HTTP ${status}: check the credentials, API_HEADERS among them`;
  if (all.every((other) => other.status === undefined || isOutOfOrder(other)))
    return `the target answered everything with HTTP 5xx, here ${status}: it is out of order`;
  if (all.every((other) => other.status === undefined || isRejection(other)))
    return `the target rejected every request, here with HTTP ${status}: check BASE_URL and the credentials`;
  return undefined;
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
  const rejectedAlone = peers.filter(isRejection).map(candidates).filter(isSingle).flat();
  const rejected = candidates(observation).find((pair) => rejectedAlone.includes(pair));
  return accepted.length === 0 ? undefined : rejected?.slice(0, rejected.indexOf('='));
}

const isSingle = ({ length }: string[]) => length === 1;

const pairsOf = (observation: Observation) => Object.keys(sentValues(observation));

/** What is said of the status is said of the parameter instead. */
function attributeRejection(observation: Observation, parameter: string): Observation {
  const { operation, findings, folded } = observation;
  const { status } = http(operation);
  const requirement = parameterAddress(operation, parameter);
  const attributed = (finding: Finding): Finding => {
    if (finding.requirement !== status) return finding;
    const expected = `${finding.expected}, as other requests of this operation are answered`;
    return { ...finding, requirement, pointer: 'request', expected };
  };
  return {
    ...observation,
    findings: findings.map(attributed),
    ...(folded ? { folded: { ...folded, found: renamed(folded.found, status, requirement) } } : {}),
  };
}

const renamed = (found: Folded['found'], from: string, to: string): Folded['found'] =>
  Object.fromEntries(
    Object.entries(found).map(([address, kinds]) => [address === from ? to : address, kinds]),
  );
