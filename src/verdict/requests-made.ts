import { formatTimes } from '../../schemas/counted.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Observation } from '../redact/observation.ts';

/** Request as listed in `conformance.json`. Similar requests of a sweep or recording are listed as one group. */
export interface RequestMade
  extends Pick<
    Observation,
    'operation' | 'status' | 'bytes' | 'blocked' | 'again' | 'firstByteMs' | 'durationMs'
  > {
  /** Request line such as `GET /cards/{CARD_IDS[0]}`. */
  exchange: string;
  /** Number of retries. Undefined if the request was not retried. */
  repeated?: number;
  /** Number of similar requests in the group. Undefined for a single request. */
  requests?: number;
  probe?: true;
}

/**
 * Lists the requests of a run for reports. The probes come last.
 * @param probes extra requests of `PROBES`, which explore what the contract leaves open. A probe whose path belongs to no operation
 *   is left out.
 */
export function listRequests(observations: Observation[], probes: Observation[] = []): RequestMade[] {
  // `requests` is 0 for a contradiction between two responses, because both requests are in the list already.
  const sentObservations = observations.filter(({ requests }) => requests > 0);
  const listedRequests = sentObservations.map((observation): RequestMade => {
    const request = summarizeRequest(observation);
    const isSum = observation.requests > 1;
    return isSum ? { ...request, requests: observation.requests } : request;
  });
  // A probe of an unknown path belongs to no operation.
  const probesOfOperations = probes.filter(({ operation }) => operation !== '');
  const listedProbes = probesOfOperations.map(
    (probe): RequestMade => ({ ...summarizeRequest(probe), probe: true }),
  );
  return [...listedRequests, ...listedProbes];
}

export function summarizeRequest(observation: Observation): RequestMade {
  const { operation, requestText, retries } = observation;
  return {
    operation,
    exchange: requestText,
    ...pickDefined(observation, ['status', 'bytes', 'blocked', 'again', 'firstByteMs', 'durationMs']),
    ...(retries === undefined ? {} : { repeated: retries }),
  };
}

export function explainUnanswered(requests: RequestMade[]): string | undefined {
  if (requests.length === 0) return 'no request was made';
  return requests.some(({ status }) => status) ? undefined : 'no request got a response';
}

/** Formats the outcome of a request: "HTTP 200, 512 bytes, 31 ms, retried once", or the reason why the request was blocked. */
export function formatResponse(request: RequestMade): string {
  const { status, bytes, blocked, durationMs, repeated: retries = 0, requests = 1, probe, again } = request;
  const parts = [
    blocked ?? (status === undefined ? 'no response' : `HTTP ${status}`),
    requests > 1 ? `and ${requests - 1} more like it` : '',
    bytes === undefined ? '' : `${bytes} bytes${requests > 1 ? ' in total' : ''}`,
    durationMs === undefined ? '' : `${durationMs} ms`,
    retries > 0 ? `retried ${formatTimes(retries)}` : '',
    probe ? 'probe' : '',
    again ? 'sent again' : '',
  ];
  return parts.filter(Boolean).join(', ');
}
