/** When an exchange was recorded, and where that stands. Times are in milliseconds, and NaN where the recording does not say them. */
export interface Span {
  from: number;
  until: number;
  /** The file, and the place in it. */
  file: string;
  place: number;
}

/** What a request takes at most, where the recording does not say how long it took. */
const longestMs = 60_000;

/** @param startedAt ISO 8601 */
export function timesOf(
  startedAt: string | undefined,
  durationMs = Number.NaN,
): Pick<Span, 'from' | 'until'> {
  const from = Date.parse(startedAt ?? '');
  return { from, until: from + durationMs };
}

/**
 * Whether one exchange shows the same state as another one, or a later one: it is the same, or began after the other one had
 * ended. Of those that ran side by side, and of one that was recorded twice, nobody knows that. A file that does not say how long
 * exchanges took is taken to hold them in their order, unless their times say otherwise.
 */
export function follows(one: Span, other: Span): boolean {
  if (one === other) return true;
  if (!Number.isNaN(other.until)) return one.from > other.until;
  if (one.file === other.file) return one.place > other.place && !(one.from < other.from);
  return one.from > other.from + longestMs;
}
