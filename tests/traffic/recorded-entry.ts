import type { NumberedSource } from './shown-source.ts';

/** Why an entry of a recording is not judged, though it could be read. Nothing of the entry is in it. */
export type SkipReason =
  | 'malformed entry'
  | 'entry too large'
  | 'other method'
  | 'not HTTP'
  | 'other path'
  | 'recorded twice'
  | 'aborted'
  | 'no response'
  | 'answered by a test'
  | 'from a cache or service worker'
  | 'not modified (304)'
  | 'redirect'
  | 'record not found (404)'
  | 'unauthorized (401, 403, 407)'
  | 'undocumented request'
  | 'error response that the contract leaves open'
  | 'too many requests (429)'
  | 'server error (5xx)';

/**
 * What a recording holds of a body, from most to least:
 * `raw` the bytes as they were sent, once any compression was undone: everything can be judged;
 * `text` the exact text, whose bytes the recorder has decoded: all but the charset can be judged;
 * `decoded` what the recorder made of it: values can be judged, but neither how numbers are written nor repeated keys;
 * `missing` and `cut` nothing that can be judged.
 */
export type BodyIs = 'raw' | 'text' | 'decoded' | 'missing' | 'cut';

/** Where an entry stands: the source, its place in that source from 0, its first byte there (once inflated). */
export interface Position extends NumberedSource {
  index: number;
  byte: number;
}

/** A recorded request with its response. Everything here is raw: it must pass redaction before it is written. */
export interface ExchangeEntry {
  kind: 'exchange';
  method: string;
  /** Without credentials and fragment. */
  url: string;
  /** The header Accept of the request, when the recording holds it. */
  accept: string | undefined;
  status: number;
  /** Names in lower case; repeated ones are joined by a comma, as HTTP allows. It has no prototype. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | undefined;
  bodyIs: BodyIs;
  /** Set where the body stands in a file beside the recording. */
  isAttached: boolean;
  /** ISO 8601 in UTC, when the recording says it without doubt. */
  startedAt: string | undefined;
  /** How long it took, when the recording says it. */
  durationMs: number | undefined;
  position: Position;
}

export type RecordedEntry =
  | ExchangeEntry
  | { kind: 'skipped'; reason: SkipReason; position: Position }
  /** A source that cannot be read from this byte on: to its end, or to the next line that can be read. */
  | ({ kind: 'broken'; reason: string; byte: number } & NumberedSource);

/** What an entry says in any dialect, once its position is known. */
export type EntryContent = Omit<ExchangeEntry, 'position'> | { kind: 'skipped'; reason: SkipReason };

/** What a path leads to: a lookup by identifier may answer 404 without breaking any promise. */
export interface Route {
  lookup: boolean;
}

/** Tells which of the operations a URL belongs to; undefined for none. */
export type FindRoute = (url: URL) => Route | undefined;

/** Reads a body that is kept beside the recording; undefined if there is none that may be read. */
export type ReadAttachment = (name: string) => Promise<Uint8Array | undefined>;
