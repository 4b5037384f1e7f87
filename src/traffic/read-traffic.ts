import type { Readable } from 'node:stream';
import type { Operation } from '../../schemas/contract/contract.ts';
import { parseJson } from '../../schemas/json.ts';
import { readLineEntry } from './entry.ts';
import { createEntryConverter, isSkipReason } from './exchanges.ts';
import { type LocatedEntry, readHarEntries } from './har-entries.ts';
import type { TrafficEntry } from './recorded.ts';
import { convertReadError, numberSources, openRecordings, UnreadableRecording } from './sources.ts';

export interface TrafficOptions {
  operations: Operation[];
  /** Maximum size of an entry in bytes; default: 16 MiB. A larger entry is skipped as `entry too large`. */
  maxEntryBytes?: number;
  /** Entries with another base URL are skipped as `other path`. Undefined accepts every base URL. */
  baseUrl?: string | undefined;
  input?: Readable;
}

/**
 * Reads recordings in bounded memory: HAR, also in a zip or compressed, and newline-delimited JSON. Yields an `UnreadablePart` for
 * each part that cannot be read.
 * @param sources values of `TRAFFIC`: files, patterns such as `*.har`, or `-` for standard input
 */
export async function* readTraffic(
  sources: readonly string[],
  options: TrafficOptions,
): AsyncGenerator<TrafficEntry> {
  const convertEntry = createEntryConverter(options.operations, options.baseUrl);
  for (const file of await numberSources(sources)) {
    let index = 0;
    for await (const entryOrError of readSource(file.source, options)) {
      if (entryOrError instanceof UnreadableRecording) {
        const { message: reason, byteOffset = 0 } = entryOrError;
        yield { kind: 'broken', reason, ...file, byteOffset };
        continue;
      }
      const { entry, byteOffset } = entryOrError;
      const position = { ...file, index: index++, byteOffset };
      const exchangeOrReason = entry ? await convertEntry(entry, position) : 'entry too large';
      if (isSkipReason(exchangeOrReason)) yield { kind: 'skipped', reason: exchangeOrReason, at: position };
      else yield exchangeOrReason;
    }
  }
}

/** Yields the entries of one recording. If reading fails, yields the error instead of throwing it. */
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

/** Yields the entries of newline-delimited JSON. Yields one `UnreadableRecording` for consecutive lines that are not JSON. */
async function* readLineEntries(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
): AsyncGenerator<LocatedEntry | UnreadableRecording> {
  let isPreviousLineBroken = false;
  for await (const { byteOffset, content, isLast } of readLines(chunks, maxEntryBytes)) {
    const isTooLarge = content === undefined;
    if (isTooLarge) {
      yield { byteOffset, entry: undefined };
      continue;
    }
    // Decoding also removes a byte order mark.
    const text = content.toString().trim();
    if (text === '') continue;
    const json = parseJson(text);
    if (json) yield { byteOffset, entry: readLineEntry(json.value) };
    else if (isLast && !isPreviousLineBroken)
      yield new UnreadableRecording('ends early', byteOffset + content.length);
    else if (!isPreviousLineBroken) yield new UnreadableRecording('is not JSON', byteOffset);
    isPreviousLineBroken = !json;
  }
}

interface Line {
  byteOffset: number;
  /** Undefined if the line is too large. */
  content: Buffer | undefined;
  /** True for the text after the last line feed. If it is not JSON, the recording was cut off. */
  isLast?: true;
}

const lineFeed = 0x0a;

/**
 * Yields the lines of a stream without their line feeds. `content` is undefined for a line of more than `maxBytes`.
 * @throws {UnreadableRecording} if the stream cannot be read to its end
 */
async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let lineOffset = 0;
  let lineLength = 0;
  let parts: Buffer[] = [];
  const addPart = (part: Buffer) => {
    lineLength += part.length;
    parts = lineLength <= maxBytes ? [...parts, part] : [];
  };
  const takeLine = (): Line => {
    const line = {
      byteOffset: lineOffset,
      content: lineLength <= maxBytes ? Buffer.concat(parts) : undefined,
    };
    lineOffset += lineLength + 1;
    lineLength = 0;
    parts = [];
    return line;
  };
  try {
    for await (const chunk of chunks) {
      let lineStart = 0;
      let lineEnd = chunk.indexOf(lineFeed);
      while (lineEnd !== -1) {
        addPart(chunk.subarray(lineStart, lineEnd));
        yield takeLine();
        lineStart = lineEnd + 1;
        lineEnd = chunk.indexOf(lineFeed, lineStart);
      }
      addPart(chunk.subarray(lineStart));
    }
  } catch (error) {
    throw convertReadError(error, lineOffset + lineLength);
  }
  yield { ...takeLine(), isLast: true };
}
