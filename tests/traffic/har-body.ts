import { isUtf8 } from 'node:buffer';
import { base64Body, byteOrderMark, cut, missing, type RecordedBody, textBody } from './body.ts';
import { member, sizeMember, textMember } from './members.ts';
import type { ReadAttachment } from './recorded-entry.ts';

/** What a HAR holds of a body: inside as text or base64, beside as a file (`_file`, Playwright), or not at all. */
export async function readHarBody(content: unknown, readAttachment: ReadAttachment): Promise<RecordedBody> {
  const file = textMember(content, '_file');
  const recorded = file === undefined ? embedded(content) : attached(await readAttachment(file));
  return isWhole(content, recorded) ? recorded : cut;
}

function embedded(content: unknown): RecordedBody {
  const text = textMember(content, 'text');
  // An empty text stands for an empty body only where its size says so.
  if (text === undefined || (text === '' && member(content, 'size') !== 0)) return missing;
  const encoding = member(content, 'encoding') || undefined;
  if (encoding === undefined) return textBody(text);
  return encoding === 'base64' ? base64Body(text) : missing;
}

/** The recorder may have decoded what it writes to a file, unless it cannot come from decoding. */
function attached(bytes: Uint8Array | undefined): RecordedBody {
  if (!bytes) return missing;
  const recorded: RecordedBody = isUtf8(bytes)
    ? textBody(Buffer.from(bytes).toString())
    : { body: bytes, bodyIs: 'raw' };
  return { ...recorded, isAttached: true };
}

/**
 * Whether a body is as long as the recording says. Recorders disagree on what `size` is: bytes or characters,
 * before or after decompression (mitmproxy), with or without the byte order mark that is lost in decoding.
 */
function isWhole(content: unknown, { body }: RecordedBody): boolean {
  const size = sizeMember(content, 'size');
  if (!body || size === undefined) return true;
  const compression = member(content, 'compression');
  const sizes = [size, typeof compression === 'number' ? size + compression : size];
  if (sizes.includes(body.length) || sizes.includes(body.length + byteOrderMark)) return true;
  return sizes.includes(Buffer.from(body).toString().length);
}
