import { formatTimes } from '../../schemas/counted.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Effort } from '../client/http-client.ts';
import type { Observation } from '../redact/observation.ts';

/** Request without identifiers, with the status, size and duration of its response. */
export interface RequestMade
  extends Effort,
    Pick<Observation, 'operation' | 'exchange' | 'status' | 'bytes' | 'blocked' | 'again'> {
  requests?: number;
  probe?: true;
}

const keptKeys = [
  ...(['operation', 'exchange', 'status', 'bytes', 'blocked', 'again'] as const),
  ...(['firstByteMs', 'durationMs', 'repeated'] as const),
];

/** Lists every request of a run: ordinary ones and sweeps, then the probes of an operation. */
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

/** Explains why a list of requests must not pass: without a response, the target was not reached. Undefined otherwise. */
export function explainUnanswered(requests: RequestMade[]): string | undefined {
  if (requests.length === 0) return 'no request was made';
  return requests.some(({ status }) => status) ? undefined : 'no request was answered';
}

/** Formats the response to a request: status, size in bytes, duration in milliseconds, and number of retries. */
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
