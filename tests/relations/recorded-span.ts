/** When an exchange was recorded, in milliseconds; NaN where the recording does not say it. */
export interface Span {
  from: number;
  until: number;
}

/** What a request takes at most, where the recording does not say how long it took. */
const longestMs = 60_000;

/** @param startedAt ISO 8601 */
export function spanOf(startedAt: string | undefined, durationMs = longestMs): Span {
  const from = Date.parse(startedAt ?? '');
  return { from, until: from + durationMs };
}

/**
 * Whether one exchange shows the same state as another one, or a later one: it is the same, or began after the other one had
 * ended. Of those that ran side by side, and of one that was recorded twice, nobody knows that.
 */
export const follows = (one: Span, other: Span): boolean => one === other || one.from > other.until;
