import type { RequestMade } from '../tests/run/requests-made.ts';

/** Milliseconds by nearest rank: each is a time that was measured, never one between two. */
export interface Percentiles {
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
  const measured = requests.filter(isMeasured);
  const operations = [...new Set(measured.map(({ operation }) => operation))];
  return operations.map((operation) => {
    const own = measured.filter((one) => one.operation === operation);
    return {
      operation,
      responses: own.length,
      repeated: own.filter(({ repeated = 0 }) => repeated > 0).length,
      firstByteMs: percentiles(own.map(({ firstByteMs }) => firstByteMs)),
      wholeMs: percentiles(own.map(({ durationMs }) => durationMs)),
    };
  });
}

type Measured = RequestMade & { firstByteMs: number; durationMs: number };

const isMeasured = (one: RequestMade): one is Measured =>
  one.firstByteMs !== undefined && one.durationMs !== undefined && !one.probe;

function percentiles(times: number[]): Percentiles {
  const sorted = times.toSorted((one, other) => one - other);
  const rank = (share: number) => sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
  return { median: rank(0.5), p95: rank(0.95), slowest: rank(1) };
}

/** Heads of a table of durations, without its first column. */
export const durationHeads = ['responses', 'median', '95th percentile', 'slowest'];

/** Cells of a row below those heads: to the first byte / the whole response. */
export function durationCells({ responses, repeated, firstByteMs, wholeMs }: Durations): string[] {
  const pair = (key: keyof Percentiles) => `${firstByteMs[key]} / ${wholeMs[key]} ms`;
  const again = repeated > 0 ? ` (${repeated} repeated)` : '';
  return [`${responses}${again}`, pair('median'), pair('p95'), pair('slowest')];
}

/** What the cells say, in one sentence. */
export const durationNote =
  'Times are to the first byte / to the end of the response, by nearest rank; of a repeated request, those of its last attempt. Probes are not counted. Nothing is judged by them.';
