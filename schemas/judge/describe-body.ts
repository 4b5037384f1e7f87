import { createScanner } from 'jsonc-parser';
import { decodeText, type UnreadableBody } from '../json.ts';
import type { HttpResponse } from './classify.ts';

// Members of `SyntaxKind` and `ScanError` of jsonc-parser, which declares both as `const enum`: they have no value at run time.
const openTokens = [1, 3];
const closeTokens = [2, 4];
const unknownToken = 16;
const endOfFile = 17;
const unexpectedEndOfString = 2;

/** Describes why a body is no JSON: "an empty body", "JSON that ends within a string at byte 87". Shows no received value. */
export function describeUnreadable(
  { body, headers }: Pick<HttpResponse, 'body' | 'headers'>,
  { problem }: UnreadableBody,
): string {
  // Playwright's client decompresses truncated data as far as possible, possibly to nothing, and reports no error.
  const isCompressed = /gzip|br|deflate/i.test(headers['content-encoding'] ?? '');
  if (problem === 'empty') return isCompressed ? 'nothing, after decompression' : 'an empty body';
  const encoding = describeEncoding(body, problem);
  if (encoding) return encoding;
  const text = decodeText(body);
  // `decodeText` drops a byte order mark.
  const byteOrderMarkLength = body.length - Buffer.byteLength(text);
  return describeMarkup(text) ?? describeBrokenJson(text, byteOrderMarkLength);
}

/** Describes an encoding other than UTF-8: UTF-16, gzip, or the position of the first invalid byte. */
function describeEncoding(body: Uint8Array, problem: UnreadableBody['problem']): string | undefined {
  const firstTwoBytes = Buffer.from(body.subarray(0, 2)).toString('hex');
  // A byte order mark, or an ASCII character, which in UTF-16 has a zero byte before or after it (RFC 4627 section 3).
  const isUtf16 = /^(fffe|feff|00..|..00)$/.test(firstTwoBytes);
  if (isUtf16) return 'a body in UTF-16, not UTF-8';
  // ID1 and ID2 of gzip (RFC 1952 section 2.3.1).
  if (firstTwoBytes === '1f8b') return 'compressed data (gzip)';
  if (problem !== 'not UTF-8') return undefined;
  return `a body that is not UTF-8 at byte ${1 + findInvalidOffset(body)}`;
}

/** Returns the offset of the first byte sequence that is not UTF-8: 1 for the bytes `7b ff`. Expects a body that has one. */
function findInvalidOffset(body: Uint8Array): number {
  const replacementCharacter = '\ufffd';
  const replacementBytes = Buffer.from(replacementCharacter);
  let offset = 0;
  // An invalid sequence is decoded to U+FFFD. A body may also have a valid U+FFFD.
  for (const validText of Buffer.from(body).toString().split(replacementCharacter)) {
    offset += Buffer.byteLength(validText);
    const bytes = body.subarray(offset, offset + replacementBytes.length);
    if (!replacementBytes.equals(bytes)) break;
    offset += replacementBytes.length;
  }
  return offset;
}

function describeMarkup(text: string): string | undefined {
  const start = text.slice(0, 1000).trimStart();
  if (!start.startsWith('<')) return undefined;
  return /<(!doctype\s+)?html\b/i.test(start) ? 'a web page (HTML)' : 'XML, or a part of a web page';
}

/** Point at which a text stops being JSON. Offsets count characters, from 0. */
interface JsonEnd {
  /** Number of objects and arrays that are not closed. */
  depth: number;
  /** Offset after the last valid token. */
  validEnd: number;
  /** Offset of the first token that JSON does not allow; undefined if all tokens are valid. */
  invalidStart?: number;
  /** Kind of the last token, if the text ends within it. */
  cutToken?: 'within a string' | 'within a word or a number' | undefined;
}

/** Scans a text up to the first token that is invalid or follows a complete value. No recursion, because nesting may be deep. */
function findJsonEnd(text: string): JsonEnd {
  const ignoreWhiteSpace = true;
  const scanner = createScanner(text, ignoreWhiteSpace);
  const textEnd = text.trimEnd().length;
  let [depth, validEnd] = [0, 0];
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    const isAfterCompleteValue = depth === 0 && validEnd > 0;
    const scanError: number = scanner.getTokenError();
    const isInvalidToken = token === unknownToken || scanError !== 0;
    if (isAfterCompleteValue || isInvalidToken) {
      const isLastToken = scanner.getPosition() === textEnd;
      const mayBeCut = isLastToken && !isAfterCompleteValue;
      const cutToken = mayBeCut ? findCutToken(scanError, depth) : undefined;
      return { depth, validEnd, invalidStart: scanner.getTokenOffset(), cutToken };
    }
    if (openTokens.includes(token)) depth += 1;
    if (closeTokens.includes(token)) depth -= 1;
    validEnd = scanner.getPosition();
  }
  return { depth, validEnd };
}

/** Returns the kind of token within which a text ends. Undefined for a bare word such as `hello`, which never was JSON. */
function findCutToken(scanError: number, depth: number): JsonEnd['cutToken'] {
  if (scanError === unexpectedEndOfString) return 'within a string';
  return depth > 0 ? 'within a word or a number' : undefined;
}

/**
 * Describes where a text stops being JSON: "JSON that ends at byte 87, and more text after it".
 * @param byteOrderMarkLength number of bytes of the body before the text
 */
function describeBrokenJson(text: string, byteOrderMarkLength: number): string {
  const { depth, validEnd, invalidStart, cutToken } = findJsonEnd(text);
  const formatPosition = (characterCount: number) => {
    const byteCount = Buffer.byteLength(text.slice(0, characterCount));
    return `at byte ${byteOrderMarkLength + byteCount}`;
  };
  // {"a":tr
  if (cutToken) return `JSON that ends ${cutToken} ${formatPosition(text.length)}`;
  const isOpen = depth > 0;
  // [1,
  if (invalidStart === undefined && isOpen)
    return `JSON that ends ${formatPosition(text.length)}, before its objects and lists do`;
  // [1,]
  if (invalidStart === undefined) return 'text that resembles JSON, with a misplaced comma, colon or comment';
  // hello
  if (validEnd === 0) return 'text that is not JSON';
  // {"a":NaN}
  if (isOpen) return `text that is no longer JSON ${formatPosition(invalidStart + 1)}`;
  // {} {}
  return `JSON that ends ${formatPosition(validEnd)}, and more text after it`;
}
