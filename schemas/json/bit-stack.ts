/** A stack of bits: which of the objects and arrays that are open is an object, however deep they lie. */
export class BitStack {
  #bits = new Uint8Array(64);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(bit: boolean): void {
    const byte = this.#size >>> 3;
    if (byte === this.#bits.length) this.#bits = grown(this.#bits);
    const mask = 1 << (this.#size & 7);
    this.#bits[byte] = bit ? (this.#bits[byte] as number) | mask : (this.#bits[byte] as number) & ~mask;
    this.#size += 1;
  }

  /** The bit that was pushed last; false when there is none. */
  get top(): boolean {
    const last = this.#size - 1;
    return last >= 0 && (((this.#bits[last >>> 3] as number) >> (last & 7)) & 1) === 1;
  }

  pop(): void {
    if (this.#size > 0) this.#size -= 1;
  }
}

function grown(bits: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(2 * bits.length);
  more.set(bits);
  return more;
}
