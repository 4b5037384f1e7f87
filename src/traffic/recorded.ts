import type { Exchange } from '../../schemas/judge/judged.ts';
import type { DescribedRequest } from '../redact/observation.ts';

/** Reason why an entry of a recording is not judged. */
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

/** Recording to read, with the number that stands for it in reports. */
export interface NumberedSource {
  /** Path of the file, or `-` for standard input. */
  source: string;
  /**
   * Position in `TRAFFIC`, from 1: `2` is its second value. If that value is a pattern such as `*.har`, the number of the seventh
   * file that matches it is `2.7`.
   */
  number: string;
}

/**
 * Reads a response body that a HAR keeps in a separate file. Undefined if the file is missing, too large, or outside the folder of
 * the HAR.
 * @param name path of the file, relative to the HAR
 */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

export interface Position extends NumberedSource {
  /** Index among the entries of the recording, from 0. */
  index: number;
  /** Offset of the first byte of the entry in the decompressed recording, from 0. */
  byte: number;
}

/** Recorded request of an operation with its response. Not redacted, except for `request`. */
export interface RecordedExchange {
  kind: 'exchange';
  exchange: Exchange;
  /** Request as reports show it. Its `repeat` is a shell command that prints the recorded response body. */
  request: DescribedRequest;
  /**
   * URL without the path of the operation, such as `https://staging.example.com/api`. Responses with different bases are not
   * compared with each other.
   */
  base: string;
  /** True if the path may belong to another resource, such as `/customers/export.csv`. */
  isPerhapsOther: boolean;
  at: Moment;
}

/**
 * Part of a recording that cannot be read. It extends to the end of the recording; in newline-delimited JSON, to the next line that
 * can be read.
 */
export interface BrokenSource extends NumberedSource {
  kind: 'broken';
  reason: string;
  /** Offset of the first unreadable byte in the decompressed recording, from 0. */
  byte: number;
}

export type TrafficEntry =
  | RecordedExchange
  | { kind: 'skipped'; reason: SkipReason; at: Position }
  | BrokenSource;

/** Position of an exchange in a recording, and its time. */
export interface Moment extends Position {
  /** Start of the request in milliseconds since 1970; NaN if the recording has no time. */
  from: number;
  /** End of the response in milliseconds since 1970; NaN if the recording has no time or duration. */
  until: number;
}

/**
 * Returns whether an exchange certainly began after another one had ended. If the end of the other exchange is not recorded, two
 * exchanges of one recording are compared by their start, and with equal or missing starts by their position; for exchanges of
 * different recordings, the result is then false.
 */
export function isLater(exchange: Moment, otherExchange: Moment): boolean {
  const isOtherEndRecorded = !Number.isNaN(otherExchange.until);
  if (isOtherEndRecorded) return exchange.from > otherExchange.until;
  const isSameRecording = exchange.number === otherExchange.number;
  if (!isSameRecording) return false;
  // Both comparisons are false if a start is not recorded (NaN).
  const [isStartLater, isStartEarlier] = [
    exchange.from > otherExchange.from,
    exchange.from < otherExchange.from,
  ];
  return isStartLater || (!isStartEarlier && exchange.index > otherExchange.index);
}
