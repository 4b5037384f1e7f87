import type { Readable } from 'node:stream';
import type { Operation } from '../../schemas/contract/contract.ts';
import { parse } from '../../schemas/json.ts';
import { readLineEntry } from './entry.ts';
import { createExchangeReader } from './exchanges.ts';
import { type LocatedEntry, readHarEntries } from './har-entries.ts';
import type { TrafficEntry } from './recorded.ts';
import { BrokenText, numberSources, openRecordings, toBrokenText } from './sources.ts';

/** Options of reading recorded traffic. */
export interface TrafficOptions {
  operations: Operation[];
  /** Maximum size of an entry in bytes, default 16 MiB; larger entries are skipped. */
  maxEntryBytes?: number;
  /** Base address such as `https://staging.example.com/api`; exchanges elsewhere are skipped. Default: any address. */
  baseUrl?: string | undefined;
  /** Stream for the source `-`; default: standard input. */
  input?: Readable;
}

/**
 * Reads recorded traffic, exchange by exchange, in bounded memory: HAR, also zipped or compressed, and newline-delimited JSON.
 * Content that cannot be read throws no error: it is yielded as a `BrokenSource`, after the entries before it.
 * @param sources files, patterns, or `-` for standard input
 */
export async function* readTraffic(
  sources: readonly string[],
  options: TrafficOptions,
): AsyncGenerator<TrafficEntry> {
  const convertEntry = createExchangeReader(options.operations, options.baseUrl);
  for (const file of await numberSources(sources)) {
    let index = 0;
    for await (const located of readSource(file.source, options)) {
      if (located instanceof BrokenText) {
        yield { kind: 'broken', reason: located.message, ...file, byte: located.byte ?? 0 };
        continue;
      }
      const position = { ...file, index: index++, byte: located.byte };
      const converted = located.entry ? await convertEntry(located.entry, position) : 'entry too large';
      yield typeof converted === 'string' ? { kind: 'skipped', reason: converted, at: position } : converted;
    }
  }
}

/** Reads the entries of a source in any format. Yields, instead of throwing, the error of a source that cannot be read. */
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

/** Reads newline-delimited JSON, an entry in each line. Yields an error for the first of broken lines in a row, and reads on. */
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

/** Line of a text with the offset of its first byte; `bytes` is undefined if the line is larger than the limit. */
interface Line {
  byte: number;
  bytes: Buffer | undefined;
  /** Set for the text after the last line feed. */
  isLast?: true;
}

const lineFeed = 0x0a;

/** Splits a text of any size into lines. Drops the bytes of a line larger than `maxBytes`. */
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
