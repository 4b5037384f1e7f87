import { isAscii, isUtf8 } from 'node:buffer';
import { getOwnValue, isObjectOrArray } from '../../schemas/json.ts';
import type { ReadAttachment, SkipReason } from './recorded.ts';

/** Recorded request with its response. Members of type `unknown` are not validated yet. */
export interface RecordedEntry {
  method: string | undefined;
  url: string | undefined;
  /** Request headers as a HAR list of `{ name, value }`. Undefined for newline-delimited JSON. */
  requestHeaders: unknown;
  /** HTTP status of the response. If there is no response, the status is 0, -1 or undefined. */
  status: unknown;
  /**
   * Response headers, as recorded. A HAR has a list of `{ name, value }`. Newline-delimited JSON may have an object such as
   * `{ "content-type": "application/json" }`.
   */
  headers: unknown;
  /** Start of the request in milliseconds since 1970. The value is NaN if the recording has no valid time with a time zone. */
  startedAt: number;
  durationMs: number | undefined;
  skipReason?: SkipReason | undefined;
  readBody(): RecordedBody | Promise<RecordedBody>;
}

export interface RecordedBody {
  /**
   * Fidelity of `body` to the body that the target sent. With `text`, both are equal, except that a byte order mark may be missing.
   * With `value`, the bytes may differ, because the recorder parsed or converted the body. With `nothing`, no usable body is
   * recorded.
   */
  fidelity: 'text' | 'value' | 'nothing';
  body?: Uint8Array;
  isBase64?: true;
  /** True for a body in a separate file beside the HAR. */
  isAttached?: true;
}

export function readHarEntry(entry: unknown, readAttachment: ReadAttachment): RecordedEntry {
  const request = getOwnValue(entry, 'request');
  const response = getOwnValue(entry, 'response');
  return {
    method: readTextMember(request, 'method'),
    url: readTextMember(request, 'url'),
    requestHeaders: getOwnValue(request, 'headers'),
    status: getOwnValue(response, 'status'),
    headers: getOwnValue(response, 'headers'),
    startedAt: readTimeMember(entry, 'startedDateTime'),
    durationMs: readNonNegativeMember(entry, 'time'),
    skipReason: findSkipReason(entry),
    readBody: () => readHarBody(getOwnValue(response, 'content'), readAttachment),
  };
}

function findSkipReason(entry: unknown): SkipReason | undefined {
  const response = getOwnValue(entry, 'response');
  // Names that begin with `_` are no part of HAR 1.2: each recorder adds its own.
  const entryFlags = ['_wasAborted', '_wasFulfilled', '_fromCache'];
  const responseFlags = ['_error', '_failureText', '_fetchedViaServiceWorker'];
  // Safari names the source of a response: `Disk Cache`, `Memory Cache`, `Service Worker` or `Inspector Override`.
  const source = readTextMember(entry, '_fetchType') ?? networkLoad;
  const isFlagged =
    source !== networkLoad ||
    isFromCacheOfFirefox(entry) ||
    entryFlags.some((name) => getOwnValue(entry, name)) ||
    responseFlags.some((name) => getOwnValue(response, name));
  return isFlagged ? 'not answered by the target' : undefined;
}

/**
 * Returns whether Firefox has taken a response from its cache. In a HAR of Firefox, the entry of such a response has `time: 0` and
 * `headersSize: 0`. Other recorders may write 0 for an unknown value, so the request must also have the user agent of Firefox.
 */
function isFromCacheOfFirefox(entry: unknown): boolean {
  const headersSize = getOwnValue(getOwnValue(entry, 'response'), 'headersSize');
  if (headersSize !== 0 || getOwnValue(entry, 'time') !== 0) return false;
  const { 'user-agent': userAgent = '' } = readHeaders(getOwnValue(getOwnValue(entry, 'request'), 'headers'));
  return userAgent.includes('Firefox/');
}

/** Converts a parsed line of newline-delimited JSON. */
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

const networkLoad = 'Network Load';

export const noBody: RecordedBody = { fidelity: 'nothing' };

/** Length of a UTF-8 byte order mark (RFC 3629, section 6). */
const byteOrderMarkBytes = 3;

/** UTF-8 bytes of the character U+FFFD. Many recorders write this character in place of bytes that they cannot decode. */
const replacementCharacter = Buffer.from('\ufffd');

async function readHarBody(content: unknown, readAttachment: ReadAttachment): Promise<RecordedBody> {
  // Playwright may write a body to a file beside the HAR.
  const fileName = readTextMember(content, '_file');
  const isInline = fileName === undefined;
  const recordedBody = isInline ? readInlineBody(content) : await readAttachedBody(fileName, readAttachment);
  return matchesSize(content, recordedBody) ? recordedBody : noBody;
}

async function readAttachedBody(fileName: string, readAttachment: ReadAttachment): Promise<RecordedBody> {
  const body = await readAttachment(fileName);
  if (!body) return noBody;
  // `createTextBody`, because the recorder may have decoded the body before it wrote the file.
  return { ...createTextBody(body), isAttached: true };
}

function readInlineBody(content: unknown): RecordedBody {
  const text = readTextMember(content, 'text');
  // Some recorders write an empty `text` for a body that they omit.
  const isOmitted = text === '' && getOwnValue(content, 'size') !== 0;
  if (text === undefined || isOmitted) return noBody;
  const encoding = getOwnValue(content, 'encoding');
  if (!encoding) return createTextBody(Buffer.from(text));
  return encoding === 'base64' ? decodeBase64Body(text) : noBody;
}

