import type { RequestMade } from '../src/verdict/requests-made.ts';

/** Milliseconds by nearest rank: each is a time that was measured, never one between two. */
interface Percentiles {
  median: number;
  p95: number;
  slowest: number;
}

/** How long the responses of one operation took. Nobody is judged by it. */
export interface Durations {
  operation: string;
  /** How many were measured. */
  responses: number;
  /** How many of them answered a repeated request; the time is that of the last attempt. */
  repeated: number;
  /** To the head of the response, connecting included. */
  firstByteMs: Percentiles;
  /** To the end of the response. */
  wholeMs: Percentiles;
}

/**
 * How long responses took, by operation, in the order of the requests. A request without a response has no time, and
 * probes are left out: they ask for error responses, which are often quick.
 */
export function durationsOf(requests: RequestMade[]): Durations[] {
  const measured = requests.filter((one) => one.firstByteMs !== undefined && !one.probe);
  return [...new Set(measured.map(({ operation }) => operation))].map((operation) => {
    const own = measured.filter((one) => one.operation === operation);
    return {
      operation,
      responses: own.length,
      repeated: own.filter(({ repeated = 0 }) => repeated > 0).length,
      firstByteMs: percentiles(own.map(({ firstByteMs = 0 }) => firstByteMs)),
      wholeMs: percentiles(own.map(({ durationMs = 0 }) => durationMs)),
    };
  });
}

function percentiles(times: number[]): Percentiles {
  const sorted = times.toSorted((one, other) => one - other);
  const rank = (share: number) => sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
  return { median: rank(0.5), p95: rank(0.95), slowest: rank(1) };
}
