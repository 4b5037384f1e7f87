import { isUtf8 } from 'node:buffer';
import { isObjectOrArray, ownValue } from '../../schemas/json.ts';
import type { ReadAttachment, SkipReason } from './recorded.ts';

/**
 * Request and response as a recording holds them, in a HAR or in a line of newline-delimited JSON. Members of type `unknown` are
 * not validated yet.
 */
export interface RecordedEntry {
  /** Recorded method, such as `GET`; undefined if the recording has no text there. */
  method: string | undefined;
  /** Recorded address with its query; undefined if the recording has no text there. Not validated. */
  url: string | undefined;
  /** Recorded headers of the request, as the HAR holds them; undefined for newline-delimited JSON, which has none. */
  requestHeaders: unknown;
  /** Recorded HTTP status of the response, such as `200`, not validated. Recorders write 0 or -1 for a missing response. */
  status: unknown;
  /** Recorded headers of the response: a list of `{ name, value }` (HAR), or an object; not validated. */
  headers: unknown;
  /** Start of a recorded request in milliseconds since 1970; NaN if the recording has no time, or a time without a time zone. */
  startedAt: number;
  /** Recorded milliseconds from the start of the request to the end of the response; undefined if not recorded. */
  durationMs: number | undefined;
  /**
   * Reason to skip a recorded entry whose response is not a complete one of the target: it came from a browser cache or was
   * aborted.
   */
  skipReason?: SkipReason | undefined;
  /** Reads the recorded body of the response. Called only for entries that are not skipped. */
  readBody(): RecordedBody | Promise<RecordedBody>;
}

/** Body of a response, as a recording holds it. */
export interface RecordedBody {
  /**
   * State of a recorded body. `text`: the bytes that the target sent. `value`: JSON that the recorder has parsed and serialized
   * again, or text with undecodable bytes, so that digits of numbers and duplicate keys may be lost; these are not judged.
   * `nothing`: no body.
   */
  holds: 'text' | 'value' | 'nothing';
  /** Bytes of the recorded body, without compression; undefined if `holds` is `nothing`. */
  body?: Uint8Array;
  /** True if the recording holds the body as Base64, so that a command to print the body must decode it. */
  isBase64?: true;
  /** True if the body is in a file of its own beside the HAR, as Playwright records it. */
  isAttached?: true;
}

/** Reads an element of `log.entries` of a HAR. `readAttachment` reads a body that is in a file beside the HAR. */
export function readHarEntry(entry: unknown, readAttachment: ReadAttachment): RecordedEntry {
  const [request, response] = [ownValue(entry, 'request'), ownValue(entry, 'response')];
  return {
    method: readTextMember(request, 'method'),
    url: readTextMember(request, 'url'),
    requestHeaders: ownValue(request, 'headers'),
    status: ownValue(response, 'status'),
    headers: ownValue(response, 'headers'),
    startedAt: readTimeMember(entry, 'startedDateTime'),
    durationMs: readAmountMember(entry, 'time'),
    skipReason: findSkipReason(entry, response),
    readBody: () => readHarBody(ownValue(response, 'content'), readAttachment),
  };
}

/**
 * Returns `not answered by the target` for a HAR entry in which a browser, Playwright or mitmproxy notes that the response does not
 * come from the target (`_fromCache`) or is cut off (`_wasAborted`); undefined for any other entry.
 */
function findSkipReason(entry: unknown, response: unknown): SkipReason | undefined {
  // Names that begin with `_` are no part of HAR 1.2: each recorder adds its own.
  const recorderNotes = [
    ...['_wasAborted', '_wasFulfilled', '_fromCache'].map((name) => ownValue(entry, name)),
    ...['_error', '_failureText', '_fetchedViaServiceWorker'].map((name) => ownValue(response, name)),
  ];
  return recorderNotes.some(Boolean) ? 'not answered by the target' : undefined;
}

/**
 * Reads the parsed line of a recording in newline-delimited JSON: `method`, `url`, `status`, `headers` of the response,
 * `startedAt`, `durationMs`, and the body in `bodyBase64` or `body`. Such a line has no headers of the request, and is never
 * skipped as cached.
 */