function readLineBody(entry: unknown): RecordedBody {
  const base64 = readTextMember(entry, 'bodyBase64');
  if (base64 !== undefined) return decodeBase64Body(base64);
  const body = getOwnValue(entry, 'body') ?? undefined;
  return typeof body === 'string' ? createTextBody(Buffer.from(body)) : createValueBody(body);
}

const createTextBody = (body: Buffer): RecordedBody => ({
  body,
  // A replacement character may stand for other bytes that the target sent.
  fidelity: body.includes(replacementCharacter) ? 'value' : 'text',
});

function decodeBase64Body(text: string): RecordedBody {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const isValid = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return isValid ? { body: Buffer.from(compact, 'base64'), fidelity: 'text', isBase64: true } : noBody;
}

function createValueBody(value: unknown): RecordedBody {
  if (value === undefined) return noBody;
  try {
    // The recorder has parsed the JSON, and may have lost duplicate keys (RFC 8259 section 4).
    return { body: Buffer.from(JSON.stringify(value)), fidelity: 'value' };
  } catch {
    // `JSON.stringify` throws for a value that is nested too deeply.
    return noBody;
  }
}

function matchesSize(content: unknown, { body }: RecordedBody): boolean {
  const size = readNonNegativeMember(content, 'size');
  if (!body || size === undefined || !Number.isSafeInteger(size)) return true;
  const recordedSizes = [size];
  // mitmproxy notes the compressed size, and in `compression` how many bytes more the decompressed body has.
  const compression = getOwnValue(content, 'compression');
  if (typeof compression === 'number') recordedSizes.push(size + compression);
  const isRecordedSize = (count: number) => recordedSizes.includes(count);
  // The size may include a byte order mark that the recorder removed from the body.
  if (isRecordedSize(body.length) || isRecordedSize(body.length + byteOrderMarkBytes)) return true;
  // Some recorders count characters instead of bytes.
  const characterCount = Buffer.from(body).toString().length;
  return isRecordedSize(characterCount);
}

/**
 * Estimates whether a recorded body is still compressed, or cut off. A compressed body is binary, and its response has a
 * `content-encoding`. A body is cut off if it is shorter than `content-length` (RFC 9112, section 6.3). The lengths are compared
 * only for a body with the fidelity `text` that was sent uncompressed. Returns false if there is no body.
 */
export function isCompressedOrCutOff(
  recordedBody: RecordedBody,
  headers: Readonly<Record<string, string>>,
): boolean {
  const { body, fidelity, isBase64 } = recordedBody;
  if (body === undefined) return false;
  const { 'content-length': contentLength = '', 'content-encoding': encoding = 'identity' } = headers;
  const wasSentCompressed = encoding.toLowerCase() !== 'identity';
  // Content-Length is the compressed length, so it is not compared. A body that the recorder has decompressed is text.
  if (wasSentCompressed) return isBinary(body);
  // With another fidelity, the body is not recorded as it was sent, so that its length may differ.
  const isComparable = fidelity === 'text' && /^\d{1,15}$/.test(contentLength);
  if (!isComparable) return false;
  // Content-Length counts a byte order mark. Recorders that store text drop the mark, so that the sent body may have been longer.
  const maxSentLength = isBase64 ? body.length : body.length + byteOrderMarkBytes;
  return maxSentLength < Number(contentLength);
}

/**
 * Sets `fidelity: 'value'` for a text that the recorder may have converted to UTF-8. Such a text has non-ASCII characters, and its
 * `content-type` names a charset other than UTF-8 and US-ASCII. Returns any other body unchanged, such as a body in base64.
 */
export function markDecodedBody(body: RecordedBody, headers: Readonly<Record<string, string>>): RecordedBody {
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s;",]+)/i.exec(headers['content-type'] ?? '') ?? [];
  const mayBeDecoded = body.fidelity === 'text' && !body.isBase64 && !/^(utf-?8|us-ascii)$/i.test(charset);
  return mayBeDecoded && !isAscii(body.body ?? new Uint8Array()) ? { ...body, fidelity: 'value' } : body;
}

const controlCharacter = /[^\P{Cc}\t\r\n]/u;

const isBinary = (body: Uint8Array): boolean =>
  !isUtf8(body) || controlCharacter.test(Buffer.from(body.subarray(0, 256)).toString());

function readTextMember(parent: unknown, name: string): string | undefined {
  const text = getOwnValue(parent, name);
  return typeof text === 'string' ? text : undefined;
}

function readNonNegativeMember(parent: unknown, name: string): number | undefined {
  const amount = getOwnValue(parent, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}

function readTimeMember(parent: unknown, name: string): number {
  const text = readTextMember(parent, name) ?? '';
  const isTimeWithZone = /^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text);
  return isTimeWithZone ? Date.parse(text) : Number.NaN;
}

/**
 * Converts recorded headers to an object with lower-case keys. Joins the values of a repeated header with `, `
 * (RFC 9110, section 5.3).
 */
export function readHeaders(recordedHeaders: unknown): Record<string, string> {
  // Without a prototype, because a header may be named `constructor`.
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
  const pairs: [name: string, value: unknown][] = [];
  for (const [name, valueOrValues] of Object.entries(recordedHeaders)) {
    const values = Array.isArray(valueOrValues) ? valueOrValues : [valueOrValues];
    for (const value of values) pairs.push([name, value]);
  }
  return pairs;
}
