import { closeSync, openSync, readSync } from 'node:fs';

const chunkSize = 1 << 20;

/** A line of a file, and where the one behind it begins. */
export interface FileLine {
  text: string;
  end: number;
}

/** The lines of an open file, one by one. @param keepsRest whether a last one without an end is one */
export function* linesOf(file: number, { keepsRest = false } = {}): Generator<FileLine> {
  let rest = Buffer.alloc(0);
  let [read, end] = [0, 0];
  for (;;) {
    const chunk = Buffer.alloc(chunkSize);
    const length = readSync(file, chunk, 0, chunkSize, read);
    if (length === 0) break;
    read += length;
    let text = Buffer.concat([rest, chunk.subarray(0, length)]);
    for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10)) {
      end += at + 1;
      yield { text: text.subarray(0, at).toString(), end };
      text = text.subarray(at + 1);
    }
    rest = Buffer.from(text);
  }
  if (keepsRest && rest.length > 0) yield { text: rest.toString(), end: read };
}

/** An identifier of a file, and the number of its line, from 1. */
export interface IdentifierLine {
  identifier: string;
  line: number;
}

/** The identifiers of a file, one a line; blank lines are none. */
export function* identifiersIn(file: string): Generator<IdentifierLine> {
  const opened = openSync(file, 'r');
  try {
    let line = 0;
    for (const { text } of linesOf(opened, { keepsRest: true })) {
      line += 1;
      const identifier = text.trim();
      if (identifier !== '') yield { identifier, line };
    }
  } finally {
    closeSync(opened);
  }
}

/** How many identifiers a file has. */
export function countIdentifiers(file: string): number {
  let count = 0;
  for (const _ of identifiersIn(file)) count += 1;
  return count;
}
