import { closeSync, openSync } from 'node:fs';
import { LongLineError, linesOf } from '../journal/lines-of-file.ts';

/** Bytes of the longest line of a file of identifiers: no address holds more. */
const longestIdentifier = 64 << 10;

/** An identifier of a file, and the number of its line, from 1. */
export interface IdentifierLine {
  identifier: string;
  line: number;
}

/**
 * The identifiers of a file, one a line; blank lines are none.
 * @param name of the file, as its user knows it
 * @throws {LongLineError} when a line is longer than any identifier.
 */
export function* identifiersIn(file: string, name = 'a file of identifiers'): Generator<IdentifierLine> {
  const opened = openSync(file, 'r');
  let line = 1;
  try {
    for (const { text } of linesOf(opened, { keepsRest: true, longest: longestIdentifier })) {
      const identifier = text.trim();
      if (identifier !== '') yield { identifier, line };
      line += 1;
    }
  } catch (error) {
    throw error instanceof LongLineError
      ? new LongLineError(`${name}: line ${line} has more than 64 KiB; write one identifier a line`)
      : error;
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
