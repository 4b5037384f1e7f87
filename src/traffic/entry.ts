import { isUtf8 } from 'node:buffer';
import { getOwnValue, isObjectOrArray } from '../../schemas/json.ts';
import type { ReadAttachment, SkipReason } from './recorded.ts';

/** Request and response as a HAR, or a line of newline-delimited JSON, holds them. Members of type `unknown` are not validated. */
export interface RecordedEntry {
  method: string | undefined;
  /** Recorded URL, not validated; undefined if it is missing or no string. */
  url: string | undefined;
  /** Recorded headers of the request; undefined for newline-delimited JSON, which has none. */
  requestHeaders: unknown;
  /** Recorded HTTP status, not validated. Recorders write 0 or -1 for a missing response. */
  status: unknown;
  /** Response headers: a list of `{ name, value }` (HAR), or an object. */
  headers: unknown;
  /** Start of the request in milliseconds since 1970; NaN if the recording has no time, or a time without a time zone. */
  startedAt: number;
  durationMs: number | undefined;
  /** Set if the response does not come from the target: from a browser cache, or aborted. */
  skipReason?: SkipReason | undefined;
  /** Called only for entries that are not skipped. */
  readBody(): RecordedBody | Promise<RecordedBody>;
}

export interface RecordedBody {
  /**
   * `text`: the bytes that the target sent. `value`: JSON that the recorder has parsed and serialized again, or text with
   * undecodable bytes, so that digits of numbers and duplicate keys may be lost. `nothing`: no body.
   */
  holds: 'text' | 'value' | 'nothing';
  /** Decompressed bytes; undefined if `holds` is `nothing`. */
  body?: Uint8Array;
  isBase64?: true;
  /** True if the body is in a file beside the HAR, as Playwright records it. */
  isAttached?: true;
}

/** Reads an element of `log.entries` of a HAR. */
export function readHarEntry(entry: unknown, readAttachment: ReadAttachment): RecordedEntry {
  const [request, response] = [getOwnValue(entry, 'request'), getOwnValue(entry, 'response')];
  return {
    method: readTextMember(request, 'method'),
    url: readTextMember(request, 'url'),
    requestHeaders: getOwnValue(request, 'headers'),
    status: getOwnValue(response, 'status'),
    headers: getOwnValue(response, 'headers'),
    startedAt: readTimeMember(entry, 'startedDateTime'),
    durationMs: readAmountMember(entry, 'time'),
    skipReason: findSkipReason(entry, response),
    readBody: () => readHarBody(getOwnValue(response, 'content'), readAttachment),
  };
}

/**
 * Returns `not answered by the target` if a browser, Playwright or mitmproxy notes that the response comes from elsewhere
 * (`_fromCache`) or is cut off (`_wasAborted`).
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
 * Reads a parsed line of newline-delimited JSON: `method`, `url`, `status`, `headers` of the response, `startedAt`, `durationMs`,
 * and the body in `bodyBase64` or `body`.
 */
export const readLineEntry = (entry: unknown): RecordedEntry => ({
  method: readTextMember(entry, 'method'),
  url: readTextMember(entry, 'url'),
  requestHeaders: undefined,
  status: getOwnValue(entry, 'status'),
  headers: getOwnValue(entry, 'headers'),
  startedAt: readTimeMember(entry, 'startedAt'),
  durationMs: readAmountMember(entry, 'durationMs'),
  readBody: () => readLineBody(entry),
});

export const noBody: RecordedBody = { holds: 'nothing' };

/** Recorders remove a UTF-8 byte order mark when they decode a body (RFC 3629, section 6). */
const byteOrderMarkBytes = 3;

/** Recorders write U+FFFD for bytes that they cannot decode. */
const replacementCharacter = Buffer.from('\ufffd');

/**
 * Reads the body from `content` of a HAR entry: from a file beside the HAR (`_file`, Playwright), or from `text`, which may be
 * Base64. Returns `noBody` if there is none, or if it does not have the recorded size.
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

/** Creates a body from bytes. With U+FFFD in them, they are not the bytes that the target sent, and `holds` is `value`. */
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
 * Returns whether a body has the recorded size, or no size is recorded. Recorders disagree about `content.size`: bytes or
 * characters, compressed (mitmproxy, which writes the difference to `compression`) or not, with or without a byte order mark.
 */
function matchesSize(content: unknown, { body }: RecordedBody): boolean {
  const size = readAmountMember(content, 'size');
  if (!body || size === undefined || !Number.isSafeInteger(size)) return true;
  const compression = getOwnValue(content, 'compression');
  const decompressedSize = typeof compression === 'number' ? size + compression : size;
  const isRecordedSize = (length: number) => length === size || length === decompressedSize;
  if (isRecordedSize(body.length) || isRecordedSize(body.length + byteOrderMarkBytes)) return true;
  const characterCount = Buffer.from(body).toString().length;
  return isRecordedSize(characterCount);
}

/**
 * Returns whether a body can be judged: it is not compressed, and not shorter than Content-Length (RFC 9112, section 6.3). With a
 * Content-Encoding, only binary data counts as compressed. The length of a `value` is not compared, because the recorder changed
 * it. True without a body.
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

const binaryCharacter = /[^\P{Cc}\t\r\n]/u;

/**
 * Returns whether bytes are not UTF-8, or whether a control character is among the first 256. Also finds binary data that a
 * recorder has decoded as text.
 */
const isBinary = (body: Uint8Array): boolean =>
  !isUtf8(body) || binaryCharacter.test(Buffer.from(body.subarray(0, 256)).toString());

function readTextMember(value: unknown, name: string): string | undefined {
  const text = getOwnValue(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** Reads a number in a member, such as `size`. Undefined if it is missing, no number or negative. */
function readAmountMember(value: unknown, name: string): number | undefined {
  const amount = getOwnValue(value, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}

/**
 * Reads an ISO 8601 time in a member, such as `2026-03-02T08:00:00Z`, in milliseconds since 1970. NaN if it is missing, invalid, or
 * has no time zone.
 */
function readTimeMember(value: unknown, name: string): number {
  const text = readTextMember(value, name) ?? '';
  return /^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * Reads a list of `{ name, value }` (HAR) or an object into headers keyed by lower-case name. Joins repeated headers with a comma
 * (RFC 9110, section 5.3). The result has no prototype, because a header may be named `constructor`.
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
