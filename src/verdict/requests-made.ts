import { formatTimes } from '../../schemas/counted.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Effort } from '../client/http-client.ts';
import type { Observation } from '../redact/observation.ts';

/** Entry of a report's list of requests: the request without identifiers, and status, size and duration of its response. */
export interface RequestMade
  extends Effort,
    Pick<Observation, 'operation' | 'exchange' | 'status' | 'bytes' | 'blocked' | 'again'> {
  /** Number of similar requests that one entry of the list of requests sums up; default: 1. */
  requests?: number;
  /** True for a request that `PROBES` sent to learn what the contract leaves open. */
  probe?: true;
}

/** Keys of an observation that its entry in the list of requests has as well. */
const keptKeys = [
  ...(['operation', 'exchange', 'status', 'bytes', 'blocked', 'again'] as const),
  ...(['firstByteMs', 'durationMs', 'repeated'] as const),
];

/**
 * Lists the requests of a run for reports: those of tests and sweeps, then the probes. Leaves out findings about two responses,
 * which are observations of 0 requests, and probes of a path that belongs to no operation.
 */
export const listRequests = (observations: Observation[], probes: Observation[]): RequestMade[] => [
  ...observations
    .filter(({ requests }) => requests > 0)
    .map((observation) =>
      pickDefined(observation, observation.requests > 1 ? [...keptKeys, 'requests'] : keptKeys),
    ),
  ...probes
    .filter(({ operation }) => operation !== '')
    .map((observation) => ({ ...pickDefined(observation, keptKeys), probe: true as const })),
];

/** Explains why a list of requests shows nothing of the target: it is empty, or no request has a response. Undefined if one has. */
export function explainUnanswered(requests: RequestMade[]): string | undefined {
  if (requests.length === 0) return 'no request was made';
  return requests.some(({ status }) => status) ? undefined : 'no request got a response';
}

/**
 * Formats the response to a request, or to the requests that an entry sums up: "HTTP 200, 512 bytes, 31 ms, retried once". Begins
 * with the reason if the response is missing or cannot be judged.
 */
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
