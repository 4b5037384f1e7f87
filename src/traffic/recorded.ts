import type { Exchange } from '../../schemas/judge/judged.ts';
import type { Request } from '../redact/observation.ts';

/** Reason why a readable entry is not judged. Contains nothing of the entry. */
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

/** Source to read, with its number: `2` for the second source, `2.7` for the seventh match of a pattern in second place. */
export interface NumberedSource {
  source: string;
  number: string;
}

/** Reads a body in a file beside a recording; undefined if the file is missing or outside the folder. */
export type ReadAttachment = (name: string) => Promise<Buffer | undefined>;

/** Position of an entry: its source, its index there from 0, and its first byte (after decompression). */
export interface Position extends NumberedSource {
  index: number;
  byte: number;
}

/** Recorded exchange of an operation. All of it is raw, except for `request`, whose `repeat` prints the body. */
export interface RecordedExchange {
  kind: 'exchange';
  exchange: Exchange;
  request: Request;
  /** Base address, before the path of the operation. Only exchanges with equal base are compared. */
  base: string;
  /** True if the path may belong to another resource, such as `/customers/export.csv`. */
  isPerhapsOther: boolean;
  at: Moment;
}

/** Source that cannot be read from this byte to its end, or to the next readable line. */
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
 * Returns whether an exchange started after another one had ended. Without durations, the order within one file decides, unless
 * the start times contradict it; false for two files.
 */
export function isLater(exchange: Moment, otherExchange: Moment): boolean {
  if (!Number.isNaN(otherExchange.until)) return exchange.from > otherExchange.until;
  if (exchange.number !== otherExchange.number) return false;
  return (
    exchange.from > otherExchange.from ||
    (exchange.index > otherExchange.index && !(exchange.from < otherExchange.from))
  );
}
