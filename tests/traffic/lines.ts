import { asBrokenText } from './broken-text.ts';
import type { JsonSlice } from './json-scanner.ts';

const lineFeed = 0x0a;

/** The lines of a text that may be larger than memory. @throws BrokenText when the stream breaks. */
export async function* lines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<JsonSlice> {
  const line = new Line(maxBytes);
  try {
    for await (const chunk of chunks) {
      let from = 0;
      for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
        line.add(chunk.subarray(from, to));
        from = to + 1;
        yield line.end();
      }
      line.add(chunk.subarray(from));
    }
  } catch (error) {
    throw asBrokenText(error, line.next);
  }
  yield line.end();
}

class Line {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;
  #byte = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The byte that will be added next. */
  get next(): number {
    return this.#byte + this.#length;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#maxBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  end(): JsonSlice {
    const bytes = this.#length <= this.#maxBytes ? Buffer.concat(this.#parts) : undefined;
    const slice = this.#byte === 0 ? withoutMark({ byte: 0, bytes }) : { byte: this.#byte, bytes };
    this.#byte += this.#length + 1;
    this.#parts = [];
    this.#length = 0;
    return slice;
  }
}

const byteOrderMark = Buffer.from('\ufeff');

/** The byte order mark belongs to the text, not to its first line. */
const withoutMark = ({ byte, bytes }: JsonSlice): JsonSlice =>
  bytes?.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? { byte: byte + byteOrderMark.length, bytes: bytes.subarray(byteOrderMark.length) }
    : { byte, bytes };
