import { isUtf8 } from 'node:buffer';
import { getOwnValue, isObjectOrArray } from '../../schemas/json.ts';
import type { ReadAttachment, SkipReason } from './recorded.ts';

/**
 * Recorded request with its response, read from a HAR or from a line of newline-delimited JSON. Members of type `unknown` are not
 * validated yet.
 */
export interface RecordedEntry {
  method: string | undefined;
  /** Not validated; undefined if the URL is missing or not a string. */
  url: string | undefined;
  /** Request headers; undefined for newline-delimited JSON, which does not record them. */
  requestHeaders: unknown;
  /** HTTP status of the response. Recorders write 0 or -1 if there was no response. */
  status: unknown;
  /** Response headers, as a list of `{ name, value }` (HAR) or as an object. */
  headers: unknown;
  /** Start of the request in milliseconds since 1970; NaN if the recording has no time, or a time without a time zone. */
  startedAt: number;
  durationMs: number | undefined;
  /**
   * Set if the recorder notes that this is no complete response of the target, for example because it came from a browser cache or
   * was aborted.
   */
  skipReason?: SkipReason | undefined;
  /** Reads the response body. Called only for entries that are not skipped. */
  readBody(): RecordedBody | Promise<RecordedBody>;
}

export interface RecordedBody {
  /**
   * How exactly the body is recorded. `text`: the bytes that the target sent. `value`: JSON that the recorder parsed and serialized
   * again, or text in which it replaced undecodable bytes; digits of numbers and duplicate keys may be lost. `nothing`: no body is
   * recorded.
   */
  holds: 'text' | 'value' | 'nothing';
  /** Decompressed bytes; undefined if `holds` is `nothing`. */
  body?: Uint8Array;
  isBase64?: true;
  /** True if the HAR keeps the body in a separate file, as Playwright does. */
  isAttached?: true;
}

/** Converts an element of `log.entries` of a HAR. Does not read the response body yet. */
export function readHarEntry(entry: unknown, readAttachment: ReadAttachment): RecordedEntry {
  const [request, response] = [getOwnValue(entry, 'request'), getOwnValue(entry, 'response')];
  return {
    method: readTextMember(request, 'method'),
    url: readTextMember(request, 'url'),
    requestHeaders: getOwnValue(request, 'headers'),
    status: getOwnValue(response, 'status'),
    headers: getOwnValue(response, 'headers'),
    startedAt: readTimeMember(entry, 'startedDateTime'),
    durationMs: readNonNegativeMember(entry, 'time'),
    skipReason: findSkipReason(entry, response),
    readBody: () => readHarBody(getOwnValue(response, 'content'), readAttachment),
  };
}

/**
 * Returns `not answered by the target`, a reason to skip an entry, if the recorder (a browser, Playwright or mitmproxy) notes that
 * the response comes from elsewhere, such as `_fromCache`, or was cut off, such as `_wasAborted`. Otherwise undefined.
 */
function findSkipReason(entry: unknown, response: unknown): SkipReason | undefined {
  // Names that begin with `_` are no part of HAR 1.2: each recorder adds its own.
  const recorderNotes = [
    ...['_wasAborted', '_wasFulfilled', '_fromCache'].map((name) => getOwnValue(entry, name)),
    ...['_error', '_failureText', '_fetchedViaServiceWorker'].map((name) => getOwnValue(response, name)),
  ];
  return recorderNotes.some(Boolean) ? 'not answered by the target' : undefined;
}

/**
 * Converts a parsed line of newline-delimited JSON. It holds `method`, `url`, `status`, `headers` (of the response), `startedAt`,
 * `durationMs`, and the response body in `bodyBase64` or `body`.
 */
export const readLineEntry = (entry: unknown): RecordedEntry => ({
  method: readTextMember(entry, 'method'),
  url: readTextMember(entry, 'url'),
  requestHeaders: undefined,
  status: getOwnValue(entry, 'status'),
  headers: getOwnValue(entry, 'headers'),
  startedAt: readTimeMember(entry, 'startedAt'),
  durationMs: readNonNegativeMember(entry, 'durationMs'),
  readBody: () => readLineBody(entry),
});

export const noBody: RecordedBody = { holds: 'nothing' };

/** Length of a UTF-8 byte order mark, which recorders remove when they decode a body (RFC 3629, section 6). */
const byteOrderMarkBytes = 3;

/** U+FFFD, which recorders write in place of bytes that they cannot decode. */
const replacementCharacter = Buffer.from('\ufffd');

/**
 * Reads the response body of a HAR entry: from a separate file (`_file`, written by Playwright), or from `text`, which may be
 * Base64. Returns `noBody` if no body is recorded, or if the body does not have the recorded size.
 * @param content member `response.content` of the HAR entry
 */
async function readHarBody(content: unknown, readAttachment: ReadAttachment): Promise<RecordedBody> {
  const [fileName, text] = [readTextMember(content, '_file'), readTextMember(content, 'text')];
  const encoding = getOwnValue(content, 'encoding') || undefined;
  // An empty text means an empty body only if `size` is 0: some recorders omit the body that way.
  const hasText = text !== undefined && (text !== '' || getOwnValue(content, 'size') === 0);
  // The first form that the entry has: a separate file, text, or Base64.
  let recordedBody = noBody;
  if (fileName !== undefined) {
    const body = await readAttachment(fileName);
    // The recorder may have decoded the body before it wrote the file.
    if (body) recordedBody = { ...createTextBody(body), isAttached: true };
  } else if (hasText && encoding === undefined) recordedBody = createTextBody(Buffer.from(text));
  else if (hasText && encoding === 'base64') recordedBody = decodeBase64Body(text);
  return matchesSize(content, recordedBody) ? recordedBody : noBody;
}

