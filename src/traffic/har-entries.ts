import { Tokenizer, TokenizerError, TokenParser, TokenParserError, TokenType } from '@streamparser/json';
import { type RecordedEntry, readHarEntry } from './entry.ts';
import type { ReadAttachment } from './recorded.ts';
import { BrokenText, toBrokenText } from './sources.ts';

/** Entry with the offset of its first byte in the recording; `entry` is undefined if it is larger than the limit. */
export interface LocatedEntry {
  byte: number;
  entry: RecordedEntry | undefined;
}

/** An element of up to this many times the size limit is skipped; a larger one makes the recording unreadable from there on. */
const maxValueRatio = 4;

/**
 * Bytes that each object or array counts towards the size limit, because it takes about 250 bytes in memory, while its text may
 * have two bytes.
 */
const bytesPerContainer = 32;
const { LEFT_BRACE, LEFT_BRACKET } = TokenType;

/**
 * Reads the elements of `log.entries` of a HAR in their order, chunk by chunk, so that a large HAR needs little memory.
 * @param maxEntryBytes size in bytes above which an element is skipped
 * @throws {BrokenText} where the HAR cannot be read any further, after it has yielded the entries before
 */
export async function* readHarEntries(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
  readAttachment: ReadAttachment,
): AsyncGenerator<LocatedEntry> {
  // Limit of an element, and of the text between two elements.
  const maxBytes = maxValueRatio * maxEntryBytes;
  // Without its own buffer, the tokenizer takes twice as long for long texts.
  const tokenizer = new Tokenizer({ stringBufferSize: 65_536 });
  const parser = new TokenParser({ paths: ['$.log.entries.*'], keepStack: false });
  let pendingEntries: LocatedEntry[] = [];
  let [byte, lastTokenByte, entryByte, containerCount, hasList] = [0, 0, 0, 0, false];
  tokenizer.onToken = (token) => {
    lastTokenByte = token.offset;
    if (parser.isEnded) throw new BrokenText('goes on after its end', lastTokenByte);
    if (token.token === LEFT_BRACE || token.token === LEFT_BRACKET) containerCount += 1;
    if (containerCount * bytesPerContainer > maxBytes)
      throw new BrokenText('holds a value of too many objects and arrays', entryByte);
    hasList ||= token.value === 'entries';
    parser.write(token);
  };
  parser.onValue = ({ value }) => {
    const isTooLarge = lastTokenByte + 1 - entryByte > maxEntryBytes;
    pendingEntries.push({
      byte: entryByte,
      entry: isTooLarge ? undefined : readHarEntry(value, readAttachment),
    });
    [entryByte, containerCount] = [lastTokenByte + 1, 0];
  };
  try {
    for await (const chunk of chunks) {
      byte += chunk.length;
      tokenizer.write(chunk);
      yield* pendingEntries;
      pendingEntries = [];
      if (byte - entryByte > maxBytes)
        throw new BrokenText(`holds a value of more than ${maxBytes} bytes`, entryByte);
    }
  } catch (error) {
    yield* pendingEntries;
    throw convertParserError(error, lastTokenByte) ?? toBrokenText(error, byte);
  }
  if (!parser.isEnded) throw new BrokenText('ends early', byte);
  if (!hasList) throw new BrokenText('holds no log.entries', byte);
}

/**
 * Converts an error of the JSON parser to one that does not quote the recording; undefined for any other error.
 * @param lastTokenByte offset of the last token that was read
 */
function convertParserError(error: unknown, lastTokenByte: number): BrokenText | undefined {
  if (error instanceof TokenParserError) return new BrokenText('is not JSON', lastTokenByte);
  if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new BrokenText('is not UTF-8', lastTokenByte);
  if (!(error instanceof TokenizerError)) return undefined;
  const [, position] = /absolute position "(\d+)"/.exec(error.message) ?? [];
  return new BrokenText('is not JSON', Number(position));
}
