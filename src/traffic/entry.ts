import { isUtf8 } from 'node:buffer';
import { isObjectOrArray, ownValue } from '../../schemas/json.ts';
import type { ReadAttachment, SkipReason } from './recorded.ts';

/** Entry of a recording, in any dialect. Members of type `unknown` may have any type. */
export interface RecordedEntry {
  method: string | undefined;
  url: string | undefined;
  requestHeaders: unknown;
  status: unknown;
  headers: unknown;
  /** Start in milliseconds; NaN if the recording has no unambiguous time. */
  startedAt: number;
  durationMs: number | undefined;
  /** Reason why the response is not, or not completely, that of the target. */
  ended?: SkipReason | undefined;
  /** Reads the body. Called only for entries that count. */
  readBody(): RecordedBody | Promise<RecordedBody>;
}

/**
 * Recorded body. `text` is the exact text. `value` is what the recorder or another program parsed or decoded, so that digits and
 * duplicate keys cannot be judged. `nothing` is no body.
 */
export interface RecordedBody {
  holds: 'text' | 'value' | 'nothing';
  body?: Uint8Array;
  isBase64?: true;
  /** Set if the body is in a file beside the recording. */
  isAttached?: true;
}

/** Reads an element of `log.entries`, in any dialect of HAR. */
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
 * Finds the marks that browsers, Playwright and mitmproxy set on a response that is not, or not completely, that of the target.
 */
function findSkipReason(entry: unknown, response: unknown): SkipReason | undefined {
  const abortMarks = [
    ...['_wasAborted', '_wasFulfilled', '_fromCache'].map((name) => ownValue(entry, name)),
    ...['_error', '_failureText', '_fetchedViaServiceWorker'].map((name) => ownValue(response, name)),
  ];
  return abortMarks.some(Boolean) ? 'not answered by the target' : undefined;
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

/** Length of a byte order mark, which decoding removes. */
const byteOrderMarkBytes = 3;

/** U+FFFD, by which recorders replace bytes that they cannot decode and lone surrogates. */
const replacementCharacter = Buffer.from('\ufffd');

/** Reads the body of a HAR: text or Base64 in `content`, or a file beside the HAR (`_file`, Playwright). */
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

/** Reads the body of a line: bytes in `bodyBase64`, text in `body`, or a value that another program parsed. */
function readLineBody(entry: unknown): RecordedBody {
  const base64 = readTextMember(entry, 'bodyBase64');
  if (base64 !== undefined) return decodeBase64Body(base64);
  const body = ownValue(entry, 'body') ?? undefined;
  return typeof body === 'string' ? createTextBody(Buffer.from(body)) : createValueBody(body);
}

const createTextBody = (body: Buffer): RecordedBody => ({
  body,
  holds: body.includes(replacementCharacter) ? 'value' : 'text',
});

/** Decodes a Base64 body; no body if the text is not Base64. */
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
 * Returns whether a body has the recorded size. Recorders disagree on `size`: bytes or characters, before or after decompression
 * (mitmproxy), with or without the byte order mark that decoding removes.
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
 * Returns whether a body matches its headers. Binary content despite Content-Encoding is still compressed, even if it was
 * recorded as text. Without compression, a body shorter than Content-Length was truncated (RFC 9112, section 6.3).
 */
export function matchesHeaders(
  { body, holds, isBase64 }: RecordedBody,
  headers: Readonly<Record<string, string>>,
): boolean {
  const { 'content-length': length = '', 'content-encoding': encoding = 'identity' } = headers;
  if (!body) return true;
  if (encoding !== 'identity') return !isBinary(body);
  if (holds === 'value' || !/^\d{1,15}$/.test(length)) return true;
  return body.length + (isBase64 ? 0 : byteOrderMarkBytes) >= Number(length);
}

/**
 * Returns whether a body is no text, or was none before it was decoded: the first 256 bytes of binary data contain a control
 * character.
 */
const isBinary = (body: Uint8Array): boolean =>
  !isUtf8(body) || /[^\P{Cc}\t\r\n]/u.test(Buffer.from(body.subarray(0, 256)).toString());

/** Reads a text member; undefined for any other type. */
function readTextMember(value: unknown, name: string): string | undefined {
  const text = ownValue(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** Reads a number member of 0 or more; undefined for any other value. */
function readAmountMember(value: unknown, name: string): number | undefined {
  const amount = ownValue(value, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}

/** Reads a time with a time zone, in milliseconds; NaN if it is ambiguous or no time. */
function readTimeMember(value: unknown, name: string): number {
  const text = readTextMember(value, name) ?? '';
  return /^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * Reads recorded headers, keyed by lower-case name: a list of names and values (HAR), or an object. The result has no prototype,
 * because any name may occur.
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
    return recordedHeaders.map((header) => [ownValue(header, 'name'), ownValue(header, 'value')]);
  if (!isObjectOrArray(recordedHeaders)) return [];
  return Object.entries(recordedHeaders).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value): [string, unknown] => [name, value]),
  );
}
