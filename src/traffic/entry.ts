import { isUtf8 } from 'node:buffer';
import { isObjectOrArray, ownValue } from '../../schemas/json.ts';
import type { ReadAttachment, SkipReason } from './recorded.ts';

/** What an entry of a recording holds, in any dialect. Nothing in it has to have the type that it should have. */
export interface Entry {
  method: string | undefined;
  url: string | undefined;
  requestHeaders: unknown;
  status: unknown;
  headers: unknown;
  /** When it began, in milliseconds; NaN unless the recording says it without doubt. */
  startedAt: number;
  durationMs: number | undefined;
  /** Why the target did not answer, or not in full. */
  ended?: SkipReason | undefined;
  /** Read only where the entry counts. */
  readBody(): RecordedBody | Promise<RecordedBody>;
}

/**
 * What a recording holds of a body: the exact `text`, the `value` that the recorder or somebody else made of it, of which neither
 * the digits of numbers nor repeated keys can be judged, or `nothing`.
 */
export interface RecordedBody {
  holds: 'text' | 'value' | 'nothing';
  body?: Uint8Array;
  isBase64?: true;
  /** Set where it stands in a file beside the recording. */
  isAttached?: true;
}

/** What an element of `log.entries` holds, in any dialect of HAR. */
export function readHarEntry(entry: unknown, readAttachment: ReadAttachment): Entry {
  const [request, response] = [ownValue(entry, 'request'), ownValue(entry, 'response')];
  return {
    method: textMember(request, 'method'),
    url: textMember(request, 'url'),
    requestHeaders: ownValue(request, 'headers'),
    status: ownValue(response, 'status'),
    headers: ownValue(response, 'headers'),
    startedAt: timeMember(entry, 'startedDateTime'),
    durationMs: amountMember(entry, 'time'),
    ended: howItEnded(entry, response),
    readBody: () => readHarBody(ownValue(response, 'content'), readAttachment),
  };
}

/** What browsers, Playwright and mitmproxy say, in members of their own, of what the target did not answer, or not in full. */
function howItEnded(entry: unknown, response: unknown): SkipReason | undefined {
  const marks = [
    ...['_wasAborted', '_wasFulfilled', '_fromCache'].map((name) => ownValue(entry, name)),
    ...['_error', '_failureText', '_fetchedViaServiceWorker'].map((name) => ownValue(response, name)),
  ];
  return marks.some(Boolean) ? 'not answered by the target' : undefined;
}

/** What a line of newline-delimited JSON holds: `method`, `url`, `status`, `headers` (of the response), a body, `startedAt`, `durationMs`. */
export const readLineEntry = (entry: unknown): Entry => ({
  method: textMember(entry, 'method'),
  url: textMember(entry, 'url'),
  requestHeaders: undefined,
  status: ownValue(entry, 'status'),
  headers: ownValue(entry, 'headers'),
  startedAt: timeMember(entry, 'startedAt'),
  durationMs: amountMember(entry, 'durationMs'),
  readBody: () => readLineBody(entry),
});

export const nothing: RecordedBody = { holds: 'nothing' };

/** Bytes of a byte order mark, which is lost where a body is decoded. */
const byteOrderMark = 3;

/** U+FFFD stands for what a recorder could not decode, and for half of a surrogate pair that it kept of it. */
const replacement = Buffer.from('\ufffd');

/** What a HAR holds of a body: inside as text or base64, beside as a file (`_file`, Playwright), or not at all. */
async function readHarBody(content: unknown, readAttachment: ReadAttachment): Promise<RecordedBody> {
  const [file, text] = [textMember(content, '_file'), textMember(content, 'text')];
  const encoding = ownValue(content, 'encoding') || undefined;
  // An empty text stands for an empty body only where its size says so.
  const hasText = text !== undefined && (text !== '' || ownValue(content, 'size') === 0);
  let recorded = nothing;
  if (file !== undefined) {
    const body = await readAttachment(file);
    // The recorder may have decoded what it writes to a file, unless it cannot come from decoding.
    if (body) recorded = { ...textBody(body), isAttached: true };
  } else if (hasText && encoding === undefined) recorded = textBody(Buffer.from(text));
  else if (hasText && encoding === 'base64') recorded = base64Body(text);
  return isWhole(content, recorded) ? recorded : nothing;
}

