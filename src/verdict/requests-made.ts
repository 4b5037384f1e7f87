import { times } from '../../schemas/counted.ts';
import { pick } from '../../schemas/json.ts';
import type { Effort } from '../client/http-client.ts';
import type { Observation } from '../redact/observation.ts';

/** A request that was sent, without its identifiers, and its response. */
export interface RequestMade
  extends Effort,
    Pick<Observation, 'operation' | 'exchange' | 'status' | 'bytes' | 'blocked' | 'again'> {
  requests?: number;
  probe?: true;
}

const kept = [
  ...(['operation', 'exchange', 'status', 'bytes', 'blocked', 'again'] as const),
  ...(['firstByteMs', 'durationMs', 'repeated'] as const),
];

/** Lists every request of a run: ordinary ones and sweeps, then the probes of an operation. */
export const requestsOf = (observations: Observation[], probes: Observation[]): RequestMade[] => [
  ...observations
    .filter(({ requests }) => requests > 0)
    .map((one) => pick(one, one.requests > 1 ? [...kept, 'requests'] : kept)),
  ...probes
    .filter(({ operation }) => operation !== '')
    .map((observation) => ({ ...pick(observation, kept), probe: true as const })),
];

/** Why the list of these requests must not be green: it would read as if the target had been reached. */
export function unansweredReason(requests: RequestMade[]): string | undefined {
  if (requests.length === 0) return 'no request was made';
  return requests.some(({ status }) => status) ? undefined : 'no request was answered';
}

/** The response to a request: status, size, time, and how often it was repeated. */
export function responseText(request: RequestMade): string {
  const { status, bytes, blocked, durationMs, repeated = 0, requests = 1, probe, again } = request;
  const parts = [
    blocked ?? (status === undefined ? 'no response' : `HTTP ${status}`),
    requests > 1 ? `and ${requests - 1} more like it, in all` : '',
    bytes === undefined ? '' : `${bytes} bytes`,
    durationMs === undefined ? '' : `${durationMs} ms`,
    repeated > 0 ? `repeated ${times(repeated)}` : '',
    probe ? 'probe' : '',
    again ? 'asked again' : '',
  ];
  return parts.filter(Boolean).join(', ');
}
