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
  /** Path of the recording, such as `traffic/day.har`. Standard input has the path `-`. */
  source: string;
  /**
   * Position of the recording in `TRAFFIC`, counted from 1. The second value has the number `2`. If the second value is a pattern
   * such as `*.har`, its seventh file has the number `2.7`.
   */
  number: string;
}

/**
 * Reads a response body that a HAR stores in a separate file. Returns undefined if the file is missing, too large or outside the
 * folder of the HAR.
 */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

export interface Position extends NumberedSource {
  index: number;
  /**
   * Byte offset of the entry in the decompressed recording. In a HAR, the offset is the end of the previous entry. For the first
   * entry of a HAR, the offset is 0.
   */
  byteOffset: number;
}

/** Recorded request of an operation, with its response. */
export interface RecordedExchange extends Pick<RecordedRequest, 'base' | 'isPathAmbiguous'> {
  kind: 'exchange';
  /** Request and response, not redacted. */
  exchange: Exchange;
  /**
   * Redacted description of the request. Its `curlCommand` prints the recorded response body instead of sending the request. The
   * command is `''` if the name of the recording does not end in `.har`, `.ndjson` or `.jsonl`.
   */
  request: DescribedRequest;
  at: Moment;
}

/** Part of a recording that cannot be read. If the file is missing, for example, the part is the whole recording. */
export interface UnreadablePart extends NumberedSource {
  kind: 'broken';
  reason: string;
  /** Byte offset in the decompressed recording near which reading failed. An unknown offset is 0. */
  byteOffset: number;
}

export type TrafficEntry =
  | RecordedExchange
  | { kind: 'skipped'; reason: SkipReason; at: Position }
  | UnreadablePart;

export interface Moment extends Position {
  /** Start of the request in milliseconds since 1970. An unknown start is NaN. */
  from: number;
  /** End of the response in milliseconds since 1970. An unknown end is NaN. */
  until: number;
}

/**
 * Returns whether `exchange` began after the end of `otherExchange`. If this end is known, but the start of `exchange` is unknown,
 * the result is false. If the end is unknown, exchanges of one recording are compared by their start times. If the start times are
 * equal or unknown, the exchanges are compared by their positions in the recording. If the end is unknown, and the exchanges are
 * in different recordings, the result is false.
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
