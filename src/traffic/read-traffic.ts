import type { Readable } from 'node:stream';
import type { Operation } from '../../schemas/contract/contract.ts';
import { parseJson } from '../../schemas/json.ts';
import { readLineEntry } from './entry.ts';
import { createEntryConverter, isSkipReason } from './exchanges.ts';
import { type LocatedEntry, readHarEntries } from './har-entries.ts';
import type { NumberedSource, TrafficEntry, UnreadablePart } from './recorded.ts';
import { convertReadError, numberSources, openRecordings, UnreadableRecording } from './sources.ts';

export interface TrafficOptions {
  operations: Operation[];
  /**
   * Maximum size of an entry in bytes. The default is 16 MiB. A larger entry is not judged. A response body that a HAR stores in a
   * separate file has the same limit.
   */
  maxEntryBytes?: number;
  baseUrl?: string | undefined;
  input?: Readable;
}

/**
 * Reads recordings and yields their entries. A `TrafficEntry` is an exchange, a skipped request with the reason, or a part that
 * cannot be read.
 * @param sources values of `TRAFFIC`, such as `day.har`, `*.har`, or `-` for standard input
 */
export async function* readTraffic(
  sources: readonly string[],
  options: TrafficOptions,
): AsyncGenerator<TrafficEntry> {
  const convertEntry = createEntryConverter(options.operations, options.baseUrl);
  for (const file of await numberSources(sources)) {
    let entryCount = 0;
    for await (const entryOrError of readSource(file.source, options)) {
      if (entryOrError instanceof UnreadableRecording) {
        yield createUnreadablePart(file, entryOrError);
        continue;
      }
      const { entry, byteOffset } = entryOrError;
      const position = { ...file, index: entryCount, byteOffset };
      entryCount += 1;
      const exchangeOrReason = entry ? await convertEntry(entry, position) : 'entry too large';
      if (isSkipReason(exchangeOrReason)) yield { kind: 'skipped', reason: exchangeOrReason, at: position };
      else yield exchangeOrReason;
    }
  }
}

function createUnreadablePart(file: NumberedSource, error: UnreadableRecording): UnreadablePart {
  const { message: reason, byteOffset = 0 } = error;
  return { kind: 'broken', reason, ...file, byteOffset };
}

async function* readSource(
  source: string,
  options: TrafficOptions,
): AsyncGenerator<LocatedEntry | UnreadableRecording> {
  const { input = process.stdin, maxEntryBytes = 16 * 2 ** 20 } = options;
  try {
    for await (const { isHar, chunks, readAttachment } of openRecordings(source, input, maxEntryBytes))
      yield* isHar
        ? readHarEntries(chunks, maxEntryBytes, readAttachment)
        : readLineEntries(chunks, maxEntryBytes);
  } catch (error) {
    yield convertReadError(error, 0);
  }
}

/**
 * Yields the entries of newline-delimited JSON. Consecutive lines that are not JSON yield one `UnreadableRecording` together. Empty
 * lines are skipped.
 */
async function* readLineEntries(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
): AsyncGenerator<LocatedEntry | UnreadableRecording> {
  let isPreviousLineBroken = false;
  for await (const { byteOffset, content, isLast } of readLines(chunks, maxEntryBytes)) {
    const isTooLarge = content === undefined;
    if (isTooLarge) {
      isPreviousLineBroken = false;
      yield { byteOffset, entry: undefined };
      continue;
    }
    // `trim` also removes a byte order mark.
    const text = content.toString().trim();
    if (text === '') continue;
    const json = parseJson(text);
    if (json) {
      isPreviousLineBroken = false;
      yield { byteOffset, entry: readLineEntry(json.value) };
      continue;
    }
    if (isPreviousLineBroken) continue;
    isPreviousLineBroken = true;
    const endOffset = byteOffset + content.length;
    // The recording may be cut off.
    if (isLast) yield new UnreadableRecording('ends early', endOffset);
    else yield new UnreadableRecording('is not JSON', byteOffset);
  }
}

interface Line {
  byteOffset: number;
  /** Undefined for a line of more than `maxBytes` bytes. */
  content: Buffer | undefined;
  /** True for the text after the last line feed. This text is empty if the stream ends with a line feed. */
  isLast?: true;
}

const lineFeed = 0x0a;

/** Yields the lines of a stream without their line feeds. A line of more than `maxBytes` bytes has no `content`. */
async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  const currentLine = new LineBuffer(maxBytes);
  try {
    for await (const chunk of chunks) {
      let lineStart = 0;
      let lineEnd = chunk.indexOf(lineFeed);
      while (lineEnd !== -1) {
        currentLine.append(chunk.subarray(lineStart, lineEnd));
        yield currentLine.takeLine();
        lineStart = lineEnd + 1;
        lineEnd = chunk.indexOf(lineFeed, lineStart);
      }
      // The line continues in the next chunk.
      currentLine.append(chunk.subarray(lineStart));
    }
  } catch (error) {
    throw convertReadError(error, currentLine.endOffset);
  }
  yield { ...currentLine.takeLine(), isLast: true };
}

/** Joins the parts of a line. If the line has more than `maxBytes` bytes, its parts are dropped to save memory. */
class LineBuffer {
  readonly #maxBytes: number;
  #offset = 0;
  #length = 0;
  #parts: Buffer[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get endOffset(): number {
    return this.#offset + this.#length;
  }

  append(part: Buffer): void {
    this.#length += part.length;
    if (this.#isTooLong) this.#parts = [];
    else this.#parts.push(part);
  }

  /** Returns the line, and empties the buffer. */
  takeLine(): Line {
    const content = this.#isTooLong ? undefined : Buffer.concat(this.#parts);
    const line = { byteOffset: this.#offset, content };
    const lineFeedBytes = 1;
    this.#offset = this.endOffset + lineFeedBytes;
    this.#length = 0;
    this.#parts = [];
    return line;
  }

  get #isTooLong(): boolean {
    return this.#length > this.#maxBytes;
  }
}
