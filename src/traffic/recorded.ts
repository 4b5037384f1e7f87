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
  /** Position in `TRAFFIC`: `2`, or `2.7` for the seventh file that matches a pattern. */
  number: string;
}

/** Reads a response body from a separate file that a HAR names. Undefined if the file cannot be read, or is too large. */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

export interface Position extends NumberedSource {
  index: number;
  /** Offset in the decompressed recording. In a HAR: after the end of the entry before it. */
  byteOffset: number;
}

/** Recorded request of an operation, with its response. `exchange` is not redacted, `request` is. */
export interface RecordedExchange extends Pick<RecordedRequest, 'base' | 'isPathAmbiguous'> {
  kind: 'exchange';
  exchange: Exchange;
  /** The `curlCommand` of this request prints the recorded body, and sends nothing. The command is `''` for a zip, for example. */
  request: DescribedRequest;
  at: Moment;
}

/** Part of a recording that cannot be read: all of it, everything after an error, or consecutive lines of newline-delimited JSON. */
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

/** Returns whether `exchange` began after the end of `otherExchange` or, if this end is unknown, follows in the same recording. */
export function isLater(exchange: Moment, otherExchange: Moment): boolean {
  const isOtherEndRecorded = !Number.isNaN(otherExchange.until);
  if (isOtherEndRecorded) return exchange.from > otherExchange.until;
  const isSameRecording = exchange.number === otherExchange.number;
  // Start times and positions are compared only within one recording.
  if (!isSameRecording) return false;
  // Without a start time (NaN), both comparisons are false.
  if (exchange.from > otherExchange.from) return true;
  if (exchange.from < otherExchange.from) return false;
  return exchange.index > otherExchange.index;
}