function readLineBody(entry: unknown): RecordedBody {
  const base64 = readTextMember(entry, 'bodyBase64');
  if (base64 !== undefined) return decodeBase64Body(base64);
  const body = getOwnValue(entry, 'body') ?? undefined;
  return typeof body === 'string' ? createTextBody(Buffer.from(body)) : createValueBody(body);
}

/** Creates a recorded body from bytes. If they contain U+FFFD, `holds` is `value`, because the target may have sent other bytes. */
const createTextBody = (body: Buffer): RecordedBody => ({
  body,
  holds: body.includes(replacementCharacter) ? 'value' : 'text',
});

function decodeBase64Body(text: string): RecordedBody {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const isValid = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return isValid ? { body: Buffer.from(compact, 'base64'), holds: 'text', isBase64: true } : noBody;
}

function createValueBody(value: unknown): RecordedBody {
  try {
    return { body: Buffer.from(JSON.stringify(value)), holds: 'value' };
  } catch {
    // `Buffer.from(undefined)` throws, and `JSON.stringify` overflows the stack.
    return noBody;
  }
}

/**
 * Returns whether a body has the size that the recorder noted; true if no size is noted. Recorders disagree about `content.size`:
 * bytes or characters, compressed (mitmproxy, which writes the difference to `compression`) or decompressed, with or without a byte
 * order mark.
 * @param content member `response.content` of the HAR entry
 */
function matchesSize(content: unknown, { body }: RecordedBody): boolean {
  const size = readNonNegativeMember(content, 'size');
  if (!body || size === undefined || !Number.isSafeInteger(size)) return true;
  const compression = getOwnValue(content, 'compression');
  const decompressedSize = typeof compression === 'number' ? size + compression : size;
  const isRecordedSize = (length: number) => length === size || length === decompressedSize;
  if (isRecordedSize(body.length) || isRecordedSize(body.length + byteOrderMarkBytes)) return true;
  const characterCount = Buffer.from(body).toString().length;
  return isRecordedSize(characterCount);
}

/**
 * Returns whether a recorded body can be judged: it is complete and not compressed. It is incomplete if it is shorter than
 * Content-Length (RFC 9112, section 6.3), but the length of a `value` is not compared, because the recorder changed it. If there is
 * a Content-Encoding, binary data counts as compressed, and text as decompressed by the recorder. True without a body.
 * @param headers response headers, keyed by lower-case name
 */
export function isCompleteAndDecoded(
  { body, holds, isBase64 }: RecordedBody,
  headers: Readonly<Record<string, string>>,
): boolean {
  const { 'content-length': contentLength = '', 'content-encoding': encoding = 'identity' } = headers;
  if (body === undefined) return true;
  if (encoding !== 'identity') return !isBinary(body);
  const isLengthComparable = holds === 'text' && /^\d{1,15}$/.test(contentLength);
  if (!isLengthComparable) return true;
  // Content-Length counts a byte order mark. Recorders that store text drop it; Base64 keeps it.
  const maxDroppedBytes = isBase64 ? 0 : byteOrderMarkBytes;
  return body.length + maxDroppedBytes >= Number(contentLength);
}

const binaryCharacter = /[^\P{Cc}\t\r\n]/u;

/**
 * Returns whether a body is binary data: its bytes are not UTF-8, or a control character is among the first 256. Control characters
 * reveal binary data that a recorder has decoded as text.
 */
const isBinary = (body: Uint8Array): boolean =>
  !isUtf8(body) || binaryCharacter.test(Buffer.from(body.subarray(0, 256)).toString());

function readTextMember(value: unknown, name: string): string | undefined {
  const text = getOwnValue(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** Reads a member that should be a number, such as `size`. Undefined if it is missing, no number or negative. */
function readNonNegativeMember(value: unknown, name: string): number | undefined {
  const amount = getOwnValue(value, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}

/**
 * Reads a member that should be an ISO 8601 time, such as `2026-03-02T08:00:00Z`. Returns milliseconds since 1970; NaN if the
 * member is missing, invalid, or has no time zone.
 */
function readTimeMember(value: unknown, name: string): number {
  const text = readTextMember(value, name) ?? '';
  const isTimeWithZone = /^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text);
  return isTimeWithZone ? Date.parse(text) : Number.NaN;
}

/**
 * Converts recorded headers to an object, keyed by lower-case name. Headers are recorded as a list of `{ name, value }` (HAR) or as
 * an object. Joins repeated headers with a comma (RFC 9110, section 5.3). The result has no prototype, because a header may be
 * named `constructor`.
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

function listHeaderPairs(recordedHeaders: unknown): [name: unknown, value: unknown][] {
  if (Array.isArray(recordedHeaders))
    return recordedHeaders.map((header) => [getOwnValue(header, 'name'), getOwnValue(header, 'value')]);
  if (!isObjectOrArray(recordedHeaders)) return [];
  return Object.entries(recordedHeaders).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value): [string, unknown] => [name, value]),
  );
}
