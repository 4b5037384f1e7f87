import type { Readable } from 'node:stream';
import type { Operation } from '../../schemas/contract/contract.ts';
import { parseJson } from '../../schemas/json.ts';
import { readLineEntry } from './entry.ts';
import { createEntryConverter, isSkipReason } from './exchanges.ts';
import { type LocatedEntry, readHarEntries } from './har-entries.ts';
import type { TrafficEntry } from './recorded.ts';
import { convertReadError, numberSources, openRecordings, UnreadableRecording } from './sources.ts';

export interface TrafficOptions {
  /** Operations whose requests are read. Requests of other paths are skipped as `other path`. */
  operations: Operation[];
  /** Maximum size in bytes of one exchange; larger ones are skipped as `entry too large`. Default: 16 MiB. */
  maxEntryBytes?: number;
  /** Base URL of the API; undefined accepts any. Requests of other URLs are skipped as `other path`. */
  baseUrl?: string | undefined;
  /** Stream to read for the source `-`. Default: standard input. */
  input?: Readable;
}

/**
 * Reads recordings in bounded memory. Formats: HAR, also in a zip or compressed, and newline-delimited JSON. Yields each exchange,
 * each skipped entry, and a `BrokenSource` for each part of a recording that cannot be read.
 * @param sources values of `TRAFFIC`: files, patterns such as `*.har`, or `-` for standard input
 */
export async function* readTraffic(
  sources: readonly string[],
  options: TrafficOptions,
): AsyncGenerator<TrafficEntry> {
  const convertEntry = createEntryConverter(options.operations, options.baseUrl);
  for (const file of await numberSources(sources)) {
    let index = 0;
    for await (const located of readSource(file.source, options)) {
      if (located instanceof UnreadableRecording) {
        yield { kind: 'broken', reason: located.message, ...file, byte: located.byte ?? 0 };
        continue;
      }
      const position = { ...file, index: index++, byte: located.byte };
      const converted = located.entry ? await convertEntry(located.entry, position) : 'entry too large';
      yield isSkipReason(converted) ? { kind: 'skipped', reason: converted, at: position } : converted;
    }
  }
}

/** Yields the entries of one recording. If an error ends the reading, yields it as an `UnreadableRecording` instead of throwing. */
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
 * Yields the entries of newline-delimited JSON, one per line. Yields one `UnreadableRecording` for consecutive lines that are not
 * JSON, and continues with the next line.
 */
async function* readLineEntries(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
): AsyncGenerator<LocatedEntry | UnreadableRecording> {
  let isLineBeforeBroken = false;
  for await (const { byte, bytes, isLast } of readLines(chunks, maxEntryBytes)) {
    // A line that is larger than `maxEntryBytes`.
    if (!bytes) {
      yield { byte, entry: undefined };
      continue;
    }
    // Decoding also removes a byte order mark.
    const text = bytes.toString().trim();
    if (text === '') continue;
    const line = parseJson(text);
    if (line) yield { byte, entry: readLineEntry(line.value) };
    // Of consecutive lines that are not JSON, only the first one is reported.
    else if (!isLineBeforeBroken)
      yield isLast
        ? new UnreadableRecording('ends early', byte + bytes.length)
        : new UnreadableRecording('is not JSON', byte);
    isLineBeforeBroken = !line;
  }
}

interface Line {
  /** Offset of the first byte of the line in the decompressed recording, from 0. */
  byte: number;
  /** Undefined if the line is larger than the size limit. */
  bytes: Buffer | undefined;
  /** True for the text after the last line feed. If it is not JSON, the recording was cut off within the line. */
  isLast?: true;
}

const lineFeed = 0x0a;

/**
 * Yields the lines of a stream, without their line feeds. Does not keep a line that is larger than `maxBytes`: `bytes` is then
 * undefined.
 * @throws {UnreadableRecording} if the stream cannot be read to its end
 */
async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let lineByte = 0;
  let lineLength = 0;
  let parts: Buffer[] = [];
  const addPart = (part: Buffer) => {
    lineLength += part.length;
    parts = lineLength <= maxBytes ? [...parts, part] : [];
  };
  const takeLine = (): Line => {
    const line = { byte: lineByte, bytes: lineLength <= maxBytes ? Buffer.concat(parts) : undefined };
    lineByte += lineLength + 1;
    lineLength = 0;
    parts = [];
    return line;
  };
  try {
    for await (const chunk of chunks) {
      let lineStart = 0;
      for (
        let lineEnd = chunk.indexOf(lineFeed);
        lineEnd !== -1;
        lineEnd = chunk.indexOf(lineFeed, lineStart)
      ) {
        addPart(chunk.subarray(lineStart, lineEnd));
        lineStart = lineEnd + 1;
        yield takeLine();
      }
      addPart(chunk.subarray(lineStart));
    }
  } catch (error) {
    throw convertReadError(error, lineByte + lineLength);
  }
  yield { ...takeLine(), isLast: true };
}
