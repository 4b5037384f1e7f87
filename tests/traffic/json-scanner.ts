import { asBrokenText, BrokenText } from './broken-text.ts';
import { scalarEnd, ValueEnd } from './value-end.ts';

/** One JSON value of a stream. `bytes` is undefined when there are more than the caller accepts. */
export interface JsonSlice {
  byte: number;
  bytes: Buffer | undefined;
}

const whiteSpace = new Set([0x20, 0x09, 0x0a, 0x0d]);
const comma = 0x2c;
const byteOrderMark = Buffer.from('\ufeff');

/**
 * Walks through JSON text that may be larger than memory: brackets and commas one by one, whole values by their
 * ends alone. What stands inside a value is for JSON.parse to read.
 */
export class JsonScanner {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #before = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Where the scanner stands, counted from the start of the stream. */
  get byte(): number {
    return this.#before + this.#at;
  }

  /** The next byte that is no white space, which stays to be taken; undefined at the end. */
  async peek(): Promise<number | undefined> {
    for (;;) {
      while (this.#at < this.#chunk.length && whiteSpace.has(this.#chunk[this.#at] as number)) this.#at++;
      if (this.#at < this.#chunk.length) return this.#chunk[this.#at];
      if (!(await this.#fill())) return undefined;
    }
  }

  /** Takes this character. @throws BrokenText when another one comes. */
  async expect(character: string): Promise<void> {
    if ((await this.peek()) !== character.charCodeAt(0)) throw await this.unexpected();
    this.#at++;
  }

  /** Whether the open array or object has one more item; takes the comma before it, or what closes it. */
  async hasMore(first: boolean, close: string): Promise<boolean> {
    const byte = await this.peek();
    const closes = byte === close.charCodeAt(0);
    if (first && !closes) return true;
    if (!closes && byte !== comma) throw await this.unexpected();
    this.#at++;
    return !closes;
  }

  /** What follows in the piece of the stream that is there. */
  get rest(): Buffer {
    return this.#chunk.subarray(this.#at);
  }

  /** Takes so many bytes of that. */
  take(length: number): Buffer {
    const part = this.#chunk.subarray(this.#at, this.#at + length);
    this.#at += length;
    return part;
  }

  /** Takes the next value, and hands it out if it has no more than so many bytes. */
  async value(maxBytes = 0): Promise<JsonSlice> {
    const first = await this.peek();
    const { byte } = this;
    const parts: Buffer[] = [];
    const end = ValueEnd.of(first) ?? scalarEnd;
    let length = 0;
    for (let stop = -1; stop === -1; ) {
      stop = end.find(this.#chunk, this.#at);
      const part = this.take((stop === -1 ? this.#chunk.length : stop) - this.#at);
      length += part.length;
      if (length <= maxBytes) parts.push(part);
      else parts.length = 0;
      if (stop === -1 && !(await this.#fill())) throw new BrokenText('ends early', this.byte);
    }
    if (length === 0) throw await this.unexpected();
    return {
      byte,
      bytes: length > maxBytes ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts),
    };
  }

  /** What is wrong when the next byte is not one that JSON allows here. */
  async unexpected(): Promise<BrokenText> {
    const ended = (await this.peek()) === undefined;
    return new BrokenText(ended ? 'ends early' : 'is not JSON', this.byte);
  }

  /** Lets go of the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #fill(): Promise<boolean> {
    this.#before += this.#chunk.length;
    this.#at = 0;
    this.#chunk = Buffer.alloc(0);
    try {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#chunk = value;
    } catch (error) {
      throw asBrokenText(error, this.byte);
    }
    if (this.#before === 0 && this.#chunk.subarray(0, 3).equals(byteOrderMark)) this.#at = 3;
    return true;
  }
}
