import type { Exchange } from '../../schemas/judge/judged.ts';
import type { Request } from '../redact/observation.ts';

/** Why an entry of a recording is not judged, though it could be read. Nothing of the entry is in it. */
export type SkipReason =
  | 'malformed entry'
  | 'entry too large'
  | 'other method'
  | 'not HTTP'
  | 'other path'
  | 'not answered by the target'
  | 'no response'
  | 'redirect'
  | 'record not found (404)'
  | 'unauthorized (401, 403, 407)'
  | 'undocumented request'
  | 'error response that the contract leaves open'
  | 'too many requests (429)'
  | 'server error (5xx)';

/** A file to read, and its number: `2` for the second source, `2.7` for the seventh file of a pattern there. */
export interface NumberedSource {
  source: string;
  number: string;
}

/** Reads a body that is kept beside a recording; undefined if there is none that may be read. */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

/** Where an entry stands: the source, its place in that source from 0, its first byte there (once inflated). */
export interface Position extends NumberedSource {
  index: number;
  byte: number;
}

/** A recorded exchange of an operation. It is raw, but for the request as it may be shown: `repeat` prints the body. */
export interface RecordedExchange {
  kind: 'exchange';
  exchange: Exchange;
  request: Request;
  /** The address below which its path stands: only what is there belongs together. */
  base: string;
  /** Whether it may be of another resource, whose name stands where a record is named: `/customers/export.csv`. */
  isPerhapsOther: boolean;
  at: Moment;
}

/** A source that cannot be read from this byte on: to its end, or to the next line that can be read. */
export interface BrokenSource extends NumberedSource {
  kind: 'broken';
  reason: string;
  byte: number;
}

/** What is read of a recording, in its order. */
export type Recorded =
  | RecordedExchange
  | { kind: 'skipped'; reason: SkipReason; at: Position }
  | BrokenSource;

/** When an exchange was recorded, in milliseconds, NaN where the recording does not say it; and where it stands. */
export interface Moment extends Position {
  from: number;
  until: number;
}

/**
 * Whether an exchange was recorded after another one had ended. A file that does not say how long exchanges took is taken to
 * hold them in their order, unless their times say otherwise; of two such files it is not known.
 */
export function isLater(one: Moment, other: Moment): boolean {
  if (!Number.isNaN(other.until)) return one.from > other.until;
  if (one.number !== other.number) return false;
  return one.from > other.from || (one.index > other.index && !(one.from < other.from));
}
