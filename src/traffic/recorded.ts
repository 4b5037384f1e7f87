import type { Exchange } from '../../schemas/judge/judged.ts';
import type { DescribedRequest } from '../redact/observation.ts';

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

/** Recording to read, with the number by which reports name it. */
export interface NumberedSource {
  source: string;
  /** Position in `TRAFFIC`, from 1: `2` is its second value; `2.7` is the seventh file that matches it, if it is a pattern. */
  number: string;
}

/**
 * Reads a body that a HAR keeps in a file of its own. Undefined if that file is missing, too large, or outside the folder of the
 * HAR.
 * @param name path relative to the HAR
 */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

export interface Position extends NumberedSource {
  index: number;
  /** Offset of the first byte of the entry, after decompression. */
  byte: number;
}

/** Recorded request of an operation with its response. Only `request` is redacted. */
export interface RecordedExchange {
  kind: 'exchange';
  exchange: Exchange;
  /** Request as reports show it. Its `repeat` is a shell command that prints the recorded body of the response. */
  request: DescribedRequest;
  /**
   * Address before the path of the operation, such as `https://staging.example.com/api`. Only responses of equal base are compared.
   */
  base: string;
  /** True if the path may belong to another resource, such as `/customers/export.csv`. */
  isPerhapsOther: boolean;
  at: Moment;
}

/** Part of a recording that cannot be read: to its end, or to the next readable line of newline-delimited JSON. */
export interface BrokenSource extends NumberedSource {
  kind: 'broken';
  reason: string;
  byte: number;
}

export type TrafficEntry =
  | RecordedExchange
  | { kind: 'skipped'; reason: SkipReason; at: Position }
  | BrokenSource;

export interface Moment extends Position {
  /** Start of the request in milliseconds since 1970; NaN if not recorded. */
  from: number;
  /** End of the response in milliseconds since 1970; NaN if not recorded. */
  until: number;
}

/**
 * Returns whether an exchange started after another one had ended. If that end is not recorded, compares the starts, and if they do
 * not differ the positions in the file. Without that end, always false for exchanges of two files.
 */
export function isLater(exchange: Moment, otherExchange: Moment): boolean {
  if (!Number.isNaN(otherExchange.until)) return exchange.from > otherExchange.until;
  if (exchange.number !== otherExchange.number) return false;
  // Both comparisons are false if a start is not recorded (NaN).
  const [isStartLater, isStartEarlier] = [
    exchange.from > otherExchange.from,
    exchange.from < otherExchange.from,
  ];
  return isStartLater || (!isStartEarlier && exchange.index > otherExchange.index);
}
