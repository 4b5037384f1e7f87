import { Tokenizer, TokenType } from '@streamparser/json';
import { decodeText, parseErrorOffset, type UnreadableBody } from '../json.ts';
import type { HttpResponse } from './classify.ts';

const openTokens = [TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET];
const closeTokens = [TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET];

/**
 * Describes why a body is not JSON, such as "text that is not JSON at byte 87". The reason quotes nothing of the body.
 * `problem` must be `empty`, `not UTF-8` or `not JSON`.
 */
export function describeUnreadable(
  { body, headers }: Pick<HttpResponse, 'body' | 'headers'>,
  { problem }: UnreadableBody,
): string {
  // Playwright's client decompresses truncated data as far as possible, possibly to nothing, and reports no error.
  const isCompressed = /gzip|br|deflate/i.test(headers['content-encoding'] ?? '');
  if (problem === 'empty') return isCompressed ? 'nothing, after decompression' : 'an empty body';
  return describeEncoding(body, problem) ?? describeMarkup(decodeText(body)) ?? describeBrokenJson(body);
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

/** Describes why a text is not JSON, such as "JSON with more text after it, at byte 88". */
function describeBrokenJson(body: Uint8Array): string {
  const { depth, invalidOffset, offsetAfterValue } = readTokens(body);
  // `{} {}`
  if (offsetAfterValue !== undefined) return `JSON with more text after it, at byte ${offsetAfterValue + 1}`;
  // `{"a":NaN}`
  if (invalidOffset !== undefined) return `text that is not JSON at byte ${invalidOffset + 1}`;
  // `[1,`
  if (depth > 0) return `JSON that ends at byte ${body.length}, before its objects and lists do`;
  // `[1,]`
  return 'text that resembles JSON, with a misplaced bracket, comma or colon';
}

/** Result of `readTokens`. Offsets count bytes, from 0. */
interface TokenSummary {
  /** Number of unclosed objects and arrays: 2 for `{"a":[`. */
  depth: number;
  /** Offset of the first byte that belongs to no token, such as 5 for `{"a":NaN}`. */
  invalidOffset?: number | undefined;
  /** Offset of the first text after a complete value, such as 3 for `{} {}`. */
  offsetAfterValue?: number | undefined;
}

function readTokens(body: Uint8Array): TokenSummary {
  const summary: TokenSummary = { depth: 0 };
  let isComplete = false;
  // Reads only tokens, because a parser would keep every open object of a long body in memory.
  const tokenizer = new Tokenizer();
  tokenizer.onToken = ({ token, offset }) => {
    if (isComplete) summary.offsetAfterValue ??= offset;
    if (openTokens.includes(token)) summary.depth += 1;
    if (closeTokens.includes(token)) summary.depth -= 1;
    isComplete = summary.depth === 0;
  };
  tokenizer.onError = (error) => {
    summary.invalidOffset = parseErrorOffset(error);
    if (isComplete) summary.offsetAfterValue ??= summary.invalidOffset;
  };
  tokenizer.write(body);
  return summary;
}
