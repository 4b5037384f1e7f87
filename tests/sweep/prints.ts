import { createHmac } from 'node:crypto';

/** 64 bits that stand for an identifier, in two halves; never both zero. */
export interface Print {
  high: number;
  low: number;
}

/** Makes the prints of one sweep: the same text has the same print, and without the key nothing leads back. */
export type PrintOf = (text: string) => Print;

/**
 * HalfSipHash-2-4 with an output of 64 bits, over the UTF-16 code units of a text: keyed, and quick with numbers of 32 bits.
 * @param secret what the key is derived from
 */
export function createPrints(secret: string): PrintOf {
  const key = createHmac('sha256', secret).update('identities of a sweep').digest();
  const [key0, key1] = [key.readUInt32LE(0), key.readUInt32LE(4)];
  const state = new Uint32Array(4);
  return (text) => {
    state.set([key0, key1 ^ 0xee, 0x6c796765 ^ key0, 0x74656462 ^ key1]);
    const even = text.length & ~1;
    for (let at = 0; at < even; at += 2) absorb(state, text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
    const rest = even < text.length ? text.charCodeAt(even) : 0;
    absorb(state, rest | ((text.length & 0xffff) << 16));
    const high = finish(state, 2, 0xee);
    const low = finish(state, 1, 0xdd);
    return high === 0 && low === 0 ? { high: 0, low: 1 } : { high, low };
  };
}

function absorb(state: Uint32Array, word: number): void {
  state[3] = at(state, 3) ^ word;
  rounds(state, 2);
  state[0] = at(state, 0) ^ word;
}

function finish(state: Uint32Array, place: 1 | 2, mark: number): number {
  state[place] = at(state, place) ^ mark;
  rounds(state, 4);
  return (at(state, 1) ^ at(state, 3)) >>> 0;
}

const at = (state: Uint32Array, place: number) => state[place] ?? 0;
const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by));

function rounds(state: Uint32Array, count: number): void {
  let [v0, v1, v2, v3] = [at(state, 0), at(state, 1), at(state, 2), at(state, 3)];
  for (let round = 0; round < count; round += 1) {
    v0 = (v0 + v1) | 0;
    v1 = rotate(v1, 5) ^ v0;
    v0 = rotate(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotate(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotate(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotate(v1, 13) ^ v2;
    v2 = rotate(v2, 16);
  }
  state[0] = v0;
  state[1] = v1;
  state[2] = v2;
  state[3] = v3;
}
