import type { HttpResponse } from '../../schemas/judge/judged.ts';
import type { Blocked } from './reasons.ts';

/** What a request has taken: id and times of the last attempt, in whole milliseconds. */
export interface Effort {
  /** By which a provider finds it in its log, as `traceparent` has it: that of the run, and its own. */
  id?: string;
  /** From sending to the head of the response, connecting included. */
  firstByteMs?: number;
  /** From sending to the end of the response. */
  durationMs?: number;
  /** How many times it was repeated. */
  repeated?: number;
}

/** The effort alone, without the response. */
export const effortOf = ({ id, firstByteMs, durationMs, repeated }: Effort): Effort => ({
  ...(id === undefined ? {} : { id }),
  ...(firstByteMs === undefined ? {} : { firstByteMs }),
  ...(durationMs === undefined ? {} : { durationMs }),
  ...(repeated === undefined ? {} : { repeated }),
});

/** What a target may delay a run by `Retry-After`, all requests of the run together. */
export const retryBudgetMs = 60_000;
const longestWaitMs = 30_000;
const maxWaits = 3;

/** The outcome of one attempt. */
export type Attempt = (HttpResponse | (Blocked & { reset?: true })) & Effort;

/** Why a request is sent again, as reports count it, and after how long a target wants it. */
export interface Repetition {
  reason:
    | 'connection reset'
    | 'HTTP 401, signed anew'
    | 'HTTP 401, with a new token'
    | 'HTTP 429 with Retry-After'
    | 'HTTP 503 with Retry-After';
  waitMs?: number;
}

/**
 * Whether an attempt is to be repeated. Only these are: 429 and 503 that say when to come back, a connection that
 * was reset (once), and 401 for a request that can have another token or signature (once). Anything else is what the target said.
 */
export function repetitionOf(
  attempt: Attempt,
  earlier: Repetition[],
  renewal: 'HTTP 401, signed anew' | 'HTTP 401, with a new token' | undefined,
): Repetition | undefined {
  const once = (reason: Repetition['reason']) =>
    earlier.some((one) => one.reason === reason) ? undefined : { reason };
  if ('blocked' in attempt) return attempt.reset && once('connection reset');
  const { status, headers = {} } = attempt;
  const retryAfter = headers['retry-after'];
  if (status === 401 && renewal) return once(renewal);
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return undefined;
  const waits = earlier.flatMap(({ waitMs }) => waitMs ?? []);
  const waitMs = waitOf(retryAfter, Date.now());
  const allMs = waits.reduce((sum, one) => sum + one, waitMs);
  if (waits.length >= maxWaits || !(allMs <= longestWaitMs)) return undefined;
  return { reason: `HTTP ${status} with Retry-After`, waitMs };
}

/** Milliseconds that a Retry-After header asks for, in seconds or as an HTTP date (RFC 9110 section 10.2.3); NaN for neither. */
const waitOf = (header: string, now: number): number =>
  /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Math.max(0, Date.parse(header) - now);
