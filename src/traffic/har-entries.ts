import { Tokenizer, TokenizerError, TokenParser, TokenParserError, TokenType } from '@streamparser/json';
import { type Entry, readHarEntry } from './entry.ts';
import type { ReadAttachment } from './recorded.ts';
import { asBrokenText, BrokenText } from './sources.ts';

/** An entry, and its first byte; nothing of one that is larger than it may be. */
export interface FoundAt {
  byte: number;
  entry: Entry | undefined;
}

/** So many times as large as it may be, an element is passed over. */
const maxValueRatio = 4;

/** One object or array in so many bytes of the largest element is read: each takes 250 in memory, and may be one of the text. */
const bytesForEach = 32;
const { LEFT_BRACE, LEFT_BRACKET } = TokenType;

/**
 * The elements of `log.entries` of a HAR, in their order; no more is in memory than those of one chunk.
 * @throws {BrokenText} where the text breaks, behind all that stands before it.
 */
export async function* harEntries(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
  readAttachment: ReadAttachment,
): AsyncGenerator<FoundAt> {
  // Of an element, or of what stands between two.
  const maxBytes = maxValueRatio * maxEntryBytes;
  // Without a buffer of its own the tokenizer takes twice the time for long texts.
  const tokenizer = new Tokenizer({ stringBufferSize: 65_536 });
  const parser = new TokenParser({ paths: ['$.log.entries.*'], keepStack: false });
  let found: FoundAt[] = [];
  let [byte, last, behindLast, begun, hasList] = [0, 0, 0, 0, false];
  tokenizer.onToken = (token) => {
    last = token.offset;
    if (parser.isEnded) throw new BrokenText('goes on after its end', last);
    if (token.token === LEFT_BRACE || token.token === LEFT_BRACKET) begun += 1;
    if (begun * bytesForEach > maxBytes)
      throw new BrokenText('holds a value of too many objects and arrays', behindLast);
    hasList ||= token.value === 'entries';
    parser.write(token);
  };
  parser.onValue = ({ value }) => {
    const isTooLarge = last + 1 - behindLast > maxEntryBytes;
    found.push({ byte: behindLast, entry: isTooLarge ? undefined : readHarEntry(value, readAttachment) });
    [behindLast, begun] = [last + 1, 0];
  };
  try {
    for await (const chunk of chunks) {
      byte += chunk.length;
      tokenizer.write(chunk);
      yield* found;
      found = [];
      if (byte - behindLast > maxBytes)
        throw new BrokenText(`holds a value of more than ${maxBytes} bytes`, behindLast);
    }
  } catch (error) {
    yield* found;
    throw mistakeOf(error, last) ?? asBrokenText(error, byte);
  }
  if (!parser.isEnded) throw new BrokenText('ends early', byte);
  if (!hasList) throw new BrokenText('holds no log.entries', byte);
}

/** What an error of the parser says of the text, which its message quotes; undefined of any other. @param last where the last token begins */
function mistakeOf(error: unknown, last: number): BrokenText | undefined {
  if (error instanceof TokenParserError) return new BrokenText('is not JSON', last);
  if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new BrokenText('is not UTF-8', last);
  if (!(error instanceof TokenizerError)) return undefined;
  const [, at] = /absolute position "(\d+)"/.exec(error.message) ?? [];
  return new BrokenText('is not JSON', Number(at));
}
