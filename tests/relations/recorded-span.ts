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

/** Which way exchanges go, of which each was recorded after the one before it: to later ones, or from the end of a recording. */
export type Direction = 'later' | 'earlier';

/**
 * Which way one exchange goes on from another one; undefined where that is not known, and where it is not the way that they have
 * gone so far. Of those that ran side by side, and of one that was recorded twice, nobody knows which state is the later one.
 */
export function directionTo(one: Span, last: Span, soFar?: Direction): Direction | undefined {
  if (one === last) return soFar ?? 'later';
  const direction = isLater(one, last) ? 'later' : isLater(last, one) ? 'earlier' : undefined;
  return soFar === undefined || direction === soFar ? direction : undefined;
}

/** A file that does not say how long exchanges took is taken to hold them in their order, unless their times say otherwise. */
function isLater(one: Span, other: Span): boolean {
  if (!Number.isNaN(other.until)) return one.from > other.until;
  if (one.file !== other.file) return one.from > other.from + longestMs;
  return one.from > other.from || (one.place > other.place && !(one.from < other.from));
}
