import type { Readable } from 'node:stream';
import type { Operation } from '../../schemas/contract/contract.ts';
import { parse } from '../../schemas/json.ts';
import { readLineEntry } from './entry.ts';
import { createEntryConverter, isSkipReason } from './exchanges.ts';
import { type LocatedEntry, readHarEntries } from './har-entries.ts';
import type { TrafficEntry } from './recorded.ts';
import { BrokenText, numberSources, openRecordings, toBrokenText } from './sources.ts';

/** Options of `readTraffic`. */
export interface TrafficOptions {
  /** Operations of the contract. Recorded requests of other paths are skipped as `other path`. */
  operations: Operation[];
  /** Maximum size in bytes of one recorded exchange; larger ones are skipped as `entry too large`. Default: 16 MiB. */
  maxEntryBytes?: number;
  /** Base address such as `https://staging.example.com/api`; exchanges elsewhere are skipped. Default: any address. */
  baseUrl?: string | undefined;
  /** Stream to read for the source `-`. Default: standard input. */
  input?: Readable;
}

/**
 * Reads recordings in bounded memory: HAR, also zipped or compressed, and newline-delimited JSON. Yields each exchange, each
 * skipped entry with its reason, and a `BrokenSource` for content that cannot be read; such content throws no error.
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
      if (located instanceof BrokenText) {
        yield { kind: 'broken', reason: located.message, ...file, byte: located.byte ?? 0 };
        continue;
      }
      const position = { ...file, index: index++, byte: located.byte };
      const converted = located.entry ? await convertEntry(located.entry, position) : 'entry too large';
      yield isSkipReason(converted) ? { kind: 'skipped', reason: converted, at: position } : converted;
    }
  }
}

/**
 * Reads the entries of one recording: a HAR, a zip of HARs, or newline-delimited JSON. If the recording becomes unreadable, yields
 * a `BrokenText` after the entries before that place, and ends.
 */
async function* readSource(
  source: string,
  options: TrafficOptions,
): AsyncGenerator<LocatedEntry | BrokenText> {
  const { input = process.stdin, maxEntryBytes = 16 * 2 ** 20 } = options;
  try {
    for await (const { isHar, chunks, readAttachment } of openRecordings(source, input, maxEntryBytes))
      yield* isHar
        ? readHarEntries(chunks, maxEntryBytes, readAttachment)
        : readLineEntries(chunks, maxEntryBytes);
  } catch (error) {
    yield toBrokenText(error, 0);
  }
}

/**
 * Reads newline-delimited JSON, an entry in each line, and skips blank lines. Yields a `BrokenText` for a line that is no JSON, and
 * reads on; of several such lines in a row, only for the first. A line larger than `maxEntryBytes` has `entry: undefined`.
 */
async function* readLineEntries(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
): AsyncGenerator<LocatedEntry | BrokenText> {
  let wasBroken = false;
  for await (const { byte, bytes, isLast } of readLines(chunks, maxEntryBytes)) {
    // A line that is larger than `maxEntryBytes`.
    if (!bytes) {
      yield { byte, entry: undefined };
      continue;
    }
    // Decoding also removes a byte order mark.
    const text = bytes.toString().trim();
    if (text === '') continue;
    const line = parse(text);
    if (line) yield { byte, entry: readLineEntry(line.value) };
    else if (!wasBroken)
      yield isLast ? new BrokenText('ends early', byte + bytes.length) : new BrokenText('is not JSON', byte);
    wasBroken = !line;
  }
}

/** Line of a recording in newline-delimited JSON. */
interface Line {
  /** Offset of the first byte of the line in the decompressed recording, from 0. */
  byte: number;
  /** Bytes of the line without its line feed; undefined if the line is larger than the limit. */
  bytes: Buffer | undefined;
  /** True for the text after the last line feed. Not JSON there means that the recording ends early. */
  isLast?: true;
}

const lineFeed = 0x0a;

/**
 * Splits a stream into lines, one chunk at a time. Drops the bytes of a line larger than `maxBytes`. The last line is the text
 * after the last line feed, which may be empty.
 * @throws {BrokenText} if the stream cannot be read any further
 */
async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let [byte, length, parts]: [number, number, Buffer[]] = [0, 0, []];
  const addPart = (part: Buffer) => {
    length += part.length;
    parts = length <= maxBytes ? [...parts, part] : [];
  };
  const takeLine = (): Line => {
    const line = { byte, bytes: length <= maxBytes ? Buffer.concat(parts) : undefined };
    [byte, length, parts] = [byte + length + 1, 0, []];
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
    throw toBrokenText(error, byte + length);
  }
  yield { ...takeLine(), isLast: true };
}
