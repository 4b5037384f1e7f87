import type { Readable } from 'node:stream';
import type { Operation } from '../../schemas/contract/contract.ts';
import { parse } from '../../schemas/json.ts';
import { readLineEntry } from './entry.ts';
import { exchangeReader } from './exchanges.ts';
import { type FoundAt, harEntries } from './har-entries.ts';
import type { Recorded } from './recorded.ts';
import { asBrokenText, BrokenText, numberedSources, recordingsIn } from './sources.ts';

/** How recorded traffic is read. */
export interface TrafficOptions {
  operations: Operation[];
  /** Larger entries are skipped. */
  maxEntryBytes?: number;
  /** Exchanges at any other address do not count. */
  baseUrl?: string | undefined;
  /** What the source `-` stands for. */
  input?: Readable;
}

/**
 * Reads recorded traffic, exchange by exchange, in bounded memory: HAR, also zipped or compressed, and newline-delimited JSON.
 * @param sources Files, patterns, or `-` for standard input.
 * Nothing is thrown for any content: what cannot be read is handed out as such, and what is good as well.
 */
export async function* readTraffic(
  sources: readonly string[],
  options: TrafficOptions,
): AsyncGenerator<Recorded> {
  const toExchange = exchangeReader(options.operations, options.baseUrl);
  for (const file of await numberedSources(sources)) {
    let index = 0;
    for await (const found of foundIn(file.source, options)) {
      if (found instanceof BrokenText) {
        yield { kind: 'broken', reason: found.message, ...file, byte: found.byte ?? 0 };
        continue;
      }
      const at = { ...file, index: index++, byte: found.byte };
      const read = found.entry ? await toExchange(found.entry, at) : 'entry too large';
      yield typeof read === 'string' ? { kind: 'skipped', reason: read, at } : read;
    }
  }
}

/** What a source holds in any form; what cannot be read of it comes as an error among the rest. */
async function* foundIn(source: string, options: TrafficOptions): AsyncGenerator<FoundAt | BrokenText> {
  const { input = process.stdin, maxEntryBytes = 16 * 2 ** 20 } = options;
  try {
    for await (const { isHar, chunks, readAttachment } of recordingsIn(source, input, maxEntryBytes))
      yield* isHar ? harEntries(chunks, maxEntryBytes, readAttachment) : inLines(chunks, maxEntryBytes);
  } catch (error) {
    yield asBrokenText(error, 0);
  }
}

/** A line that is broken says nothing of the next one; of several in a row the first is reported. */
async function* inLines(
  chunks: AsyncIterable<Buffer>,
  maxEntryBytes: number,
): AsyncGenerator<FoundAt | BrokenText> {
  let isBroken = false;
  for await (const { byte, bytes, isLast } of lines(chunks, maxEntryBytes)) {
    if (!bytes) {
      yield { byte, entry: undefined };
      continue;
    }
    // Without a byte order mark, too.
    const text = bytes.toString().trim();
    const line = parse(text);
    if (text === '') continue;
    if (line) yield { byte, entry: readLineEntry(line.value) };
    else if (!isBroken)
      yield isLast ? new BrokenText('ends early', byte + bytes.length) : new BrokenText('is not JSON', byte);
    isBroken = !line;
  }
}

/** A line of a text, and its first byte; without bytes where it has more than the caller accepts. */
interface Line {
  byte: number;
  bytes: Buffer | undefined;
  /** Set for what stands behind the last line feed. */
  isLast?: true;
}

const lineFeed = 0x0a;

/** The lines of a text that may be larger than memory. */
async function* lines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let [byte, length, parts]: [number, number, Buffer[]] = [0, 0, []];
  const add = (part: Buffer) => {
    length += part.length;
    parts = length <= maxBytes ? [...parts, part] : [];
  };
  const taken = (): Line => {
    const line = { byte, bytes: length <= maxBytes ? Buffer.concat(parts) : undefined };
    [byte, length, parts] = [byte + length + 1, 0, []];
    return line;
  };
  try {
    for await (const chunk of chunks) {
      let from = 0;
      for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
        add(chunk.subarray(from, to));
        from = to + 1;
        yield taken();
      }
      add(chunk.subarray(from));
    }
  } catch (error) {
    throw asBrokenText(error, byte + length);
  }
  yield { ...taken(), isLast: true };
}
