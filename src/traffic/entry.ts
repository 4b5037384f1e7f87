import { isUtf8 } from 'node:buffer';
import { getOwnValue, isObjectOrArray } from '../../schemas/json.ts';
import type { ReadAttachment, SkipReason } from './recorded.ts';

/** Recorded request with its response. Members of type `unknown` are not validated yet. */
export interface RecordedEntry {
  method: string | undefined;
  url: string | undefined;
  /** Request headers; undefined for newline-delimited JSON, which has none. */
  requestHeaders: unknown;
  /** HTTP status; 0 or -1 for a missing response. */
  status: unknown;
  /** Response headers: a list of `{ name, value }` (HAR) or an object. */
  headers: unknown;
  /** Start of the request in milliseconds since 1970; NaN without a time or time zone. */
  startedAt: number;
  durationMs: number | undefined;
  /** Reason to skip the entry, for example because its response comes from a browser cache. */
  skipReason?: SkipReason | undefined;
  readBody(): RecordedBody | Promise<RecordedBody>;
}

export interface RecordedBody {
  /**
   * Fidelity of the body. `text`: the bytes that the target sent. `value`: the recorder parsed and serialized JSON again, or
   * replaced undecodable bytes, so that digits and duplicate keys may be lost. `nothing`: no body is recorded.
   */
  holds: 'text' | 'value' | 'nothing';
  body?: Uint8Array;
  isBase64?: true;
  /** True if the HAR keeps the body in a separate file, as Playwright does. */
  isAttached?: true;
}

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

/** Returns a reason to skip an entry if its response comes from elsewhere, such as `_fromCache`, or was cut off. */
function findSkipReason(entry: unknown, response: unknown): SkipReason | undefined {
  // Names that begin with `_` are no part of HAR 1.2: each recorder adds its own.
  const recorderNotes = [
    ...['_wasAborted', '_wasFulfilled', '_fromCache'].map((name) => getOwnValue(entry, name)),
    ...['_error', '_failureText', '_fetchedViaServiceWorker'].map((name) => getOwnValue(response, name)),
  ];
  return recorderNotes.some(Boolean) ? 'not answered by the target' : undefined;
}

/** Converts a line of newline-delimited JSON, which holds the response body in `bodyBase64` or `body`. */
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

/** Length of a UTF-8 byte order mark, which recorders remove when they decode a body (RFC 3629 section 6). */
const byteOrderMarkBytes = 3;

/** U+FFFD, which recorders write in place of bytes that they cannot decode. */
const replacementCharacter = Buffer.from('\ufffd');

/**
 * Reads the body of a HAR entry: from a separate file (`_file`, written by Playwright), or from `text`. Returns `noBody` if there
 * is none, or if it has another size than recorded.
 * @param content member `response.content` of the HAR entry
 */
async function readHarBody(content: unknown, readAttachment: ReadAttachment): Promise<RecordedBody> {
  const [fileName, text] = [readTextMember(content, '_file'), readTextMember(content, 'text')];
  const encoding = getOwnValue(content, 'encoding') || undefined;
  // An empty text means an empty body only if `size` is 0: some recorders omit the body that way.
  const hasText = text !== undefined && (text !== '' || getOwnValue(content, 'size') === 0);
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

/** Creates a recorded body. If it contains U+FFFD, the target may have sent other bytes, so that `holds` is `value`. */
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
 * Returns whether a body has the recorded size, if there is one. Recorders disagree about `content.size`: bytes or characters,
 * compressed (mitmproxy, with the difference in `compression`) or not, with or without a byte order mark.
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
 * Returns whether a body is whole and not compressed. If it is shorter than Content-Length (RFC 9112 section 6.3), it is cut off,
 * unless the recorder changed its length (`value`). Under a Content-Encoding, only text is already decompressed.
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

/** Returns whether a body is not UTF-8, or begins with control characters, as binary data decoded as text does. */
const isBinary = (body: Uint8Array): boolean =>
  !isUtf8(body) || binaryCharacter.test(Buffer.from(body.subarray(0, 256)).toString());

function readTextMember(value: unknown, name: string): string | undefined {
  const text = getOwnValue(value, name);
  return typeof text === 'string' ? text : undefined;
}

function readNonNegativeMember(value: unknown, name: string): number | undefined {
  const amount = getOwnValue(value, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}

/** Returns milliseconds since 1970; NaN if the ISO 8601 time is missing, invalid, or without a time zone. */
function readTimeMember(value: unknown, name: string): number {
  const text = readTextMember(value, name) ?? '';
  const isTimeWithZone = /^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text);
  return isTimeWithZone ? Date.parse(text) : Number.NaN;
}

/**
 * Converts recorded headers to an object, keyed by lower-case name. Joins repeated ones with a comma (RFC 9110 section 5.3). The
 * object has no prototype, because a header may be named `constructor`.
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
