import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import type { Blocked } from './http-client.ts';

/** The outcome of one attempt; `retryAfter` is the header, if there was one. */
export type Attempt = (HttpResponse | (Blocked & { reset?: true })) & { retryAfter?: string | undefined };

/** Why a request is sent again, and after how long. */
export interface Repetition {
  cause: 'reset' | 'unauthorized' | 'retry after';
  /** The same for people, as reports count it. */
  reason:
    | 'connection reset'
    | 'HTTP 401, signed anew'
    | 'HTTP 429 with Retry-After'
    | 'HTTP 503 with Retry-After';
  waitMs: number;
}

const afterReset: Repetition = { cause: 'reset', reason: 'connection reset', waitMs: 0 };
const signedAnew: Repetition = { cause: 'unauthorized', reason: 'HTTP 401, signed anew', waitMs: 0 };

const longestWaitMs = 30_000;

/** What a target may delay a run by `Retry-After`, all requests of the run together. */
export const retryBudgetMs = 60_000;

/** The time that a run has left for repetitions after `Retry-After`. */
export class RetryBudget {
  #leftMs = retryBudgetMs;

  /** Takes the time of a repetition. False, with nothing taken, when less is left. */
  take({ cause, waitMs }: Repetition, sendingMs: number): boolean {
    if (cause !== 'retry after') return true;
    const takenMs = waitMs + sendingMs;
    if (takenMs > this.#leftMs) return false;
    this.#leftMs -= takenMs;
    return true;
  }
}

const maxWaits = 3;

/**
 * Whether an attempt is to be repeated. Only these are: 429 and 503 that say when to come back, a connection that
 * was reset (once), and 401 for a request that can be signed anew (once). Anything else is what the target said.
 */
export function repetitionOf(
  attempt: Attempt,
  earlier: Repetition[],
  signs: boolean,
): Repetition | undefined {
  const before = (cause: Repetition['cause']) => earlier.filter((one) => one.cause === cause);
  if ('blocked' in attempt) return attempt.reset && before('reset').length === 0 ? afterReset : undefined;
  const { status, retryAfter } = attempt;
  if (status === 401 && signs && before('unauthorized').length === 0) return signedAnew;
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return undefined;
  const waits = before('retry after');
  const spent = waits.reduce((sum, { waitMs }) => sum + waitMs, 0);
  const waitMs = waitOf(retryAfter, Date.now());
  if (waitMs === undefined || waits.length >= maxWaits || spent + waitMs > longestWaitMs) return undefined;
  return { cause: 'retry after', reason: `HTTP ${status} with Retry-After`, waitMs };
}

/** Milliseconds that a Retry-After header asks for, in seconds or as an HTTP date (RFC 9110 section 10.2.3). */
export function waitOf(header: string, now: number): number | undefined {
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
