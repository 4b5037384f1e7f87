import { hash } from 'node:crypto';

/** Hashes a text to 64 bits, as 16 hexadecimal digits: the same text has the same hash, and without the secret nothing leads back. */
export type HashOf = (text: string) => string;

/** The first half of a SHA-256 of key and text, cut: a quarter of what an HMAC takes, and no less. */
export function keyedHash(secret: string): HashOf {
  const key = hash('sha256', `${secret} records`);
  return (text) => hash('sha256', key + text).slice(0, 16);
}

/** Half of a hash as a number that is not 0: what stands for a value. */
export const numberOf = (hash: string): number => halvesOf(hash)[1] || 1;

/**
 * Records by the hash of their key, with so many numbers of 32 bits of each: a million records with three numbers take
 * 28 MB. They are numbered from 0, in the order in which they were added.
 */
export class RecordTable {
  readonly #width: number;
  /** Of each record: both halves of its hash, and its numbers. */
  #records: Uint32Array;
  /** Open addressing: one more than the number of the record, or 0. At most half are taken. */
  #slots = new Uint32Array(1024);
  size = 0;

  constructor(width: number) {
    this.#width = width + 2;
    this.#records = new Uint32Array((this.#slots.length / 2) * this.#width);
  }

  /** @returns the number of a record, or -1 */
  find(key: string): number {
    const [high, low] = halvesOf(key);
    return (this.#slots[this.#slotOf(high, low)] as number) - 1;
  }

  /** Adds a record that is not there yet, with zeros. @returns its number */
  add(key: string): number {
    if (2 * this.size >= this.#slots.length) this.#grow();
    const [high, low] = halvesOf(key);
    const record = this.size;
    this.#slots[this.#slotOf(high, low)] = record + 1;
    this.size += 1;
    this.set(record, -2, high);
    this.set(record, -1, low);
    return record;
  }

  /** One of the numbers of a record; -2 and -1 are the halves of its hash. */
  get = (record: number, index: number): number => this.#records[record * this.#width + index + 2] as number;

  set(record: number, index: number, number: number): void {
    this.#records[record * this.#width + index + 2] = number;
  }

  /** Where a hash stands, or the free place where it belongs. */
  #slotOf(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const record = (this.#slots[slot] as number) - 1;
      if (record === -1 || (this.get(record, -1) === low && this.get(record, -2) === high)) return slot;
    }
  }

  #grow(): void {
    const records = new Uint32Array(2 * this.#records.length);
    records.set(this.#records);
    this.#records = records;
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let record = 0; record < this.size; record += 1)
      this.#slots[this.#slotOf(this.get(record, -2), this.get(record, -1))] = record + 1;
  }
}

const halvesOf = (key: string): [high: number, low: number] => [
  Number.parseInt(key.slice(0, 8), 16),
  Number.parseInt(key.slice(8), 16),
];
