import type { PageRequest } from './paging.ts';
import { nowhere, PrintTable } from './print-table.ts';
import type { Print } from './prints.ts';

/** What the identities of a page say beside those of the pages before it. */
export interface Sorted {
  /** Indices of records that were counted on another page. */
  repeated: Set<number>;
  /** Indices of records whose identity another record has: of this page, or at another place of a list that did not move. */
  twins: { index: number; earlier: number }[];
  /** How the page begins: with the record that the one before it has ended with, with one listed earlier, or with another one. */
  begins: 'as expected' | 'with one listed before' | 'with another one';
  /** Numbers to keep: high and low half of the print, and the place, of each record that was seen for the first time. */
  added: Uint32Array;
}

/** Which records were seen, at which place of the list: each is counted once, however often it is listed. */
export class Sightings {
  readonly #table = new PrintTable();
  #last: { number: number; print: Print } | undefined;

  get size(): number {
    return this.#table.size;
  }

  /** Takes back what an earlier run has kept, in the same order. */
  restore(added: Uint32Array, last: { number: number; print: Print } | undefined): void {
    this.#last = last;
    for (let at = 0; at + 2 < added.length; at += 3) {
      const [high = 0, low = 0, position = 0] = added.subarray(at, at + 3);
      this.#table.add({ high, low }, position);
    }
  }

  /** The record with which the last page has ended. */
  get last(): Print | undefined {
    return this.#last?.print;
  }

  /** The place at which a record was seen first. */
  positionOf(print: Print): number | undefined {
    const position = this.#table.positionOf(print);
    return position === nowhere ? undefined : position;
  }

  /**
   * @param overlap records that the page shares with the one before it
   * @param foreign records at its beginning that are counted elsewhere
   */
  sort(prints: Print[], { number, position }: PageRequest, overlap: 0 | 1, foreign = 0): Sorted {
    const begins = overlap === 1 ? this.#begins(prints[0], number) : 'as expected';
    const kept: number[] = [];
    const sorted: Omit<Sorted, 'added'> = { repeated: new Set(), twins: [], begins };
    for (const [index, print] of prints.entries()) {
      const earlier = this.#table.add(print, position + index);
      if (earlier === nowhere) {
        if (index >= foreign) kept.push(print.high, print.low, position + index);
      } else if (isTwin(prints, position, index, earlier, begins === 'as expected' && overlap === 1))
        sorted.twins.push({ index, earlier });
      else sorted.repeated.add(index);
    }
    const last = prints.at(-1);
    if (last) this.#last = { number, print: last };
    return { ...sorted, added: Uint32Array.from(kept) };
  }

  #begins(first: Print | undefined, number: number): Sorted['begins'] {
    if (!first || this.#last?.number !== number - 1 || isSame(first, this.#last.print)) return 'as expected';
    return this.#table.positionOf(first) === nowhere ? 'with another one' : 'with one listed before';
  }
}

const isSame = (one: Print, other: Print) => one.high === other.high && one.low === other.low;

/** A record that moved is listed twice as well: only where the list stood still it is another one. */
function isTwin(
  prints: Print[],
  start: number,
  index: number,
  earlier: number,
  stoodStill: boolean,
): boolean {
  const [before, own] = [prints[earlier - start], prints[index]];
  if (earlier - start < index && before && own && isSame(before, own)) return true;
  return stoodStill && earlier !== start + index;
}
