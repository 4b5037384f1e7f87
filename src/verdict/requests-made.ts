import { formatTimes } from '../../schemas/counted.ts';
import { pick } from '../../schemas/json.ts';
import type { Effort } from '../client/http-client.ts';
import type { Digest } from '../questions/digest.ts';
import type { Observation } from '../redact/observation.ts';

/** Request without identifiers, with the status, size and duration of its response. */
export interface RequestMade
  extends Effort,
    Pick<Observation, 'operation' | 'exchange' | 'status' | 'bytes' | 'blocked' | 'again'> {
  requests?: number;
  probe?: true;
}

const keptKeys = [
  ...(['operation', 'exchange', 'status', 'bytes', 'blocked'] as const),
  ...(['firstByteMs', 'durationMs', 'repeated'] as const),
];

/** Lists the requests of a run: judged ones in the order of the contract, then probes. */
export const requestsOf = (observations: Observation[], probes: Digest[]): RequestMade[] => [
  ...observations
    .filter(({ requests }) => requests > 0)
    .map((observation) =>
      pick(
        observation,
        observation.requests > 1 ? [...keptKeys, 'again', 'requests'] : [...keptKeys, 'again'],
      ),
    ),
  ...probes.flatMap((probe) =>
    probe.operation ? { ...pick(probe, keptKeys), operation: probe.operation, probe: true as const } : [],
  ),
];

/** Explains why a list of requests must not pass: without a response, the target was not reached. Undefined otherwise. */
export function unansweredReason(requests: RequestMade[]): string | undefined {
  if (requests.length === 0) return 'no request was made';
  return requests.some(({ status }) => status) ? undefined : 'no request was answered';
}

/** Formats a request in one line: method, path and response. */
export const requestLine = (request: RequestMade): string =>
  `${request.exchange} → ${formatResponse(request)}`;

/** Formats the response to a request: status, size in bytes, duration in milliseconds, and number of retries. */
export function formatResponse(request: RequestMade): string {
  const { status, bytes, blocked, durationMs, repeated: retries = 0, requests = 1, probe, again } = request;
  const parts = [
    blocked ?? (status === undefined ? 'no response' : `HTTP ${status}`),
    requests > 1 ? `and ${requests - 1} more like it, in all` : '',
    bytes === undefined ? '' : `${bytes} bytes`,
    durationMs === undefined ? '' : `${durationMs} ms`,
    retries > 0 ? `repeated ${formatTimes(retries)}` : '',
    probe ? 'probe' : '',
    again ? 'asked again' : '',
  ];
  return parts.filter(Boolean).join(', ');
}
