import type { Contradictions, KnownRecord } from './contradictions.ts';
import { type Print, PrintTable } from './print-table.ts';
import { halvesOf } from './prints.ts';
import type { Sighting } from './sightings.ts';

/** What is kept: records, responses that showed one first, and records that something contradicts. */
export interface RecordLimits {
  records: number;
  sources: number;
  contradicted: number;
  /** Records whose lookups are held against each other. */
  constant: number;
}

/** 42 MB for a million records with two values, and 25 MB for the responses. */
export const recordLimits: RecordLimits = {
  records: 1_000_000,
  sources: 50_000,
  contradicted: 10_000,
  constant: 50_000,
};

/** What the pages of a list have shown first of each record, and what contradicts it so far. */
export class ListedRecords<Source> {
  readonly #limits: RecordLimits;
  readonly #width: number;
  readonly #table: PrintTable;
  readonly #sources: Source[] = [];
  readonly #contradictions = new Map<number, Contradictions<Source>>();

  /** @param width how many values each record has */
  constructor(width: number, limits: RecordLimits) {
    this.#width = width;
    this.#limits = limits;
    this.#table = new PrintTable(width + 1, limits.records);
  }

  /** What is known of a record. */
  find(key: number): KnownRecord<Source> | undefined {
    const place = this.#table.find(halvesOf(key));
    return place === -1 ? undefined : this.#knownAt(place, key);
  }

  /**
   * Finds a record that is shown, or adds it.
   * @returns what is known of it, if it may differ from that; most are new, or as they were shown before
   */
  findOrAdd(sighting: Sighting, source: Source): KnownRecord<Source> | 'as known' | 'no room' {
    const { key } = sighting;
    const print = halvesOf(key);
    const place = this.#table.find(print);
    if (place === -1) return this.#add(print, sighting, source) ? 'as known' : 'no room';
    const isAsKnown = this.#isAt(place, sighting) && !this.#contradictions.has(key);
    return isAsKnown ? 'as known' : (this.#knownAt(place, key) ?? 'no room');
  }

  #knownAt(place: number, key: number): KnownRecord<Source> | undefined {
    const values = this.#table.numbersAt(place);
    const source = this.#sources[values[this.#width] ?? -1];
    return source === undefined
      ? undefined
      : { source, values, contradictions: this.#contradictions.get(key) };
  }

  #isAt(place: number, { values }: Sighting): boolean {
    for (let index = 0; index < values.length; index += 1)
      if (this.#table.numberAt(place, index) !== values[index]) return false;
    return true;
  }

  /** @returns whether there was room for the record */
  #add(print: Print, { values }: Sighting, source: Source): boolean {
    return this.#takes(source) && this.#table.add(print, values, this.#sources.length - 1);
  }

  /** Whether there is room for a response, which is the last one then. */
  #takes(source: Source): boolean {
    if (this.#sources.at(-1) === source) return true;
    if (this.#sources.length >= this.#limits.sources) return false;
    this.#sources.push(source);
    return true;
  }

  /** Takes what a list shows now of a record that is known; what cannot be compared changes nothing. */
  update(key: number, { values }: Sighting, source: Source): void {
    const place = this.#table.find(halvesOf(key));
    if (place === -1 || !this.#takes(source)) return;
    for (const [index, value] of values.entries())
      if (value !== 0) this.#table.setNumber(place, index, value);
    this.#table.setNumber(place, this.#width, this.#sources.length - 1);
  }

  /** All that contradicts a record. */
  *contradictions(): Generator<Contradictions<Source>> {
    yield* this.#contradictions.values();
  }

  /** Keeps what contradicts a record. @returns whether there was room for it */
  keep(key: number, { contradictions }: KnownRecord<Source>): boolean {
    if (!contradictions || contradictions.size === 0) this.#contradictions.delete(key);
    else if (!this.#contradictions.has(key)) {
      if (this.#contradictions.size >= this.#limits.contradicted) return false;
      this.#contradictions.set(key, contradictions);
    }
    return true;
  }
}
