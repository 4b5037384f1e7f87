import { formatTimes } from '../../schemas/counted.ts';
import { pick } from '../../schemas/json.ts';
import type { Effort } from '../client/http-client.ts';
import type { Digest } from '../questions/digest.ts';
import type { Observation } from '../redact/observation.ts';

/** A request that was sent, without its identifiers, and its response. */
export interface RequestMade
  extends Effort,
    Pick<Observation, 'operation' | 'exchange' | 'status' | 'bytes' | 'blocked' | 'again'> {
  requests?: number;
  probe?: true;
}

const kept = [
  ...(['operation', 'exchange', 'status', 'bytes', 'blocked'] as const),
  ...(['firstByteMs', 'durationMs', 'repeated'] as const),
];

/** Every request of a run: those that were judged, in the order of the contract, and then the probes. */
export const requestsOf = (observations: Observation[], probes: Digest[]): RequestMade[] => [
  ...observations
    .filter(({ requests }) => requests > 0)
    .map((one) => pick(one, one.requests > 1 ? [...kept, 'again', 'requests'] : [...kept, 'again'])),
  ...probes.flatMap((one) =>
    one.operation ? { ...pick(one, kept), operation: one.operation, probe: true as const } : [],
  ),
];

/** Why the list of these requests must not be green: it would read as if the target had been reached. */
export function unansweredReason(requests: RequestMade[]): string | undefined {
  if (requests.length === 0) return 'no request was made';
  return requests.some(({ status }) => status) ? undefined : 'no request was answered';
}

/** A request in one line: method, path, and its response. */
export const requestLine = (request: RequestMade): string => `${request.exchange} → ${responseText(request)}`;

/** The response to a request: status, size, time, and how often it was repeated. */
export function responseText(request: RequestMade): string {
  const { status, bytes, blocked, durationMs, repeated = 0, requests = 1, probe, again } = request;
  const parts = [
    blocked ?? (status === undefined ? 'no response' : `HTTP ${status}`),
    requests > 1 ? `and ${requests - 1} more like it, in all` : '',
    bytes === undefined ? '' : `${bytes} bytes`,
    durationMs === undefined ? '' : `${durationMs} ms`,
    repeated > 0 ? `repeated ${formatTimes(repeated)}` : '',
    probe ? 'probe' : '',
    again ? 'asked again' : '',
  ];
  return parts.filter(Boolean).join(', ');
}
