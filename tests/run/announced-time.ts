import { maxConcurrency } from '../client/http-client.ts';
import { retryBudgetMs } from '../client/retry.ts';
import type { Target } from '../configuration/target.ts';
import { lagMs } from '../relations/lag.ts';

/**
 * How long a number of requests takes, in words: as `MAX_RPS` paces them, and at most, when each response takes the whole
 * of `REQUEST_TIMEOUT_MS`, `Retry-After` uses up its budget, and contradictions are left alone for as long as a replica may lag.
 */
export function announcedTime(requests: number, { maxRps, timeoutMs }: Target): string {
  const pacedMs = (requests * 1000) / maxRps;
  const slowMs = (requests * timeoutMs) / maxConcurrency;
  const longestMs = Math.max(pacedMs, slowMs) + retryBudgetMs + lagMs({ maxRps });
  return `about ${duration(pacedMs)}, at most about ${duration(longestMs)} with a slow target`;
}

/** Rounded up: seconds below two minutes, minutes above. */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
