import { isUtf8 } from 'node:buffer';
import { amountMember, member, textMember } from './members.ts';
import type { ReadAttachment } from './sources.ts';

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

const nothing: RecordedBody = { holds: 'nothing' };

/** Bytes of a byte order mark, which is lost where a body is decoded. */
const byteOrderMark = 3;

/** U+FFFD stands for what a recorder could not decode, and for half of a surrogate pair that it kept of it. */
const replacement = Buffer.from('\ufffd');

/** What a HAR holds of a body: inside as text or base64, beside as a file (`_file`, Playwright), or not at all. */
export async function readHarBody(content: unknown, readAttachment: ReadAttachment): Promise<RecordedBody> {
  const file = textMember(content, '_file');
  const recorded = file === undefined ? embedded(content) : attached(await readAttachment(file));
  return isWhole(content, recorded) ? recorded : nothing;
}

/** What a line holds: `bodyBase64` the bytes, `body` the text, or the value that somebody has read from it. */
export function readLineBody(entry: unknown): RecordedBody {
  const base64 = textMember(entry, 'bodyBase64');
  if (base64 !== undefined) return base64Body(base64);
  const body = member(entry, 'body') ?? undefined;
  if (body === undefined) return nothing;
  return typeof body === 'string' ? textBody(body) : valueBody(body);
}

function embedded(content: unknown): RecordedBody {
  const text = textMember(content, 'text');
  // An empty text stands for an empty body only where its size says so.
  if (text === undefined || (text === '' && member(content, 'size') !== 0)) return nothing;
  const encoding = member(content, 'encoding') || undefined;
  if (encoding === undefined) return textBody(text);
  return encoding === 'base64' ? base64Body(text) : nothing;
}

/** The recorder may have decoded what it writes to a file, unless it cannot come from decoding. */
function attached(bytes: Uint8Array | undefined): RecordedBody {
  if (!bytes) return nothing;
  const { body, holds } = isUtf8(bytes)
    ? textBody(Buffer.from(bytes).toString())
    : { body: bytes, holds: 'text' as const };
  return { body, holds, isAttached: true };
}

function textBody(text: string) {
  const body = Buffer.from(text);
  return { body, holds: body.includes(replacement) ? ('value' as const) : ('text' as const) };
}

/** What is no base64 holds no body. */
function base64Body(text: string): RecordedBody {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const valid = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return valid ? { body: Buffer.from(compact, 'base64'), holds: 'text', isBase64: true } : nothing;
}

/** A body that was recorded as the JSON value that it held; nothing is known of one with a number that no double holds. */
function valueBody(value: unknown): RecordedBody {
  try {
    return { body: Buffer.from(JSON.stringify(value, finite)), holds: 'value' };
  } catch (error) {
    // Also where the stack does not suffice for values that are nested too deeply.
    if (error instanceof RangeError) return nothing;
    throw error;
  }
}

/** JSON.stringify would write null. */
function finite(_: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('no double holds it');
  return value;
}

/**
 * Whether a body is as long as the recording says. Recorders disagree on what `size` is: bytes or characters,
 * before or after decompression (mitmproxy), with or without the byte order mark that is lost in decoding.
 */
function isWhole(content: unknown, { body }: RecordedBody): boolean {
  const size = amountMember(content, 'size');
  if (!body || size === undefined || !Number.isSafeInteger(size)) return true;
  const compression = member(content, 'compression');
  const sizes = [size, typeof compression === 'number' ? size + compression : size];
  if (sizes.includes(body.length) || sizes.includes(body.length + byteOrderMark)) return true;
  return sizes.includes(Buffer.from(body).toString().length);
}

/**
 * What can be judged of a body beside its headers. What was sent compressed and is no text was kept compressed, also where
 * it was written as text. Without compression a body is as long as Content-Length says: what is shorter was cut.
 */
export function checkHeaders(
  recorded: RecordedBody,
  headers: Readonly<Record<string, string>>,
): RecordedBody {
  const { 'content-length': length = '', 'content-encoding': encoding = 'identity' } = headers;
  const { body, holds, isBase64 } = recorded;
  if (body && encoding !== 'identity' && isBinary(body)) return nothing;
  if (!body || holds === 'value' || !/^\d{1,15}$/.test(length) || encoding !== 'identity') return recorded;
  return body.length + (isBase64 ? 0 : byteOrderMark) < Number(length) ? nothing : recorded;
}

/** Far more than a compressed body takes to show a byte that no text has. */
const headBytes = 256;

/** Whether a body is no text, or was none before somebody decoded it. What begins as JSON with a payload does was text. */
function isBinary(body: Uint8Array): boolean {
  if (!isUtf8(body)) return true;
  // A character that the cut divides says nothing.
  const head = Buffer.from(body.subarray(0, headBytes))
    .toString()
    .replace(/\ufffd$/, '');
  return !/^\s*[{[]/.test(head) && /[^\P{Cc}\t\r\n]|\ufffd/u.test(head);
}
