import type { Print } from './prints.ts';

/** Where nothing was found. */
export const nowhere = -1;

/** Prints with a position each, in three numbers of 32 bits: a million take 24 MB. Open addressing, at most two thirds full. */
export class PrintTable {
  #capacity = 1 << 12;
  #highs = new Uint32Array(this.#capacity);
  #lows = new Uint32Array(this.#capacity);
  #positions = new Uint32Array(this.#capacity);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The position that a print was added with, or `nowhere`. */
  positionOf(print: Print): number {
    const slot = this.#slotOf(print);
    return this.#isFree(slot) ? nowhere : (this.#positions[slot] ?? nowhere);
  }

  /** Adds a print unless it is there. @returns where it was before, or `nowhere` */
  add(print: Print, position: number): number {
    const slot = this.#slotOf(print);
    if (!this.#isFree(slot)) return this.#positions[slot] ?? nowhere;
    this.#highs[slot] = print.high;
    this.#lows[slot] = print.low;
    this.#positions[slot] = position;
    this.#size += 1;
    if (3 * this.#size > 2 * this.#capacity) this.#grow();
    return nowhere;
  }

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
    const [highs, lows, positions] = [this.#highs, this.#lows, this.#positions];
    this.#capacity *= 2;
    this.#highs = new Uint32Array(this.#capacity);
    this.#lows = new Uint32Array(this.#capacity);
    this.#positions = new Uint32Array(this.#capacity);
    this.#size = 0;
    for (let slot = 0; slot < highs.length; slot += 1) {
      const print = { high: highs[slot] ?? 0, low: lows[slot] ?? 0 };
      if (print.high !== 0 || print.low !== 0) this.add(print, positions[slot] ?? 0);
    }
  }
}
