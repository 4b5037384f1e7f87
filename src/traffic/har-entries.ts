import {
  type ParsedTokenInfo,
  Tokenizer,
  TokenizerError,
  TokenParser,
  TokenParserError,
  TokenType,
} from '@streamparser/json';
import { parseErrorOffset } from '../../schemas/json.ts';
import { type RecordedEntry, readHarEntry } from './entry.ts';
import type { ReadAttachment } from './recorded.ts';
import { convertReadError, UnreadableRecording } from './sources.ts';

export interface LocatedEntry {
  byteOffset: number;
  /** Undefined for an entry of more than `maxEntryBytes` bytes. */
  entry: RecordedEntry | undefined;
}

/**
 * Factor for the maximum size of an element of `log.entries`. To limit memory, reading stops at an element of more than
 * `maxElementFactor * maxEntryBytes` bytes. A smaller element of more than `maxEntryBytes` bytes is only skipped.
 */
const maxElementFactor = 4;

/**
 * Divisor for the maximum number of objects and arrays in an element of `log.entries`. To limit memory, reading stops at an element
 * with more than `#maxBytes / bytesPerContainer` objects and arrays.
 */
const bytesPerContainer = 32;
const { LEFT_BRACE, LEFT_BRACKET, COLON } = TokenType;

/**
 * Yields the elements of `log.entries` of a HAR. The HAR is parsed chunk by chunk to save memory.
 * @throws {UnreadableRecording} if the HAR is broken, has no `log.entries`, or has a value that is too large. The readable elements
 *   are yielded before the error.
 */
export async function* readHarEntries(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
  readAttachment: ReadAttachment,
): AsyncGenerator<LocatedEntry> {
  const parser = new HarParser(maxEntryBytes, readAttachment);
  try {
    for await (const chunk of chunks) {
      parser.parse(chunk);
      yield* parser.takeEntries();
    }
  } catch (error) {
    // Elements of the last chunk that end before the error.
    yield* parser.takeEntries();
    throw parser.convertError(error);
  }
  parser.assertComplete();
}

class HarParser {
  readonly #maxEntryBytes: number;
  /** Maximum bytes between the ends of two consecutive elements of `log.entries`. */
  readonly #maxBytes: number;
  readonly #readAttachment: ReadAttachment;
  // Without its own buffer, the tokenizer takes twice as long for long texts.
  readonly #tokenizer = new Tokenizer({ stringBufferSize: 65_536 });
  readonly #valueBuilder = new TokenParser({ paths: ['$.log.entries.*'], keepStack: false });
  #completeEntries: LocatedEntry[] = [];
  #bytesRead = 0;
  #lastTokenOffset = 0;
  /** Byte offset at which the previous element of `log.entries` ends. The offset is 0 until the first element has ended. */
  #previousEntryEnd = 0;
  /** Number of objects and arrays since `#previousEntryEnd`. */
  #containerCount = 0;
  #hasEntryList = false;
  #previousValue: ParsedTokenInfo['value'] | undefined;

  constructor(maxEntryBytes: number, readAttachment: ReadAttachment) {
    this.#maxEntryBytes = maxEntryBytes;
    this.#maxBytes = maxElementFactor * maxEntryBytes;
    this.#readAttachment = readAttachment;
    this.#tokenizer.onToken = (token) => this.#addToken(token);
    this.#valueBuilder.onValue = ({ value }) => this.#addEntry(value);
  }

  parse(chunk: Buffer): void {
    this.#bytesRead += chunk.length;
    this.#tokenizer.write(chunk);
    if (this.#bytesRead - this.#previousEntryEnd > this.#maxBytes)
      throw new UnreadableRecording(
        `holds a value of more than ${this.#maxBytes} bytes`,
        this.#previousEntryEnd,
      );
  }

  takeEntries(): LocatedEntry[] {
    const entries = this.#completeEntries;
    this.#completeEntries = [];
    return entries;
  }

  assertComplete(): void {
    if (!this.#valueBuilder.isEnded) throw new UnreadableRecording('ends early', this.#bytesRead);
    if (!this.#hasEntryList) throw new UnreadableRecording('holds no log.entries', this.#bytesRead);
  }

  /**
   * Converts a read or parse error to an `UnreadableRecording`. The new message quotes nothing of the recording.
   * @throws `error` itself if it is a bug of this suite, such as a `TypeError`
   */
  convertError(error: unknown): UnreadableRecording {
    if (error instanceof TokenParserError)
      return new UnreadableRecording('is not JSON', this.#lastTokenOffset);
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return new UnreadableRecording('is not UTF-8', this.#lastTokenOffset);
    if (!(error instanceof TokenizerError)) return convertReadError(error, this.#bytesRead);
    return new UnreadableRecording('is not JSON', parseErrorOffset(error) ?? this.#lastTokenOffset);
  }

  #addToken(token: ParsedTokenInfo): void {
    this.#lastTokenOffset = token.offset;
    if (this.#valueBuilder.isEnded)
      throw new UnreadableRecording('continues after its end', this.#lastTokenOffset);
    if (token.token === LEFT_BRACE || token.token === LEFT_BRACKET) this.#containerCount += 1;
    // Even `{}` takes about 250 bytes of memory.
    if (this.#containerCount * bytesPerContainer > this.#maxBytes)
      throw new UnreadableRecording('holds a value of too many objects and arrays', this.#previousEntryEnd);
    // A key, not a value such as `"comment": "entries"`.
    if (token.token === COLON && this.#previousValue === 'entries') this.#hasEntryList = true;
    this.#previousValue = token.value;
    this.#valueBuilder.write(token);
  }

  #addEntry(value: unknown): void {
    const endOffset = this.#lastTokenOffset + 1;
    const isTooLarge = endOffset - this.#previousEntryEnd > this.#maxEntryBytes;
    const entry = isTooLarge ? undefined : readHarEntry(value, this.#readAttachment);
    this.#completeEntries.push({ byteOffset: this.#previousEntryEnd, entry });
    this.#previousEntryEnd = endOffset;
    this.#containerCount = 0;
  }
}
