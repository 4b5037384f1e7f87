import type { Exchange } from '../../schemas/judge/judged.ts';
import type { Request } from '../redact/observation.ts';

/** Reason why an entry is not judged, as reports show it. */
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

/** File to read, or `-`. Its number is `2` if it is the second source, `2.7` if it is the seventh match of a pattern there. */
export interface NumberedSource {
  source: string;
  number: string;
}

/** Reads a body from a file beside a recording; undefined if the file is missing, too large, or outside the recording's folder. */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

/** Position of an entry: its source, its index in the source from 0, and the offset of its first byte after decompression. */
export interface Position extends NumberedSource {
  index: number;
  byte: number;
}

/** Recorded exchange of an operation, not redacted except for `request`. */
export interface RecordedExchange {
  kind: 'exchange';
  exchange: Exchange;
  /** Request for reports. Its `repeat` is a command that prints the recorded body. */
  request: Request;
  /** Address before the path of the operation. Only exchanges with equal base are compared. */
  base: string;
  /** True if the path may belong to another resource, such as `/customers/export.csv`. */
  isPerhapsOther: boolean;
  at: Moment;
}

/** Place that cannot be read: from this byte to the end of the source, or to the next readable line of newline-delimited JSON. */
export interface BrokenSource extends NumberedSource {
  kind: 'broken';
  reason: string;
  byte: number;
}

/** Exchange, skipped entry or broken place, in the order of the recording. */
export type TrafficEntry =
  | RecordedExchange
  | { kind: 'skipped'; reason: SkipReason; at: Position }
  | BrokenSource;

/** Position of an exchange with its start and end in milliseconds; NaN if not recorded. */
export interface Moment extends Position {
  from: number;
  until: number;
}

/**
 * Returns whether an exchange started after another one had ended. If the end of the other one is not recorded, the later start or
 * the later place in one file decides; false for exchanges of two files.
 */
export function isLater(exchange: Moment, otherExchange: Moment): boolean {
  if (!Number.isNaN(otherExchange.until)) return exchange.from > otherExchange.until;
  if (exchange.number !== otherExchange.number) return false;
  return (
    exchange.from > otherExchange.from ||
    (exchange.index > otherExchange.index && !(exchange.from < otherExchange.from))
  );
}
