import type { Print } from '../../relations/print-table.ts';
import { differ } from '../../relations/prints.ts';
import type { PageRequest } from '../paging/paging.ts';
import { type EdgeRecord, edgeOf, hasIdentity, type Identity, isSame } from './identity.ts';
import { type Known, RecordTable } from './record-table.ts';

/** A record whose identity another one has, which was listed at an earlier place and names something else. */
export interface Twin {
  index: number;
  earlier: number;
  earlierNamed: number;
}

/** What the identities of a page say beside those of the pages before it. */
export interface Sorted {
  /** Indices of records that were counted before: the list moved, or pages overlap. */
  repeated: Set<number>;
  /** How many of these have an earlier place on the same page: no sign that the list moved. */
  twice: number;
  twins: Twin[];
  /** How the page begins: with the record that the one before it has ended with, with one listed before, or with another one. */
  begins: 'as expected' | 'with one listed before' | 'with another one';
  /** By how many places the first record has moved since it was first listed. */
  shift: number;
  /** To be stored of each record that was seen for the first time: `numbersOfRecord` numbers. */
  added: Uint32Array;
}

/** High and low half of the print, the place, and what is named. */
export const numbersOfRecord = 4;

/** High and low half of the print, and what is named. */
export const numbersOfTwin = 3;

/** For how many records memory is reserved at most (32 MB): the number that a target shows may be wrong. */
const maxReserved = 1_000_000;

/** What a page shows of records that were seen before. */
type SeenBefore = Pick<Sorted, 'repeated' | 'twice' | 'twins'>;

/** Which records were seen, at which place of the list: each is counted once, however often it is listed. */
export class Sightings {
  readonly #table = new RecordTable();
  readonly #broken = new RecordTable();
  readonly #twins = new RecordTable();
  #last: { number: number; print: EdgeRecord } | undefined;

  /** The record with which the last page has ended. */
  get last(): EdgeRecord | undefined {
    return this.#last?.print;
  }

  /** Makes room for the records that are expected: a table that grows with them is filled anew each time. */
  reserve(records: number): void {
    this.#table.reserve(Math.min(records, maxReserved));
  }

  /** Takes back what an earlier run has stored, in the same order. */
  restore(added: Uint32Array, last: { number: number; print: EdgeRecord } | undefined): void {
    this.#last = last;
    for (let at = 0; at + numbersOfRecord <= added.length; at += numbersOfRecord) {
      const [high = 0, low = 0, position = 0, named = 0] = added.subarray(at, at + numbersOfRecord);
      this.#table.add({ high, low }, { position, named });
    }
  }

  /** The place, from 0, at which a record was listed first. */
  placeOf(identity: Identity): number | undefined {
    return hasIdentity(identity) ? this.#table.find(identity.key)?.position : undefined;
  }

  /** Whether a record is known to break a requirement. */
  isBroken(print: Print): boolean {
    return this.#broken.find(print) !== undefined;
  }

  /** Takes note of records that break a requirement. @param prints high and low half of each */
  addBroken(prints: number[]): void {
    for (let at = 0; at + 2 <= prints.length; at += 2) {
      const [high = 0, low = 0] = prints.slice(at, at + 2);
      this.#broken.add({ high, low }, { position: 0, named: 0 });
    }
  }

  /** Takes back what a page has shown. @param twinPrints `numbersOfTwin` for each */
  addKnown({ brokenPrints = [], twinPrints = [] }: { brokenPrints?: number[]; twinPrints?: number[] }): void {
    this.addBroken(brokenPrints);
    for (let at = 0; at + numbersOfTwin <= twinPrints.length; at += numbersOfTwin) {
      const [high = 0, low = 0, named = 0] = twinPrints.slice(at, at + numbersOfTwin);
      this.#isNewTwin({ key: { high, low }, named });
    }
  }

  /**
   * @param overlap records that the page shares with the one before it
   * @param foreign records at its beginning that are counted elsewhere
   */
  sort(identities: Identity[], { number, position }: PageRequest, overlap: 0 | 1, foreign = 0): Sorted {
    const [first] = identities;
    const isBehind = overlap === 1 && this.#last?.number === number - 1;
    const begins = isBehind ? this.#begins(first) : 'as expected';
    const isShared = isBehind && begins === 'as expected' && first && !hasIdentity(first);
    const sorted: SeenBefore = { repeated: new Set(isShared ? [0] : []), twice: 0, twins: [] };
    const added = new Uint32Array(numbersOfRecord * identities.length);
    let length = 0;
    for (let index = 0; index < identities.length; index += 1) {
      const identity = identities[index] as Identity;
      if (!hasIdentity(identity)) continue;
      const place = position + index;
      const known = this.#table.add(identity.key, { position: place, named: identity.named });
      if (known) this.#sortKnown(sorted, known, identity, { index, position, foreign });
      else if (index >= foreign) length = note(added, length, identity, place);
    }
    const last = identities.at(-1);
    if (last) this.#last = { number, print: edgeOf(last) };
    const shift = position - ((first && this.placeOf(first)) ?? position);
    return { ...sorted, begins, shift, added: added.slice(0, length) };
  }

  /** Sorts a record that is known. @param position of the first record of the page */
  #sortKnown(
    sorted: SeenBefore,
    known: Known,
    identity: Identity,
    { index, position, foreign }: { index: number; position: number; foreign: number },
  ): void {
    const { named } = identity;
    if (index >= foreign && differ(known.named, named) && this.#isNewTwin(identity))
      sorted.twins.push({ index, earlier: known.position, earlierNamed: known.named });
    else {
      sorted.repeated.add(index);
      if (known.position >= position && known.position < position + index) sorted.twice += 1;
    }
  }

  /** Takes note of a twin: it stays one where it is listed again. */
  #isNewTwin({ key: { high, low }, named }: Identity): boolean {
    const print = { high: (high ^ named) >>> 0, low };
    return this.#twins.add(print, { position: 0, named }) === undefined;
  }

  #begins(first: Identity | undefined): Sorted['begins'] {
    if (!first || !this.#last || isSame(this.#last.print, edgeOf(first))) return 'as expected';
    const known = hasIdentity(first) ? this.#table.find(first.key) : undefined;
    return known && !differ(known.named, first.named) ? 'with one listed before' : 'with another one';
  }
}

/** Writes what is to be stored of a record. @returns where the next one belongs */
function note(added: Uint32Array, at: number, { key, named }: Identity, place: number): number {
  added[at] = key.high;
  added[at + 1] = key.low;
  added[at + 2] = place;
  added[at + 3] = named;
  return at + numbersOfRecord;
}
