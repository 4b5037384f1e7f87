import type { Readable } from 'node:stream';
import { RegularFreeing } from '../../schemas/free-memory.ts';
import { asBrokenText, BrokenText } from './broken-text.ts';
import { type ClassifyRequest, createClassifier } from './classify.ts';
import { type Recorded, toEntry } from './dialect.ts';
import { readHarEntry } from './har-entry.ts';
import { harEntries } from './har-log.ts';
import { inflate, isHar, sniff } from './inflate.ts';
import { JsonScanner } from './json-scanner.ts';
import { Budget, defaultLimits, type Limits } from './limits.ts';
import { readLineEntry } from './line-entry.ts';
import { lines } from './lines.ts';
import { parseSlice } from './parse.ts';
import type { FindRoute, ReadAttachment, RecordedEntry } from './recorded-entry.ts';
import type { NumberedSource } from './shown-source.ts';
import { attachmentsBeside, isZip, numberedSources, openSource, sizeOf } from './sources.ts';
import { zippedHars } from './zip.ts';

export interface TrafficOptions extends Partial<Limits> {
  /** Which operation a URL belongs to; without it each URL counts, and no 404 is skipped. */
  findRoute?: FindRoute;
  /** What the source `-` stands for. */
  input?: Readable;
  /** Called now and then: how many bytes of a source were read, and of how many when that is known. */
  onProgress?: (source: string, bytes: number, total: number | undefined) => void;
}

/** Lines in a row that are no JSON, after which a source is taken for something else. */
const maxBrokenLines = 100;

/**
 * Reads recorded traffic, entry by entry, in flat memory: HAR, also zipped or compressed, and newline-delimited JSON.
 * @param sources Files, patterns, or `-` for standard input.
 * Nothing is thrown for any content: what cannot be read is handed out as such, and what is good as well.
 */
export async function* readTraffic(
  sources: readonly string[],
  options: TrafficOptions = {},
): AsyncGenerator<RecordedEntry> {
  for (const source of await numberedSources(sources)) yield* new SourceReader(source, options).read();
}

class SourceReader {
  readonly #source: string;
  readonly #number: string;
  readonly #options: TrafficOptions;
  readonly #limits: Limits;
  readonly #classify: ClassifyRequest;
  #entries = 0;

  constructor({ source, number }: NumberedSource, options: TrafficOptions) {
    this.#source = source;
    this.#number = number;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options };
    this.#classify = createClassifier(options.findRoute);
  }

  async *read(): AsyncGenerator<RecordedEntry> {
    try {
      if (await isZip(this.#source)) yield* this.#readZip();
      else yield* this.#readStream();
    } catch (error) {
      yield this.#broken(error);
    }
  }

  async *#readZip(): AsyncGenerator<RecordedEntry> {
    for await (const { bytes, chunks, readAttachment } of zippedHars(this.#source, this.#limits)) {
      yield* this.#readHar(this.#counted(chunks, bytes), readAttachment);
    }
  }

  async *#readStream(): AsyncGenerator<RecordedEntry> {
    const { input = process.stdin } = this.#options;
    const total = await sizeOf(this.#source);
    // Nothing may be awaited between opening a file and reading it: the error of a missing file would have no listener.
    const file = this.#counted(await openSource(this.#source, input), total);
    const text = inflate(await sniff(file), new Budget(this.#limits.maxInflatedBytes));
    const { head, chunks } = await sniff(text);
    const beside = attachmentsBeside(this.#source, this.#limits.maxEntryBytes);
    yield* isHar(this.#source, head) ? this.#readHar(chunks, beside) : this.#readLines(freed(chunks));
  }

  async *#readHar(
    chunks: AsyncIterable<Buffer>,
    readAttachment: ReadAttachment,
  ): AsyncGenerator<RecordedEntry> {
    const json = new JsonScanner(freed(chunks));
    try {
      for await (const { byte, value } of harEntries(json, this.#limits.maxEntryBytes)) {
        const entry = value === undefined ? undefined : readHarEntry(value, readAttachment);
        yield await this.#entry(entry, byte);
      }
    } finally {
      await json.close();
    }
  }

  /** A line that is broken says nothing of the next one; of several in a row the first is reported. */
  async *#readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<RecordedEntry> {
    let broken = 0;
    for await (const { byte, bytes } of lines(chunks, this.#limits.maxEntryBytes)) {
      if (bytes?.every(isWhiteSpace)) continue;
      try {
        const entry = bytes && readLineEntry(parseSlice(bytes, byte));
        broken = 0;
        yield await this.#entry(entry, byte);
      } catch (error) {
        if (broken++ === 0) yield this.#broken(error);
        if (broken === maxBrokenLines) return;
      }
    }
  }

  async #entry(recorded: Recorded | undefined, byte: number): Promise<RecordedEntry> {
    const [source, number] = [this.#source, this.#number];
    const position = { source, number, index: this.#entries++, byte };
    if (!recorded) return { kind: 'skipped', reason: 'entry too large', position };
    return Object.assign(await toEntry(recorded, this.#classify), { position });
  }

  #broken(error: unknown): RecordedEntry {
    const { message, byte } = asBrokenText(error, error instanceof BrokenText ? error.byte : 0);
    return { kind: 'broken', reason: message, source: this.#source, number: this.#number, byte };
  }

  async *#counted(chunks: AsyncIterable<Buffer>, total: number | undefined): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      this.#options.onProgress?.(this.#source, bytes, total);
      yield chunk;
    }
  }
}

/** Bytes of text after which memory is freed. */
export const bytesBetweenCollections = 128 * 2 ** 20;

/** Passes chunks on, and frees regularly what was made of those before. */
async function* freed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const freeing = new RegularFreeing(bytesBetweenCollections);
  for await (const chunk of chunks) {
    freeing.add(chunk.length);
    yield chunk;
  }
}

const isWhiteSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
