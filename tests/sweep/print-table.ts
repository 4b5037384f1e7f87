import type { Print } from './prints.ts';

/** What is known of a print: where it was first, and a print of 32 bits of what it names; 0 where that is not known. */
export interface Known {
  position: number;
  named: number;
}

/** Of each print: its halves, the position, and what is named. They stand side by side, so that one look fetches them all. */
const width = 4;

/** Prints with what is known of each, in four numbers of 32 bits: a million take 32 MB. Open addressing, at most two thirds full. */
export class PrintTable {
  #capacity = 1 << 12;
  #numbers = new Uint32Array(width * this.#capacity);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** What is known of a print. */
  find(print: Print): Known | undefined {
    const at = this.#placeOf(print);
    return this.#isFree(at) ? undefined : this.#known(at);
  }

  /** Adds a print unless it is there. @returns what was known of it before */
  add(print: Print, { position, named }: Known): Known | undefined {
    const at = this.#placeOf(print);
    if (!this.#isFree(at)) return this.#known(at);
    this.#numbers[at] = print.high;
    this.#numbers[at + 1] = print.low;
    this.#numbers[at + 2] = position;
    this.#numbers[at + 3] = named;
    this.#size += 1;
    if (3 * this.#size > 2 * this.#capacity) this.#grow();
    return undefined;
  }

  #known(at: number): Known {
    return { position: this.#numbers[at + 2] ?? 0, named: this.#numbers[at + 3] ?? 0 };
  }

  /** Where a print stands, or the free place where it belongs. */
  #placeOf({ high, low }: Print): number {
    const mask = this.#capacity - 1;
    for (let number = low & mask; ; number = (number + 1) & mask) {
      const at = width * number;
      if (this.#isFree(at) || (this.#numbers[at + 1] === low && this.#numbers[at] === high)) return at;
    }
  }

  #isFree(at: number): boolean {
    return this.#numbers[at] === 0 && this.#numbers[at + 1] === 0;
  }

  #grow(): void {
    const before = this.#numbers;
    this.#capacity *= 2;
    this.#numbers = new Uint32Array(width * this.#capacity);
    this.#size = 0;
    const numberAt = (at: number) => before[at] as number;
    for (let at = 0; at < before.length; at += width) {
      const print = { high: numberAt(at), low: numberAt(at + 1) };
      const known = { position: numberAt(at + 2), named: numberAt(at + 3) };
      if (print.high !== 0 || print.low !== 0) this.add(print, known);
    }
  }
}
