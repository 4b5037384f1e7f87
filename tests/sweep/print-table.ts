import type { Print } from './prints.ts';

/** What is known of a print: where it was first, and a print of 32 bits of what it names; 0 where that is not known. */
export interface Known {
  position: number;
  named: number;
}

/** Prints with what is known of each, in four numbers of 32 bits: a million take 32 MB. Open addressing, at most two thirds full. */
export class PrintTable {
  #capacity = 1 << 12;
  #highs = new Uint32Array(this.#capacity);
  #lows = new Uint32Array(this.#capacity);
  #positions = new Uint32Array(this.#capacity);
  #named = new Uint32Array(this.#capacity);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** What is known of a print. */
  find(print: Print): Known | undefined {
    const slot = this.#slotOf(print);
    return this.#isFree(slot) ? undefined : this.#known(slot);
  }

  /** Adds a print unless it is there. @returns what was known of it before */
  add(print: Print, { position, named }: Known): Known | undefined {
    const slot = this.#slotOf(print);
    if (!this.#isFree(slot)) return this.#known(slot);
    this.#highs[slot] = print.high;
    this.#lows[slot] = print.low;
    this.#positions[slot] = position;
    this.#named[slot] = named;
    this.#size += 1;
    if (3 * this.#size > 2 * this.#capacity) this.#grow();
    return undefined;
  }

  #known = (slot: number): Known => ({
    position: this.#positions[slot] ?? 0,
    named: this.#named[slot] ?? 0,
  });

  /** The slot of a print, or the free one where it belongs. */
  #slotOf({ high, low }: Print): number {
    const mask = this.#capacity - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask)
      if (this.#isFree(slot) || (this.#lows[slot] === low && this.#highs[slot] === high)) return slot;
  }

  #isFree(slot: number): boolean {
    return this.#highs[slot] === 0 && this.#lows[slot] === 0;
  }

  #grow(): void {
    const [highs, lows, positions, named] = [this.#highs, this.#lows, this.#positions, this.#named];
    this.#capacity *= 2;
    this.#highs = new Uint32Array(this.#capacity);
    this.#lows = new Uint32Array(this.#capacity);
    this.#positions = new Uint32Array(this.#capacity);
    this.#named = new Uint32Array(this.#capacity);
    this.#size = 0;
    for (let slot = 0; slot < highs.length; slot += 1) {
      const print = { high: highs[slot] ?? 0, low: lows[slot] ?? 0 };
      if (print.high !== 0 || print.low !== 0)
        this.add(print, { position: positions[slot] ?? 0, named: named[slot] ?? 0 });
    }
  }
}
