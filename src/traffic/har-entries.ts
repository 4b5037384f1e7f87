import { Tokenizer, TokenizerError, TokenParser, TokenParserError, TokenType } from '@streamparser/json';
import { type RecordedEntry, readHarEntry } from './entry.ts';
import type { ReadAttachment } from './recorded.ts';
import { convertReadError, UnreadableRecording } from './sources.ts';

export interface LocatedEntry {
  byteOffset: number;
  /** Undefined if the entry is too large. */
  entry: RecordedEntry | undefined;
}

/**
 * Size of an element at which reading the HAR ends, as a multiple of `maxEntryBytes`. A smaller element of more than `maxEntryBytes` is
 * only skipped.
 */
const maxElementFactor = 4;

/**
 * Divisor that limits the objects and arrays in an element: an element may have one for each 32 bytes of the maximum size. Reading
 * ends at more of them, because each takes about 250 bytes of memory.
 */
const bytesPerContainer = 32;
const { LEFT_BRACE, LEFT_BRACKET } = TokenType;

/**
 * Yields the elements of `log.entries` of a HAR. Parses chunk by chunk, so that a large HAR needs little memory.
 * @param maxEntryBytes maximum size of an element; for a larger one, `entry` is undefined
 * @throws {UnreadableRecording} if the rest cannot be read, after all elements before it were yielded
 */
export async function* readHarEntries(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
  readAttachment: ReadAttachment,
): AsyncGenerator<LocatedEntry> {
  // Limit of an element, and of the text between two elements.
  const maxBytes = maxElementFactor * maxEntryBytes;
  // Without its own buffer, the tokenizer takes twice as long for long texts.
  const tokenizer = new Tokenizer({ stringBufferSize: 65_536 });
  const parser = new TokenParser({ paths: ['$.log.entries.*'], keepStack: false });
  let pendingEntries: LocatedEntry[] = [];
  let bytesRead = 0;
  let lastTokenOffset = 0;
  let entryOffset = 0;
  let containersInEntry = 0;
  let hasEntryList = false;
  tokenizer.onToken = (token) => {
    lastTokenOffset = token.offset;
    if (parser.isEnded) throw new UnreadableRecording('continues after its end', lastTokenOffset);
    if (token.token === LEFT_BRACE || token.token === LEFT_BRACKET) containersInEntry += 1;
    if (containersInEntry * bytesPerContainer > maxBytes)
      throw new UnreadableRecording('holds a value of too many objects and arrays', entryOffset);
    hasEntryList ||= token.value === 'entries';
    parser.write(token);
  };
  parser.onValue = ({ value }) => {
    const isTooLarge = lastTokenOffset + 1 - entryOffset > maxEntryBytes;
    const entry = isTooLarge ? undefined : readHarEntry(value, readAttachment);
    pendingEntries.push({ byteOffset: entryOffset, entry });
    entryOffset = lastTokenOffset + 1;
    containersInEntry = 0;
  };
  try {
    for await (const chunk of chunks) {
      bytesRead += chunk.length;
      tokenizer.write(chunk);
      yield* pendingEntries;
      pendingEntries = [];
      if (bytesRead - entryOffset > maxBytes)
        throw new UnreadableRecording(`holds a value of more than ${maxBytes} bytes`, entryOffset);
    }
  } catch (error) {
    yield* pendingEntries;
    throw convertParserError(error, lastTokenOffset) ?? convertReadError(error, bytesRead);
  }
  if (!parser.isEnded) throw new UnreadableRecording('ends early', bytesRead);
  if (!hasEntryList) throw new UnreadableRecording('holds no log.entries', bytesRead);
}

/** Converts an error of the JSON parser, whose message may quote the recording, to `UnreadableRecording`. Undefined for other errors. */
function convertParserError(error: unknown, lastTokenOffset: number): UnreadableRecording | undefined {
  if (error instanceof TokenParserError) return new UnreadableRecording('is not JSON', lastTokenOffset);
  if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new UnreadableRecording('is not UTF-8', lastTokenOffset);
  if (!(error instanceof TokenizerError)) return undefined;
  // The tokenizer tells the offset only in its message.
  const [, position] = /absolute position "(\d+)"/.exec(error.message) ?? [];
  return new UnreadableRecording('is not JSON', Number(position));
}
