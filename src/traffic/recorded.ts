import type { Exchange } from '../../schemas/judge/judged.ts';
import type { DescribedRequest } from '../redact/observation.ts';
import type { RecordedRequest } from './recorded-request.ts';

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

export interface NumberedSource {
  /** Path of the file, or `-` for standard input. */
  source: string;
  /** Position in the list `TRAFFIC`: `2`, or `2.7` for the seventh match of a pattern. */
  number: string;
}

/** Reads a response body from a separate file that a HAR names; undefined if it is missing, too large or outside the folder of the HAR. */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

export interface Position extends NumberedSource {
  index: number;
  /** Offset in the decompressed recording, at or before the entry. */
  byteOffset: number;
}

/** Recorded request of an operation, with its response. */
export interface RecordedExchange extends Pick<RecordedRequest, 'base' | 'isPathAmbiguous'> {
  kind: 'exchange';
  /** Not redacted. */
  exchange: Exchange;
  /** Redacted. Its `curlCommand` sends nothing, but prints the recorded response body; `''` if no command can print it. */
  request: DescribedRequest;
  at: Moment;
}

/** Recording, or part of one, that cannot be read. */
export interface UnreadablePart extends NumberedSource {
  kind: 'broken';
  reason: string;
  /** Offset in the decompressed recording near which reading failed; 0 if unknown. */
  byteOffset: number;
}

export type TrafficEntry =
  | RecordedExchange
  | { kind: 'skipped'; reason: SkipReason; at: Position }
  | UnreadablePart;

export interface Moment extends Position {
  /** Start of the request in milliseconds since 1970; NaN if unknown. */
  from: number;
  /** End of the response in milliseconds since 1970; NaN if unknown. */
  until: number;
}

/**
 * Returns whether `exchange` began after the end of `otherExchange`. If that end is unknown, compares their start times or,
 * if equal or unknown, their positions in the recording; false for different recordings.
 */
export function isLater(exchange: Moment, otherExchange: Moment): boolean {
  const isOtherEndRecorded = !Number.isNaN(otherExchange.until);
  if (isOtherEndRecorded) return exchange.from > otherExchange.until;
  const isSameRecording = exchange.number === otherExchange.number;
  // Without a known end, start times and positions are compared, but only within one recording.
  if (!isSameRecording) return false;
  // Without a start time (NaN), both comparisons are false.
  if (exchange.from > otherExchange.from) return true;
  if (exchange.from < otherExchange.from) return false;
  return exchange.index > otherExchange.index;
}
