import { Tokenizer, TokenizerError, TokenParser, TokenParserError, TokenType } from '@streamparser/json';
import { type RecordedEntry, readHarEntry } from './entry.ts';
import type { ReadAttachment } from './recorded.ts';
import { BrokenText, toBrokenText } from './sources.ts';

/** Entry of a recording, with its place. */
export interface LocatedEntry {
  /** Offset of the first byte of an entry in the decompressed recording, from 0. */
  byte: number;
  /** Recorded request and response; undefined if they are larger than `maxEntryBytes`, so that the entry is skipped. */
  entry: RecordedEntry | undefined;
}

/**
 * Factor of `maxEntryBytes`. An element of a HAR that is larger than `maxEntryBytes` is skipped; one that is larger than this
 * multiple makes the rest of the HAR unreadable, because the parser would hold it in memory.
 */
const maxValueRatio = 4;

/**
 * Bytes that each object or array of a HAR element counts towards the size limit. `[]` has two bytes of text, and takes about 250
 * bytes in memory.
 */
const bytesPerContainer = 32;
const { LEFT_BRACE, LEFT_BRACKET } = TokenType;

/**
 * Reads the elements of `log.entries` of a HAR in their order, chunk by chunk, so that a large HAR needs little memory.
 * @param maxEntryBytes size in bytes above which an element is yielded without its content
 * @throws {BrokenText} if the HAR cannot be read any further, after all readable entries were yielded; also if it has no
 * `log.entries`
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
  // Bytes read so far, offsets of the last token and of the current element, and objects and arrays in that element.
  let [byte, lastTokenByte, entryByte, containerCount, hasList] = [0, 0, 0, 0, false];
  tokenizer.onToken = (token) => {
    lastTokenByte = token.offset;
    if (parser.isEnded) throw new BrokenText('continues after its end', lastTokenByte);
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
 * Converts an error of the JSON parser to a `BrokenText` with the offset of the mistake, because the message of the parser quotes
 * the recording. Undefined for an error of another origin.
 * @param lastTokenByte offset of the last token that was read
 */
function convertParserError(error: unknown, lastTokenByte: number): BrokenText | undefined {
  if (error instanceof TokenParserError) return new BrokenText('is not JSON', lastTokenByte);
  if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new BrokenText('is not UTF-8', lastTokenByte);
  if (!(error instanceof TokenizerError)) return undefined;
  // The tokenizer tells the offset only in its message.
  const [, position] = /absolute position "(\d+)"/.exec(error.message) ?? [];
  return new BrokenText('is not JSON', Number(position));
}
