import { isUtf8 } from 'node:buffer';
import { noteText } from '../../schemas/json/read.ts';
import type { BodyIs } from './recorded-entry.ts';

/** What a recording holds of a body. */
export interface RecordedBody {
  body: Uint8Array | undefined;
  bodyIs: BodyIs;
  /** Set where it stands in a file beside the recording. */
  isAttached?: true;
}

export const missing: RecordedBody = { body: undefined, bodyIs: 'missing' };
export const cut: RecordedBody = { body: undefined, bodyIs: 'cut' };

/** Bytes of a byte order mark, which is lost where a body is decoded. */
export const byteOrderMark = 3;

/** U+FFFD stands for what a recorder could not decode, and for half of a surrogate pair that it kept of it. */
const replacement = Buffer.from('\ufffd');

/** A body that was recorded as text. */
export function textBody(text: string): RecordedBody {
  const body = Buffer.from(text);
  if (body.includes(replacement)) return { body, bodyIs: 'decoded' };
  if (!text.startsWith('\ufeff')) noteText(body, text);
  return { body, bodyIs: 'text' };
}

/** A body that was recorded as base64; what is no base64 holds no body. */
export function base64Body(text: string): RecordedBody {
  const compact = text.replaceAll(/[\r\n]/g, '');
  const valid = compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
  return valid ? { body: Buffer.from(compact, 'base64'), bodyIs: 'raw' } : missing;
}

/** A body that was recorded as the JSON value that it held; nothing is known of one with a number that no double holds. */
export function valueBody(value: unknown): RecordedBody {
  try {
    const text = JSON.stringify(value);
    // JSON.stringify writes such a number as null.
    return text.includes('null') && holdsInfinite(value)
      ? missing
      : { body: Buffer.from(text), bodyIs: 'decoded' };
  } catch (error) {
    // The stack does not suffice for values that are nested too deeply.
    if (error instanceof RangeError) return missing;
    throw error;
  }
}

function holdsInfinite(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInfinite);
}

/**
 * What can be judged of a body beside its headers. What was sent compressed and is no text was kept compressed, also where it
 * was written as text. Without
 * compression a body is as long as Content-Length says: what is shorter was cut by the recorder.
 */
export function checkHeaders(
  recorded: RecordedBody,
  headers: Readonly<Record<string, string>>,
): RecordedBody {
  const { 'content-length': length = '', 'content-encoding': encoding = 'identity' } = headers;
  const { body, bodyIs } = recorded;
  if (body && encoding !== 'identity' && isBinary(body)) return missing;
  if (!body || bodyIs === 'decoded' || !/^\d{1,15}$/.test(length) || encoding !== 'identity') return recorded;
  return body.length + (bodyIs === 'text' ? byteOrderMark : 0) < Number(length) ? cut : recorded;
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
