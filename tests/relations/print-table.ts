/** 64 bits that stand for what they were made of, in two halves; never both zero. */
export interface Print {
  high: number;
  low: number;
}

/**
 * Records by a print, with so many numbers of 32 bits of each. Open addressing, at most two thirds full: a million with
 * two numbers take 32 MB.
 */
export class PrintTable {
  readonly #width: number;
  readonly #maxRecords: number;
  #capacity = 1 << 9;
  /** Of each record: its print, and its numbers. They stand side by side, so that one look fetches them all. */
  #numbers: Uint32Array;
  #size = 0;

  /**
   * @param width how many numbers each record has
   * @param maxRecords what is kept at most, in 6 to 12 bytes for each number and each half of a print
   */
  constructor(width: number, maxRecords = 4_000_000) {
    this.#width = width + 2;
    this.#maxRecords = maxRecords;
    this.#numbers = new Uint32Array(this.#width * this.#capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** The place of a record, until the next one is added; -1 if it is not known. */
  find(print: Print): number {
    const at = this.#placeOf(print);
    return this.#isFree(at) ? -1 : at;
  }

  /** One of the numbers of the record at a place. */
  numberAt(place: number, index: number): number {
    return this.#numbers[place + 2 + index] as number;
  }

  /** All numbers of the record at a place. */
  numbersAt(place: number): number[] {
    return [...this.#numbers.subarray(place + 2, place + this.#width)];
  }

  /** Changes one of the numbers of the record at a place. */
  setNumber(place: number, index: number, number: number): void {
    this.#numbers[place + 2 + index] = number;
  }

  /**
   * Adds a record that is not known yet, unless the table is full.
   * @param last its last number, where that is none of `numbers`
   * @returns whether it was added
   */
  add(print: Print, numbers: number[], last?: number): boolean {
    if (this.#size >= this.#maxRecords) return false;
    const at = this.#placeOf(print);
    if (!this.#isFree(at)) return false;
    this.#numbers[at] = print.high;
    this.#numbers[at + 1] = print.low;
    for (let index = 0; index < numbers.length; index += 1)
      this.#numbers[at + 2 + index] = numbers[index] as number;
    if (last !== undefined) this.#numbers[at + 2 + numbers.length] = last;
    this.#size += 1;
    if (3 * this.#size > 2 * this.#capacity) this.#grow(2 * this.#capacity);
    return true;
  }

  /** Makes room for so many records at once, as far as there is none. */
  reserve(records: number): void {
    let capacity = this.#capacity;
    while (3 * Math.min(records, this.#maxRecords) > 2 * capacity) capacity *= 2;
    if (capacity > this.#capacity) this.#grow(capacity);
  }

  /** Where a print stands, or the free place where it belongs. */
  #placeOf({ high, low }: Print): number {
    const mask = this.#capacity - 1;
    for (let number = low & mask; ; number = (number + 1) & mask) {
      const at = this.#width * number;
      if (this.#isFree(at) || (this.#numbers[at + 1] === low && this.#numbers[at] === high)) return at;
    }
  }

  #isFree(at: number): boolean {
    return this.#numbers[at] === 0 && this.#numbers[at + 1] === 0;
  }

  #grow(capacity: number): void {
    const before = this.#numbers;
    this.#capacity = capacity;
    const numbers = new Uint32Array(this.#width * capacity);
    this.#numbers = numbers;
    for (let at = 0; at < before.length; at += this.#width) {
      const [high, low] = [before[at] as number, before[at + 1] as number];
      if (high === 0 && low === 0) continue;
      const place = this.#placeOf({ high, low });
      for (let index = 0; index < this.#width; index += 1)
        numbers[place + index] = before[at + index] as number;
    }
  }
}
