import { isUtf8 } from 'node:buffer';
import { isObjectOrArray, ownValue } from '../../schemas/json.ts';
import type { ReadAttachment, SkipReason } from './recorded.ts';

/** Request and response in a recording, of HAR or of newline-delimited JSON. Members of type `unknown` are not validated yet. */
export interface RecordedEntry {
  method: string | undefined;
  url: string | undefined;
  requestHeaders: unknown;
  /** Status of the response. */
  status: unknown;
  /** Headers of the response. */
  headers: unknown;
  /** Start in milliseconds since 1970; NaN if the recording has no time, or a time without its zone. */
  startedAt: number;
  durationMs: number | undefined;
  /** Set if a browser cache, a mock or an abort replaced or cut the response of the target. */
  ended?: SkipReason | undefined;
  /** Reads the body of the response. Called only for entries that are not skipped. */
  readBody(): RecordedBody | Promise<RecordedBody>;
}

/** Recorded body of a response. */
export interface RecordedBody {
  /**
   * `text`: the body as sent. `value`: what the recorder parsed or decoded, in which the digits of numbers and duplicate keys may
   * be lost, so they are not judged. `nothing`: no body.
   */
  holds: 'text' | 'value' | 'nothing';
  body?: Uint8Array;
  /** Set if the recording holds the body as Base64. */
  isBase64?: true;
  /** Set if the body is in a file beside the recording. */
  isAttached?: true;
}

/** Reads an element of `log.entries` of a HAR. */
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
    ended: findSkipReason(entry, response),
    readBody: () => readHarBody(ownValue(response, 'content'), readAttachment),
  };
}

/**
 * Finds the marks with which browsers, Playwright and mitmproxy say that a response does not come from the target, such as
 * `_fromCache`, or is cut off, such as `_wasAborted`. Undefined without such a mark.
 */
function findSkipReason(entry: unknown, response: unknown): SkipReason | undefined {
  const marks = [
    ...['_wasAborted', '_wasFulfilled', '_fromCache'].map((name) => ownValue(entry, name)),
    ...['_error', '_failureText', '_fetchedViaServiceWorker'].map((name) => ownValue(response, name)),
  ];
  return marks.some(Boolean) ? 'not answered by the target' : undefined;
}

/**
 * Reads a line of newline-delimited JSON: `method`, `url`, `status`, `headers` (of the response), a body, `startedAt`,
 * `durationMs`.
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

export const noBody: RecordedBody = { holds: 'nothing' };

/** Length of a UTF-8 byte order mark, which decoding removes. */
const byteOrderMarkBytes = 3;

/** U+FFFD in UTF-8. Recorders write it instead of bytes that they cannot decode. */
const replacementCharacter = Buffer.from('\ufffd');

/**
 * Reads the body of a HAR entry: text or Base64 in `content`, or a file beside the HAR (`_file`, Playwright). No body if it does not
 * have the recorded size.
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

/** Reads the body of a line: Base64 in `bodyBase64`, or `body`, which is a text or a JSON value that a recorder parsed. */
function readLineBody(entry: unknown): RecordedBody {
  const base64 = readTextMember(entry, 'bodyBase64');
  if (base64 !== undefined) return decodeBase64Body(base64);
  const body = ownValue(entry, 'body') ?? undefined;
  return typeof body === 'string' ? createTextBody(Buffer.from(body)) : createValueBody(body);
}

/** Creates a body of bytes. With a replacement character it is no longer the text as sent. */
const createTextBody = (body: Buffer): RecordedBody => ({
  body,
  holds: body.includes(replacementCharacter) ? 'value' : 'text',
});

/** Decodes a Base64 body, which may be wrapped into lines; no body if the text is not Base64. */
function decodeBase64Body(text: string): RecordedBody {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const isValid = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return isValid ? { body: Buffer.from(compact, 'base64'), holds: 'text', isBase64: true } : noBody;
}

/** Serializes a body that was recorded as a JSON value. */
function createValueBody(value: unknown): RecordedBody {
  try {
    return { body: Buffer.from(JSON.stringify(value)), holds: 'value' };
  } catch {
    // The value is undefined, or nested too deeply for the stack.
    return noBody;
  }
}

/**
 * Returns whether a body has the size that its HAR entry records; true if none is recorded. Recorders disagree on `size`: bytes or
 * characters, compressed (then `compression` is the difference; mitmproxy) or not, with or without a byte order mark.
 */
function matchesSize(content: unknown, { body }: RecordedBody): boolean {
  const size = readAmountMember(content, 'size');
  if (!body || size === undefined || !Number.isSafeInteger(size)) return true;
  const compression = ownValue(content, 'compression');
  const sizes = [size, typeof compression === 'number' ? size + compression : size];
  if (sizes.includes(body.length) || sizes.includes(body.length + byteOrderMarkBytes)) return true;
  return sizes.includes(Buffer.from(body).toString().length);
}

/**
 * Returns whether a recorded body can be the decoded, complete body that the headers announce. Binary data with a Content-Encoding
 * is still compressed. Without Content-Encoding, a body shorter than Content-Length is cut off (RFC 9112, section 6.3).
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

/**
 * Returns whether a body is binary data, even if it was decoded as if it were text: it is not UTF-8, or its first 256 bytes
 * contain a control character other than a tab or a line break.
 */
const isBinary = (body: Uint8Array): boolean =>
  !isUtf8(body) || /[^\P{Cc}\t\r\n]/u.test(Buffer.from(body.subarray(0, 256)).toString());

/** Reads a member of an object; undefined unless the object has it and it is a text. */
function readTextMember(value: unknown, name: string): string | undefined {
  const text = ownValue(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** Reads a member of an object; undefined unless the object has it and it is a number of 0 or more. */
function readAmountMember(value: unknown, name: string): number | undefined {
  const amount = ownValue(value, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}

/** Reads an ISO 8601 time such as `2026-03-02T08:00:00Z`, in milliseconds; NaN for another text, or without a time zone. */
function readTimeMember(value: unknown, name: string): number {
  const text = readTextMember(value, name) ?? '';
  return /^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * Reads recorded headers, keyed by lower-case name: a list of names and values (HAR), or an object. Joins repeated headers with a
 * comma. The result has no prototype, because a header may have any name, such as `constructor`.
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

/** Lists recorded headers as pairs of name and value, a header with several values once for each; empty for any other type. */
function listHeaderPairs(recordedHeaders: unknown): [name: unknown, value: unknown][] {
  if (Array.isArray(recordedHeaders))
    return recordedHeaders.map((header) => [ownValue(header, 'name'), ownValue(header, 'value')]);
  if (!isObjectOrArray(recordedHeaders)) return [];
  return Object.entries(recordedHeaders).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value): [string, unknown] => [name, value]),
  );
}
