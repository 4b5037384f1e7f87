import { times } from '../../schemas/counted.ts';
import type { Effort } from '../client/http-client.ts';
import type { Digest } from '../questions/digest.ts';
import type { Observation } from '../redact/observation.ts';

/** A request that was sent, without its identifiers, and its response. */
export interface RequestMade extends Effort {
  operation: string;
  /** Method and path. */
  exchange: string;
  status?: number;
  bytes?: number;
  /** Why there is no response. */
  blocked?: string;
  /** How many requests of the same kind it stands for, sizes summed; 1 where it is left out. */
  requests?: number;
  /** Whether it asks what the contract leaves open. */
  probe?: true;
  /** Whether it had been sent before: both responses are compared. */
  again?: true;
}

/** Every request of a run: those that were judged, in the order of the contract, and then the probes. */
export const requestsOf = (observations: Observation[], probes: Digest[]): RequestMade[] => [
  ...observations.filter(({ requests }) => requests > 0).map(judgedRequest),
  ...probes.flatMap(({ operation, exchange, status, bytes, blocked, firstByteMs, durationMs, repeated }) =>
    operation
      ? [
          {
            operation,
            exchange,
            ...defined({ status, bytes, blocked, firstByteMs, durationMs, repeated }),
            probe: true as const,
          },
        ]
      : [],
  ),
];

function judgedRequest(observation: Observation): RequestMade {
  const { operation, exchange, status, bytes, blocked, requests: count } = observation;
  const { firstByteMs, durationMs, repeated, again } = observation;
  const requests = count > 1 ? count : undefined;
  const known = { status, bytes, blocked, firstByteMs, durationMs, repeated, requests, again };
  return { operation, exchange, ...defined(known) };
}

/** Without what is undefined. */
const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export const isAnswered = ({ status }: RequestMade): boolean => status !== undefined;

/** Why the list of these requests must not be green: it would read as if the target had been reached. */
export function unansweredReason(requests: RequestMade[]): string | undefined {
  if (requests.length === 0) return 'no request was made';
  return requests.some(isAnswered) ? undefined : 'no request was answered';
}

/** A request in one line: method, path, and its response. */
export const requestLine = (request: RequestMade): string => `${request.exchange} → ${responseText(request)}`;

/** The response to a request: status, size, time, and how often it was repeated. */
export function responseText({
  status,
  bytes,
  blocked,
  durationMs,
  repeated = 0,
  requests = 1,
  probe,
  again,
}: RequestMade): string {
  const parts = [
    blocked ?? (status === undefined ? 'no response' : `HTTP ${status}`),
    requests > 1 ? `and ${requests - 1} more like it, in all` : '',
    bytes === undefined ? '' : sizeOf(bytes),
    durationMs === undefined ? '' : `${durationMs} ms`,
    repeated > 0 ? `repeated ${times(repeated)}` : '',
    probe ? 'probe' : '',
    again ? 'asked again' : '',
  ];
  return parts.filter(Boolean).join(', ');
}

const sizeOf = (bytes: number) =>
  bytes < 10_000
    ? `${bytes} bytes`
    : bytes < 10_000_000
      ? `${Math.round(bytes / 1000)} kB`
      : `${Math.round(bytes / 1_000_000)} MB`;
