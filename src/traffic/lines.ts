/** A line of a text, and its first byte; without bytes where it has more than the caller accepts. */
export interface Line {
  byte: number;
  bytes: Buffer | undefined;
  /** Set for what stands behind the last line feed. */
  isLast?: true;
}

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from('\ufeff');

/** The lines of a text that may be larger than memory. */
export async function* lines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
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
  for await (const chunk of chunks) {
    const isMarked = byte + length === 0 && chunk.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    let from = isMarked ? byteOrderMark.length : 0;
    byte += from;
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      add(chunk.subarray(from, to));
      from = to + 1;
      yield taken();
    }
    add(chunk.subarray(from));
  }
  yield { ...taken(), isLast: true };
}