/** What a line holds: `bodyBase64` the bytes, `body` the text, or the value that somebody has read from it. */
function readLineBody(entry: unknown): RecordedBody {
  const base64 = textMember(entry, 'bodyBase64');
  if (base64 !== undefined) return base64Body(base64);
  const body = ownValue(entry, 'body') ?? undefined;
  return typeof body === 'string' ? textBody(Buffer.from(body)) : valueBody(body);
}

const textBody = (body: Buffer): RecordedBody => ({
  body,
  holds: body.includes(replacement) ? 'value' : 'text',
});

/** What is no base64 holds no body. */
function base64Body(text: string): RecordedBody {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const valid = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return valid ? { body: Buffer.from(compact, 'base64'), holds: 'text', isBase64: true } : nothing;
}

/** A body that was recorded as the JSON value that it held. */
function valueBody(value: unknown): RecordedBody {
  try {
    return { body: Buffer.from(JSON.stringify(value)), holds: 'value' };
  } catch {
    // There is none, or the stack does not suffice for values that are nested too deeply.
    return nothing;
  }
}

/**
 * Whether a body is as long as the recording says. Recorders disagree on what `size` is: bytes or characters,
 * before or after decompression (mitmproxy), with or without the byte order mark that is lost in decoding.
 */
function isWhole(content: unknown, { body }: RecordedBody): boolean {
  const size = amountMember(content, 'size');
  if (!body || size === undefined || !Number.isSafeInteger(size)) return true;
  const compression = ownValue(content, 'compression');
  const sizes = [size, typeof compression === 'number' ? size + compression : size];
  if (sizes.includes(body.length) || sizes.includes(body.length + byteOrderMark)) return true;
  return sizes.includes(Buffer.from(body).toString().length);
}

/**
 * Whether a body is what its headers announce. What was sent compressed and is no text was kept compressed, also where
 * it was written as text. Without compression a body is as long as Content-Length says: what is shorter was cut.
 */
export function fitsHeaders(
  { body, holds, isBase64 }: RecordedBody,
  headers: Readonly<Record<string, string>>,
): boolean {
  const { 'content-length': length = '', 'content-encoding': encoding = 'identity' } = headers;
  if (!body) return true;
  if (encoding !== 'identity') return !isBinary(body);
  if (holds === 'value' || !/^\d{1,15}$/.test(length)) return true;
  return body.length + (isBase64 ? 0 : byteOrderMark) >= Number(length);
}

/** Whether a body is no text, or was none before somebody decoded it: so much of it surely shows a byte that no text has. */
const isBinary = (body: Uint8Array): boolean =>
  !isUtf8(body) || /[^\P{Cc}\t\r\n]/u.test(Buffer.from(body.subarray(0, 256)).toString());

/** A member that is text, or undefined. */
function textMember(value: unknown, name: string): string | undefined {
  const text = ownValue(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** A member that is a number of 0 or more, or undefined. */
function amountMember(value: unknown, name: string): number | undefined {
  const amount = ownValue(value, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
}

/** A time that names its zone, in milliseconds; NaN if it is none, or if it could be any of several. */
function timeMember(value: unknown, name: string): number {
  const text = textMember(value, name) ?? '';
  return /^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * Headers of a recording, by name in lower case: a list of names and values (HAR), or an object of them.
 * The result has no prototype, since anything may be a name.
 */
export function readHeaders(recorded: unknown): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of pairsOf(recorded)) {
    if (typeof name !== 'string' || typeof value !== 'string') continue;
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  return headers;
}

function pairsOf(recorded: unknown): [name: unknown, value: unknown][] {
  if (Array.isArray(recorded))
    return recorded.map((item) => [ownValue(item, 'name'), ownValue(item, 'value')]);
  if (!isObjectOrArray(recorded)) return [];
  return Object.entries(recorded).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value): [string, unknown] => [name, value]),
  );
}
