import * as scan from './scan.ts';

// A constant of this file: in a loop over bytes, each use of an import would be a look-up.
const { stringEnd, textBetween } = scan;

/** Another number for each process: so nobody can write keys that fall together. */
const seed = Math.floor(Math.random() * 2 ** 32) | 0;

/** The key, in quotes, that begins at a place. */
export function keyAt(bytes: Uint8Array, begin: number): string {
  const key = textBetween(bytes, begin + 1, stringEnd(bytes, begin) - 1);
  return key.includes('\\') ? String(JSON.parse(`"${key}"`)) : key;
}

/**
 * The keys of the objects that are open, to find one that stands there twice. It keeps no text: a key is where it
 * begins, its hash, and a slot of a hash table. What was added last is taken out first, so that slots fall free.
 */
export class OpenKeys {
  readonly #bytes: Uint8Array;
  #begins = new Int32Array(64);
  #hashes = new Int32Array(64);
  #slots = new Int32Array(256);
  /** For each open object, how many keys there were before it. */
  #bases = new Int32Array(64);
  #count = 0;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  open(): void {
    if (this.#depth === this.#bases.length) this.#bases = grown(this.#bases);
    this.#bases[this.#depth] = this.#count;
    this.#depth += 1;
  }

  close(): void {
    this.#depth -= 1;
    const base = this.#bases[this.#depth] as number;
    while (this.#count > base) {
      this.#slots[this.#slotOf(this.#count)] = 0;
      this.#count -= 1;
    }
  }

  /** Adds the key that begins at a place to the object that was opened last. @returns whether it has it already */
  add(begin: number): boolean {
    const base = this.#bases[this.#depth - 1] as number;
    const hash = hashOf(this.#bytes, begin, base);
    let slot = this.#firstSlot(hash);
    for (let key = this.#slots[slot] as number; key > 0; key = this.#slots[slot] as number) {
      if (
        key > base &&
        this.#hashes[key - 1] === hash &&
        this.#isSame(this.#begins[key - 1] as number, begin)
      )
        return true;
      slot = this.#next(slot);
    }
    this.#push(begin, hash, slot);
    return false;
  }

  #push(begin: number, hash: number, slot: number): void {
    if (this.#count === this.#begins.length) {
      this.#begins = grown(this.#begins);
      this.#hashes = grown(this.#hashes);
    }
    this.#begins[this.#count] = begin;
    this.#hashes[this.#count] = hash;
    this.#count += 1;
    this.#slots[slot] = this.#count;
    if (2 * this.#count > this.#slots.length) this.#rehash();
  }

  /** In the order in which they were added, so that each one still is the last to be found on its way. */
  #rehash(): void {
    this.#slots = new Int32Array(4 * this.#slots.length);
    for (let key = 1; key <= this.#count; key += 1) {
      let slot = this.#firstSlot(this.#hashes[key - 1] as number);
      while (this.#slots[slot] !== 0) slot = this.#next(slot);
      this.#slots[slot] = key;
    }
  }

  #slotOf(key: number): number {
    let slot = this.#firstSlot(this.#hashes[key - 1] as number);
    while (this.#slots[slot] !== key) slot = this.#next(slot);
    return slot;
  }

  #firstSlot = (hash: number) => hash & (this.#slots.length - 1);
  #next = (slot: number) => (slot + 1) & (this.#slots.length - 1);

  #isSame = (one: number, other: number) => keyAt(this.#bytes, one) === keyAt(this.#bytes, other);
}

const backslash = 0x5c;

/** Of a key: the same, however it is written; another one in another object. */
function hashOf(bytes: Uint8Array, begin: number, base: number): number {
  const end = stringEnd(bytes, begin) - 1;
  for (let at = begin + 1; at < end; at += 1)
    if (bytes[at] === backslash) {
      const key = Buffer.from(keyAt(bytes, begin));
      return hash(key, 0, key.length, base);
    }
  return hash(bytes, begin + 1, end, base);
}

/** FNV-1a with a seed, mixed at the end, since the lowest bits alone choose a slot. */
function hash(bytes: Uint8Array, begin: number, end: number, base: number): number {
  let state = Math.imul(seed ^ base, 0x9e3779b1);
  for (let at = begin; at < end; at += 1) state = Math.imul(state ^ (bytes[at] as number), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  return state ^ (state >>> 13);
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * numbers.length);
  more.set(numbers);
  return more;
}
