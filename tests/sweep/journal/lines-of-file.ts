import { readSync } from 'node:fs';

const chunkSize = 1 << 20;

/** Bytes of the longest line that a journal may have: far more than any page makes. */
const longestLine = 256 << 20;

/** A line of a file, and where the one behind it begins. */
export interface FileLine {
  text: string;
  end: number;
}

/** A line is longer than any of its kind. */
export class LongLineError extends Error {
  override name = 'LongLineError';
}

/**
 * The lines of an open file, one by one, in time and memory that are linear in their length.
 * @param keepsRest whether a last one without a line feed counts
 * @param longest how many bytes a line may have
 * @throws {LongLineError} when one has more.
 */
export function* linesOf(
  file: number,
  { keepsRest = false, longest = longestLine } = {},
): Generator<FileLine> {
  const line = new LineBuffer(longest);
  const chunk = Buffer.allocUnsafe(chunkSize);
  let end = 0;
  for (let length = chunkSize; length > 0; ) {
    length = readSync(file, chunk, 0, chunkSize, end + line.length);
    const read = chunk.subarray(0, length);
    let from = 0;
    for (let at = read.indexOf(10); at >= 0; at = read.indexOf(10, from)) {
      line.add(read.subarray(from, at));
      from = at + 1;
      end += line.length + 1;
      yield { text: line.take(), end };
    }
    line.add(Buffer.from(read.subarray(from)));
  }
  if (keepsRest && line.length > 0) yield { end: end + line.length, text: line.take() };
}

/** The bytes of one line, which is read in one piece or several. */
class LineBuffer {
  readonly #longest: number;
  #pieces: Buffer[] = [];
  length = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > this.#longest) throw new LongLineError(`a line has more than ${this.#longest} bytes`);
    this.#pieces.push(piece);
  }

  take(): string {
    const [first = Buffer.alloc(0), ...more] = this.#pieces;
    [this.#pieces, this.length] = [[], 0];
    return (more.length > 0 ? Buffer.concat([first, ...more]) : first).toString();
  }
}
