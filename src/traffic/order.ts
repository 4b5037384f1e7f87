/** When an exchange was recorded, in milliseconds, NaN where the recording does not say it; the file, and its place in that. */
export interface Moment {
  from: number;
  until: number;
  file: string;
  place: number;
}

/** What a request takes at most, where the recording does not say how long it took. */
const longestMs = 60_000;

/**
 * Whether an exchange was recorded later than another one, or earlier, as where a recording begins with the last one; undefined
 * where they ran side by side, so that nobody knows which state is the later one.
 */
export function orderOf(one: Moment, last: Moment): 'later' | 'earlier' | undefined {
  if (isLater(one, last)) return 'later';
  return isLater(last, one) ? 'earlier' : undefined;
}

/** A file that does not say how long exchanges took is taken to hold them in their order, unless their times say otherwise. */
function isLater(one: Moment, other: Moment): boolean {
  if (!Number.isNaN(other.until)) return one.from > other.until;
  if (one.file !== other.file) return one.from > other.from + longestMs;
  return one.from > other.from || (one.place > other.place && !(one.from < other.from));
}