export const readLineEntry = (entry: unknown): RecordedEntry => ({
  method: readTextMember(entry, 'method'),
  url: readTextMember(entry, 'url'),
  requestHeaders: undefined,
  status: ownValue(entry, 'status'),
  headers: ownValue(entry, 'headers'),
  startedAt: readTimeMember(entry, 'startedAt'),
  durationMs: readAmountMember(entry, 'durationMs'),
  readBody: () => readLineBody(entry),
});

/** Body of a recorded response whose body is missing from the recording, or cannot be used. */
export const noBody: RecordedBody = { holds: 'nothing' };

/** Length in bytes of a UTF-8 byte order mark, which recorders remove when they decode a body (RFC 3629, section 6). */
const byteOrderMarkBytes = 3;

/** UTF-8 bytes of the replacement character U+FFFD, which recorders write for bytes that they cannot decode. */
const replacementCharacter = Buffer.from('\ufffd');

/**
 * Reads the body of a HAR entry from its `content`: a file beside the HAR (`_file`, Playwright), or a text, or Base64. Returns
 * `noBody` if there is none of them, if the encoding is another one, or if the body does not have the recorded size.
 */
async function readHarBody(content: unknown, readAttachment: ReadAttachment): Promise<RecordedBody> {
  const [file, text] = [readTextMember(content, '_file'), readTextMember(content, 'text')];
  const encoding = ownValue(content, 'encoding') || undefined;
  // An empty text means an empty body only if `size` is 0: some recorders omit the body that way.
  const hasText = text !== undefined && (text !== '' || ownValue(content, 'size') === 0);
  let recordedBody = noBody;
  if (file !== undefined) {
    const body = await readAttachment(file);
    // The recorder may have decoded the body before it wrote the file.
    if (body) recordedBody = { ...createTextBody(body), isAttached: true };
  } else if (hasText && encoding === undefined) recordedBody = createTextBody(Buffer.from(text));
  else if (hasText && encoding === 'base64') recordedBody = decodeBase64Body(text);
  return matchesSize(content, recordedBody) ? recordedBody : noBody;
}

/**
 * Reads the body of a line of newline-delimited JSON: Base64 in `bodyBase64`, or else `body`, which is the text of the body or a
 * JSON value that the recorder has parsed. Returns `noBody` if both are missing or null.
 */
function readLineBody(entry: unknown): RecordedBody {
  const base64 = readTextMember(entry, 'bodyBase64');
  if (base64 !== undefined) return decodeBase64Body(base64);
  const body = ownValue(entry, 'body') ?? undefined;
  return typeof body === 'string' ? createTextBody(Buffer.from(body)) : createValueBody(body);
}

/**
 * Creates a recorded body of the given bytes. `holds` is `text`, or `value` if the bytes contain U+FFFD, because they are then not
 * the bytes that the target sent.
 */
const createTextBody = (body: Buffer): RecordedBody => ({
  body,
  holds: body.includes(replacementCharacter) ? 'value' : 'text',
});

/** Decodes a recorded body in Base64, which may be wrapped into lines. Returns `noBody` if the text is not Base64. */
function decodeBase64Body(text: string): RecordedBody {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const isValid = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return isValid ? { body: Buffer.from(compact, 'base64'), holds: 'text', isBase64: true } : noBody;
}

/**
 * Serializes a body that was recorded as a JSON value. Returns `noBody` for undefined and for a value that is nested too deeply.
 */
function createValueBody(value: unknown): RecordedBody {
  try {
    return { body: Buffer.from(JSON.stringify(value)), holds: 'value' };
  } catch {
    // `Buffer.from(undefined)` throws, and `JSON.stringify` overflows the stack.
    return noBody;
  }
}

/**
 * Returns whether a body has the size that `content.size` of its HAR entry records. True also if there is no body or no recorded
 * size. Accepts each meaning that recorders give to `size`: a number of bytes or of characters, compressed (mitmproxy, which writes
 * the difference to `compression`) or not, with or without a byte order mark.
 */
