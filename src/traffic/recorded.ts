import type { Exchange } from '../../schemas/judge/judged.ts';
import type { Request } from '../redact/observation.ts';

/** Reason why a recorded exchange is not judged, in the words of the reports, such as `redirect`. */
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
  /** Path of a recording, such as `session.har`; `-` for standard input. */
  source: string;
  /**
   * Number of a recording among the values of `TRAFFIC`: `2` for the second value, `2.7` for the seventh match of a pattern there.
   */
  number: string;
}

/**
 * Reads the body of a response that a HAR keeps in a file of its own. Undefined if that file is missing, too large, or outside the
 * folder of the HAR.
 * @param name path relative to the HAR, as the HAR gives it
 */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

/** Position of an entry in a recording. */
export interface Position extends NumberedSource {
  /** Index of an entry in its recording, from 0. */
  index: number;
  /** Offset of the first byte of an entry in its recording, after decompression. */
  byte: number;
}

/** Recorded request of an operation with its response. Only `request` is redacted. */
export interface RecordedExchange {
  kind: 'exchange';
  exchange: Exchange;
  /** Recorded request as reports show it. Its `repeat` is a shell command that prints the recorded body of the response. */
  request: Request;
  /**
   * Recorded address before the path of the operation, such as `https://staging.example.com/api`. Only responses with equal base
   * are compared.
   */
  base: string;
  /**
   * True if an identifier in the path is no UUID, so that the path may belong to another resource, such as `/customers/export.csv`.
   */
  isPerhapsOther: boolean;
  at: Moment;
}

/** Part of a recording that cannot be read: to its end, or to the next readable line of newline-delimited JSON. */
export interface BrokenSource extends NumberedSource {
  kind: 'broken';
  /** Reason why a part of a recording cannot be read, such as `is not JSON`. */
  reason: string;
  /** Offset in the decompressed recording from which it cannot be read. */
  byte: number;
}

/** Exchange, skipped entry, or unreadable part of a recording. */
export type TrafficEntry =
  | RecordedExchange
  | { kind: 'skipped'; reason: SkipReason; at: Position }
  | BrokenSource;

/** Position of a recorded exchange, with its times. */
export interface Moment extends Position {
  /** Start of a recorded request in milliseconds since 1970; NaN if not recorded. */
  from: number;
  /** End of a recorded response in milliseconds since 1970; NaN if not recorded. */
  until: number;
}

/**
 * Returns whether a recorded exchange started after another one had ended. If the end of the other one is not recorded, returns
 * whether the exchange started later, or stands later in the same file if a start is not recorded or both are equal. False then for
 * exchanges of two files.
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
