import type { Readable } from 'node:stream';
import type { Operation } from '../../schemas/contract/contract.ts';
import { asBrokenText, BrokenText } from './broken-text.ts';
import { type FoundEntry, readHarEntry, readLineEntry } from './dialects.ts';
import { exchangeReader, type ToExchange } from './exchanges.ts';
import { harEntries } from './har-entries.ts';
import { type Line, lines } from './lines.ts';
import type { NumberedSource, Recorded } from './recorded.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { type Limits, numberedSources, type Recording, recordingsIn } from './sources.ts';

/** How recorded traffic is read. */
export interface TrafficOptions extends Partial<Limits> {
  operations: Operation[];
  /** Exchanges at any other address do not count. */
  baseUrl?: string | undefined;
  /** Whether a list has shown the record that a request looks up: then it is one, whatever form its identifier has. */
  isListed?: (request: RecordedRequest) => boolean;
  /** What the source `-` stands for. */
  input?: Readable;
  /** Called now and then with how many bytes more were read. */
  onProgress?: (bytes: number) => void;
  /** Reads each so manieth file only, of those that the sources stand for: of 3, the first reads the files 1, 4, 7 … */
  share?: { current: number; total: number } | undefined;
}

const defaultLimits: Limits = {
  maxEntryBytes: 16 * 2 ** 20,
  maxInflatedBytes: 4 * 2 ** 30,
  maxZipEntries: 200_000,
};

/** An entry, and its first byte; nothing of one that is larger than it may be. */
interface FoundAt {
  byte: number;
  entry: FoundEntry | undefined;
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
  const { operations, baseUrl, isListed = () => false, share = { current: 1, total: 1 } } = options;
  const toExchange = exchangeReader(operations, baseUrl, isListed);
  const files = await numberedSources(sources);
  for (const file of files.filter((_, index) => index % share.total === share.current - 1))
    yield* exchangesIn(file, toExchange, options);
}

async function* exchangesIn(
  file: NumberedSource,
  toExchange: ToExchange,
  options: TrafficOptions,
): AsyncGenerator<Recorded> {
  let index = 0;
  for await (const found of foundIn(file.source, options)) {
    if (found instanceof BrokenText) {
      yield { kind: 'broken', reason: found.message, ...file, byte: found.byte ?? 0 };
      continue;
    }
    const position = { ...file, index: index++, byte: found.byte };
    const read = found.entry ? await toExchange(found.entry, position) : 'entry too large';
    yield typeof read === 'string' ? { kind: 'skipped', reason: read, position } : read;
  }
}

/** What a source holds in any form; what cannot be read of it comes as an error among the rest. */
async function* foundIn(source: string, options: TrafficOptions): AsyncGenerator<FoundAt | BrokenText> {
  const { input = process.stdin, onProgress } = options;
  const limits = { ...defaultLimits, ...options };
  let read = 0;
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      read += chunk.length;
      onProgress?.(chunk.length);
      yield chunk;
    }
  }
  try {
    for await (const recording of recordingsIn(source, input, limits)) {
      read = 0;
      const chunks = counted(recording.chunks);
      yield* recording.isHar ? inHar({ ...recording, chunks }, limits) : inLines(chunks, limits);
    }
  } catch (error) {
    yield asBrokenText(error, read);
  }
}

/** So many times as large as it may be, an entry of a HAR is passed over. */
const maxValueRatio = 4;

async function* inHar(
  { chunks, readAttachment }: Recording,
  { maxEntryBytes }: Limits,
): AsyncGenerator<FoundAt> {
  for await (const { byte, bytes, value } of harEntries(chunks, maxValueRatio * maxEntryBytes))
    yield { byte, entry: bytes > maxEntryBytes ? undefined : readHarEntry(value, readAttachment) };
}

/** A line that is broken says nothing of the next one; of several in a row the first is reported. */
async function* inLines(
  chunks: AsyncIterable<Buffer>,
  { maxEntryBytes }: Limits,
): AsyncGenerator<FoundAt | BrokenText> {
  let isBroken = false;
  for await (const line of lines(chunks, maxEntryBytes)) {
    const found = inLine(line);
    if (!found) continue;
    const wasBroken = isBroken;
    isBroken = found instanceof BrokenText;
    if (!isBroken || !wasBroken) yield found;
  }
}

function inLine({ byte, bytes, isLast }: Line): FoundAt | BrokenText | undefined {
  if (!bytes) return { byte, entry: undefined };
  const text = bytes.toString();
  if (text.trim() === '') return undefined;
  try {
    return { byte, entry: readLineEntry(JSON.parse(text)) };
  } catch {
    return isLast ? new BrokenText('ends early', byte + bytes.length) : new BrokenText('is not JSON', byte);
  }
}
