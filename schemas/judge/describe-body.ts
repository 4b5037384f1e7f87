import { createScanner } from 'jsonc-parser';
import { decodeText, type UnreadableBody } from '../json.ts';
import type { HttpResponse } from './classify.ts';

// Members of `SyntaxKind` and `ScanError` of jsonc-parser, which declares both as `const enum`: they have no value at run time.
const openTokens = [1, 3];
const closeTokens = [2, 4];
const unknownToken = 16;
const endOfFile = 17;
const unexpectedEndOfString = 2;
const unexpectedEndOfNumber = 3;

/**
 * Describes why a body is not JSON, such as "JSON that ends within a string at byte 87". The reason quotes nothing of the body.
 * `problem` must be `empty`, `not UTF-8` or `not JSON`.
 */
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
  // `decodeText` drops a byte order mark, which has 3 bytes.
  const byteOrderMarkLength = body.length - Buffer.byteLength(text);
  return describeMarkup(text) ?? describeBrokenJson(text, byteOrderMarkLength);
}

function describeEncoding(body: Uint8Array, problem: UnreadableBody['problem']): string | undefined {
  const firstTwoBytes = Buffer.from(body.subarray(0, 2)).toString('hex');
  // The byte order mark of UTF-16, or an ASCII character with a zero byte before or after it (RFC 4627 section 3).
  const isUtf16 = /^(fffe|feff|00..|..00)$/.test(firstTwoBytes);
  if (isUtf16) return 'a body in UTF-16, not UTF-8';
  // ID1 and ID2 of gzip (RFC 1952 section 2.3.1).
  if (firstTwoBytes === '1f8b') return 'compressed data (gzip)';
  if (problem !== 'not UTF-8') return undefined;
  return `a body that is not UTF-8 at byte ${1 + findInvalidOffset(body)}`;
}

function findInvalidOffset(body: Uint8Array): number {
  // Decoding replaces invalid bytes by `�`, which has three bytes (ef bf bd). The body `7b ff` becomes `7b ef bf bd`, so the first
  // difference is within the first `�` that replaces bytes. The offset is that of the beginning of this `�`.
  const decodedText = Buffer.from(body).toString();
  const reencodedBytes = Buffer.from(decodedText);
  const firstDifference = reencodedBytes.findIndex((byte, index) => byte !== body[index]);
  return reencodedBytes.lastIndexOf('\ufffd', firstDifference);
}

function describeMarkup(text: string): string | undefined {
  const start = text.slice(0, 1000).trimStart();
  if (!start.startsWith('<')) return undefined;
  return /<(!doctype\s+)?html\b/i.test(start) ? 'a web page (HTML)' : 'XML, or a part of a web page';
}

/** Result of `findJsonEnd`, which reads a text up to the first invalid JSON token. Offsets count UTF-16 code units, from 0. */
interface JsonEnd {
  /** Number of unclosed objects and arrays: 2 for `{"a":[`. */
  depth: number;
  /** Offset after the last valid token: 5 for `{"a":NaN}`. */
  validEnd: number;
  /**
   * Offset of the first invalid token, such as 3 for `{} {}`. A token after a complete value is invalid, too.
   * Undefined if each token is valid.
   */
  invalidStart?: number;
  /** Kind of the token that the end of the text cuts off, such as `a string` for `{"a":"b`. Undefined if no token is cut off. */
  cutToken?: 'a string' | 'a word or a number' | undefined;
}

/**
 * Finds the first invalid token of a text, such as `NaN` in `{"a":NaN}`.
 * A token after a complete value is invalid, too, such as the second `{` in `{} {}`.
 * The order of tokens within an object or array is not checked, so that each token of `[1,]` is valid.
 */
function findJsonEnd(text: string): JsonEnd {
  const ignoreWhiteSpace = true;
  const scanner = createScanner(text, ignoreWhiteSpace);
  const textEnd = text.trimEnd().length;
  let depth = 0;
  let validEnd = 0;
  // Scans token by token, because a recursive parser could exhaust the stack.
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    const tokenStart = scanner.getTokenOffset();
    const followsCompleteValue = depth === 0 && validEnd > 0;
    if (followsCompleteValue) return { depth, validEnd, invalidStart: tokenStart };
    const scanError: number = scanner.getTokenError();
    const isInvalidToken = token === unknownToken || scanError !== 0;
    if (isInvalidToken) {
      const isLastToken = scanner.getPosition() === textEnd;
      const cutToken = isLastToken ? findCutToken(token, scanError, depth) : undefined;
      return { depth, validEnd, invalidStart: tokenStart, cutToken };
    }
    if (openTokens.includes(token)) depth += 1;
    if (closeTokens.includes(token)) depth -= 1;
    validEnd = scanner.getPosition();
  }
  return { depth, validEnd };
}

function findCutToken(token: number, scanError: number, depth: number): JsonEnd['cutToken'] {
  if (scanError === unexpectedEndOfString) return 'a string';
  // `{"a":tr` or `[1e`. Any other error, such as an unknown escape, is within a complete string.
  const isWordOrNumber = token === unknownToken || scanError === unexpectedEndOfNumber;
  // Outside of objects and arrays, a word such as `hello` is no part of JSON.
  const isInObjectOrArray = depth > 0;
  return isWordOrNumber && isInObjectOrArray ? 'a word or a number' : undefined;
}

/**
 * Describes why a text is not JSON, such as "JSON that ends at byte 87, and more text after it".
 * @param byteOrderMarkLength number of bytes of the byte order mark before `text`, which is 0 or 3
 */
function describeBrokenJson(text: string, byteOrderMarkLength: number): string {
  const { depth, validEnd, invalidStart, cutToken } = findJsonEnd(text);
  const countBytes = (characterCount: number) =>
    byteOrderMarkLength + Buffer.byteLength(text.slice(0, characterCount));
  // `{"a":tr`
  if (cutToken) return `JSON that ends within ${cutToken} at byte ${countBytes(text.length)}`;
  const isUnclosed = depth > 0;
  const isEachTokenValid = invalidStart === undefined;
  // `[1,`
  if (isEachTokenValid && isUnclosed)
    return `JSON that ends at byte ${countBytes(text.length)}, before its objects and lists do`;
  // `[1,]`
  if (isEachTokenValid) return 'text that resembles JSON, with a misplaced bracket, comma, colon or comment';
  // `hello`
  if (validEnd === 0) return 'text that is not JSON';
  // `{"a":NaN}`
  if (isUnclosed) return `text that is no longer JSON at byte ${countBytes(invalidStart) + 1}`;
  // `{} {}`
  return `JSON that ends at byte ${countBytes(validEnd)}, and more text after it`;
}
