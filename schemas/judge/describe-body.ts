import { createScanner } from 'jsonc-parser';
import { decodeText, type UnreadableBody } from '../json.ts';
import type { HttpResponse } from './response.ts';

/* Members of `SyntaxKind` and `ScanError` of jsonc-parser, which declares both as `const enum`: they have no value at run time. */
const [openBrace, closeBrace, openBracket, closeBracket, unknownToken, endOfFile] = [1, 2, 3, 4, 16, 17];
const unexpectedEndOfString = 2;

const depthChanges = new Map([
  [openBrace, 1],
  [closeBrace, -1],
  [openBracket, 1],
  [closeBracket, -1],
]);

/**
 * Describes a body that cannot be read as JSON, without any of its values: "an empty body", "JSON that ends within a string at byte
 * 87".
 */
export function describeUnreadable(
  { body, headers }: Pick<HttpResponse, 'body' | 'headers'>,
  { problem }: UnreadableBody,
): string {
  // Playwright's client reads compressed data that ends early as far as possible, and reports no error.
  const isCompressed = /gzip|br|deflate/i.test(headers['content-encoding'] ?? '');
  if (problem === 'empty') return isCompressed ? 'nothing, after decompression' : 'an empty body';
  const encoding = describeEncoding(body, problem);
  if (encoding) return encoding;
  const text = decodeText(body);
  return describeMarkup(text) ?? describeBrokenJson(text, body.length - Buffer.byteLength(text));
}

/**
 * Describes the encoding of a body if it is not UTF-8: UTF-16, gzip, or the first invalid byte. Undefined for UTF-8. In UTF-16,
 * each ASCII character has a zero byte (RFC 4627 section 3).
 */
function describeEncoding(body: Uint8Array, problem: UnreadableBody['problem']): string | undefined {
  const signature = Buffer.from(body.subarray(0, 2)).toString('hex');
  // A byte order mark in either byte order, or a zero byte beside the first character.
  if (/^(fffe|feff|00..|..00)$/.test(signature)) return 'a body in UTF-16, not UTF-8';
  // ID1 and ID2 of gzip (RFC 1952 section 2.3.1).
  if (signature === '1f8b') return 'compressed data (gzip)';
  if (problem !== 'not UTF-8') return undefined;
  // An invalid byte is decoded to U+FFFD, which has other bytes.
  const decoded = Buffer.from(Buffer.from(body).toString());
  return `a body that is not UTF-8 at byte ${1 + body.findIndex((byte, index) => byte !== decoded[index])}`;
}

/** Describes a text that begins with `<`, as HTML or XML; undefined for any other text. */
function describeMarkup(text: string): string | undefined {
  const start = text.slice(0, 1000).trimStart();
  if (!start.startsWith('<')) return undefined;
  return /<(!doctype\s+)?html\b/i.test(start) ? 'a web page (HTML)' : 'XML, or a part of a web page';
}

/** Place at which a text stops being JSON. */
interface Break {
  /** Number of objects and arrays that are still open there. */
  depth: number;
  /** Offset, in characters from 0, of the end of the last token that is part of the JSON. */
  end: number;
  /** Offset, in characters from 0, of the first token that cannot be part of the JSON; undefined if there is none. */
  offset?: number;
  /** Place of the end, if the text is cut off within its last token: "within a string", or "within a word or a number". */
  place?: string;
}

/**
 * Finds where a text stops being one JSON value: at the first token that cannot be part of it, or at the end of the text. Does not
 * recurse, because nesting may be deep.
 */
function findBreak(text: string): Break {
  const ignoreWhiteSpace = true;
  const scanner = createScanner(text, ignoreWhiteSpace);
  const textEnd = text.trimEnd().length;
  let [depth, end] = [0, 0];
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    /** True for a token after the end of a complete JSON value. */
    const isExcess = depth === 0 && end > 0;
    const error: number = scanner.getTokenError();
    if (isExcess || token === unknownToken || error !== 0) {
      const isOpenString = error === unexpectedEndOfString;
      const place = isOpenString ? 'within a string' : 'within a word or a number';
      // The last token is cut off if it ends the text, and the text needs more to be JSON.
      const isCut = scanner.getPosition() === textEnd && (depth > 0 || isOpenString);
      return { depth, end, offset: scanner.getTokenOffset(), ...(isCut && !isExcess ? { place } : {}) };
    }
    depth += depthChanges.get(token) ?? 0;
    end = scanner.getPosition();
  }
  return { depth, end };
}

/**
 * Describes where a text stops being JSON: "JSON that ends at byte 87, and more text after it".
 * @param bomLength number of bytes of the byte order mark, which the text lacks
 */
function describeBrokenJson(text: string, bomLength: number): string {
  const { depth, end, offset, place } = findBreak(text);
  const at = (length: number) => `at byte ${bomLength + Buffer.byteLength(text.slice(0, length))}`;
  if (place) return `JSON that ends ${place} ${at(text.length)}`;
  if (offset === undefined && depth > 0)
    return `JSON that ends ${at(text.length)}, before its objects and lists do`;
  if (offset === undefined) return 'text that resembles JSON, with a misplaced comma, colon or comment';
  if (end === 0) return 'text that is not JSON';
  return depth === 0
    ? `JSON that ends ${at(end)}, and more text after it`
    : `text that is no longer JSON ${at(offset + 1)}`;
}
