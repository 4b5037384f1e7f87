/** Another number for each process: so nobody can write keys that fall together. */
const seed = Math.floor(Math.random() * 2 ** 31);
const levels = 4096;
const buckets = 65_536;

/** Beyond this, objects of a parsed value seldom share what describes their members. V8 gives up soon after. */
const mostShapes = 1000;

/**
 * Estimates how many shapes the objects of a JSON text have: the same keys in the same order are one shape. It counts
 * the ways in which an object grows by a key.
 */
export class ShapeCounter {
  readonly #shapes = new Int32Array(levels);
  readonly #keys = new Int32Array(levels);
  readonly #seen = new Uint8Array(buckets);
  #count = 0;

  /** Whether shapes are few, so that names of members take no memory. */
  get areFew(): boolean {
    return this.#count <= mostShapes;
  }

  /** An object begins at a depth. */
  open(depth: number): void {
    this.#shapes[depth % levels] = seed;
    this.#keys[depth % levels] = seed;
  }

  /** The object at a depth has one more key, which stands between two places. */
  add(depth: number, bytes: Uint8Array, begin: number, end: number): void {
    const level = depth % levels;
    const key = hashOf(bytes, begin, end);
    if (key === this.#keys[level]) return;
    const shape = Math.imul((this.#shapes[level] as number) ^ key, 0x01000193) ^ (key >>> 15);
    this.#keys[level] = key;
    this.#shapes[level] = shape;
    const bucket = (shape ^ (shape >>> 16)) & (buckets - 1);
    if (this.#seen[bucket]) return;
    this.#seen[bucket] = 1;
    this.#count += 1;
  }
}

/** FNV-1a of a key. */
function hashOf(bytes: Uint8Array, begin: number, end: number): number {
  let hash = seed;
  for (let at = begin; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash;
}
