import { readSync } from 'node:fs';

const chunkSize = 1 << 20;

/** A line of a file, and where the one behind it begins. */
export interface FileLine {
  text: string;
  end: number;
}

/** The lines of an open file, one by one. A last one without an end is left out. */
export function* linesOf(file: number): Generator<FileLine> {
  let rest = Buffer.alloc(0);
  let [read, end] = [0, 0];
  for (;;) {
    const chunk = Buffer.alloc(chunkSize);
    const length = readSync(file, chunk, 0, chunkSize, read);
    if (length === 0) return;
    read += length;
    let text = Buffer.concat([rest, chunk.subarray(0, length)]);
    for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10)) {
      end += at + 1;
      yield { text: text.subarray(0, at).toString(), end };
      text = text.subarray(at + 1);
    }
    rest = Buffer.from(text);
  }
}