function matchesSize(content: unknown, { body }: RecordedBody): boolean {
  const size = readAmountMember(content, 'size');
  if (!body || size === undefined || !Number.isSafeInteger(size)) return true;
  const compression = ownValue(content, 'compression');
  const decompressedSize = typeof compression === 'number' ? size + compression : size;
  const isRecordedSize = (length: number) => length === size || length === decompressedSize;
  if (isRecordedSize(body.length) || isRecordedSize(body.length + byteOrderMarkBytes)) return true;
  const characterCount = Buffer.from(body).toString().length;
  return isRecordedSize(characterCount);
}

/**
 * Returns whether a recorded body can be judged: it is not compressed, and not cut off. True also if there is no body. Binary data
 * with a Content-Encoding counts as still compressed. A body without Content-Encoding that is shorter than Content-Length counts as
 * cut off (RFC 9112, section 6.3), except for a `value`, whose length the recorder changed.
 * @param headers headers of the response, keyed by lower-case name
 */
export function isCompleteAndDecoded(
  { body, holds, isBase64 }: RecordedBody,
  headers: Readonly<Record<string, string>>,
): boolean {
  const { 'content-length': length = '', 'content-encoding': encoding = 'identity' } = headers;
  if (!body) return true;
  if (encoding !== 'identity') return !isBinary(body);
  if (holds === 'value' || !/^\d{1,15}$/.test(length)) return true;
  // Recorders that store text drop a byte order mark, which the length in bytes includes; Base64 keeps it.
  return body.length + (isBase64 ? 0 : byteOrderMarkBytes) >= Number(length);
}

/** Matches a control character (`Cc`) other than a tab or a line break, by excluding what is no control character (`\P`). */
const binaryCharacter = /[^\P{Cc}\t\r\n]/u;

/**
 * Returns whether bytes are binary data: they are not UTF-8, or the first 256 of them contain a control character other than a tab
 * or a line break. Also finds binary data that a recorder has decoded as if it were text.
 */
const isBinary = (body: Uint8Array): boolean =>
  !isUtf8(body) || binaryCharacter.test(Buffer.from(body.subarray(0, 256)).toString());

/**
 * Reads the text in a member of an object, such as `url`. Undefined if the value is no object, or the member is missing or no text.
 */
function readTextMember(value: unknown, name: string): string | undefined {
  const text = ownValue(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** Reads the number in a member of an object, such as `size`. Undefined if the member is missing, no number or below 0. */
function readAmountMember(value: unknown, name: string): number | undefined {
  const amount = ownValue(value, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}

/**
 * Reads the time in a member of an object, such as `2026-03-02T08:00:00Z` (ISO 8601), in milliseconds since 1970. NaN if the member
 * is missing, is no such text, or has no time zone.
 */
function readTimeMember(value: unknown, name: string): number {
  const text = readTextMember(value, name) ?? '';
  return /^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * Reads recorded headers, which are a list of `{ name, value }` (HAR) or an object. Returns their values keyed by lower-case name,
 * and joins the values of a repeated header with a comma (RFC 9110, section 5.3). Skips names and values that are no texts. The
 * result has no prototype, because a header may have any name, such as `constructor`.
 */
export function readHeaders(recordedHeaders: unknown): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of listHeaderPairs(recordedHeaders)) {
    if (typeof name !== 'string' || typeof value !== 'string') continue;
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  return headers;
}

/**
 * Lists recorded headers as pairs of name and value, from a list of `{ name, value }` or an object. A header of an object that has
 * a list of values yields a pair for each value. Empty for any other type.
 */
function listHeaderPairs(recordedHeaders: unknown): [name: unknown, value: unknown][] {
  if (Array.isArray(recordedHeaders))
    return recordedHeaders.map((header) => [ownValue(header, 'name'), ownValue(header, 'value')]);
  if (!isObjectOrArray(recordedHeaders)) return [];
  return Object.entries(recordedHeaders).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value): [string, unknown] => [name, value]),
  );
}
