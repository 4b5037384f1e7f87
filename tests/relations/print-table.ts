/** Records by the print of their key: prints of their values, and the number of the response that showed them first. */
export class PrintTable {
  readonly #width: number;
  readonly #maxRecords: number;
  #keys = new Float64Array(256);
  #values: Float64Array;
  #places = new Uint32Array(256);
  #size = 0;

  /** @param width how many values each record has @param maxRecords what is kept at most, in 16 to 60 bytes each */
  constructor(width: number, maxRecords = 4_000_000) {
    this.#width = width;
    this.#maxRecords = maxRecords;
    this.#values = new Float64Array(256 * width);
  }

  get size(): number {
    return this.#size;
  }

  /** What is known of a record; 0 is a value that could not be compared. */
  find(key: number): { values: number[]; place: number } | undefined {
    const at = this.#slotOf(key);
    if (this.#keys[at] === 0) return undefined;
    const start = at * this.#width;
    return {
      values: [...this.#values.subarray(start, start + this.#width)],
      place: this.#places[at] ?? 0,
    };
  }

  /** Adds a record that is not known yet, unless the table is full. */
  add(key: number, values: number[], place: number): void {
    if (this.#size >= this.#maxRecords) return;
    if (2 * this.#size >= this.#keys.length) this.#grow();
    const at = this.#slotOf(key);
    if (this.#keys[at] !== 0) return;
    this.#keys[at] = key;
    this.#values.set(values, at * this.#width);
    this.#places[at] = place;
    this.#size += 1;
  }

  /** The slot of a key, or the free one where it belongs. */
  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let at = key & mask;
    while (this.#keys[at] !== 0 && this.#keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [keys, values, places] = [this.#keys, this.#values, this.#places];
    this.#keys = new Float64Array(2 * keys.length);
    this.#values = new Float64Array(2 * values.length);
    this.#places = new Uint32Array(2 * places.length);
    for (const [from, key] of keys.entries()) {
      if (key === 0) continue;
      const at = this.#slotOf(key);
      this.#keys[at] = key;
      this.#values.set(values.subarray(from * this.#width, (from + 1) * this.#width), at * this.#width);
      this.#places[at] = places[from] ?? 0;
    }
  }
}
