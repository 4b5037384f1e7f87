import { createHmac } from 'node:crypto';
import type { Print } from '../../relations/print-table.ts';

/** Makes the prints of one sweep: the same text has the same print, and without the key nothing leads back. */
export type PrintOf = (text: string) => Print;

/**
 * HalfSipHash-1-3 with an output of 64 bits, over the characters of a text: keyed, and quick with numbers of 32 bits.
 * @param secret what the key is derived from
 */
export function createPrints(secret: string): PrintOf {
  const key = createHmac('sha256', secret).update('identities of a sweep').digest();
  const [key0, key1] = [key.readInt32LE(0), key.readInt32LE(4)];
  return (text) => hash(key0, key1, text, bitsOf(text));
}

/** All in one function: state in variables of its own is four times as quick as in an array. */
function hash(key0: number, key1: number, text: string, bits: 8 | 16): Print {
  let [v0, v1, v2, v3] = [key0, key1 ^ 0xee, 0x6c796765 ^ key0, 0x74656462 ^ key1];
  const words = Math.ceil((text.length * bits) / 32) + 1;
  let high = 0;
  for (let step = 0; step < words + 2; step += 1) {
    const word = step < words ? wordAt(text, bits, step) : 0;
    if (step < words) v3 ^= word;
    else if (step === words) v2 ^= 0xee;
    else {
      high = (v1 ^ v3) >>> 0;
      v1 ^= 0xdd;
    }
    for (let rounds = step < words ? 1 : 3; rounds > 0; rounds -= 1) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    v0 ^= word;
  }
  const low = (v1 ^ v3) >>> 0;
  return high === 0 && low === 0 ? { high, low: 1 } : { high, low };
}

/** How many bits each character of a text takes. */
function bitsOf(text: string): 8 | 16 {
  let all = 0;
  for (let at = 0; at < text.length; at += 1) all |= text.charCodeAt(at);
  return all > 0xff ? 16 : 8;
}

/** Four characters, or two wide ones; behind the last ones stands how many there are, and how wide. */
function wordAt(text: string, bits: 8 | 16, step: number): number {
  const at = (32 / bits) * step;
  if (at >= text.length) return (text.length << 8) | bits;
  if (bits === 16) return codeAt(text, at) | (codeAt(text, at + 1) << 16);
  const low = codeAt(text, at) | (codeAt(text, at + 1) << 8);
  return low | (codeAt(text, at + 2) << 16) | (codeAt(text, at + 3) << 24);
}

const codeAt = (text: string, at: number) => (at < text.length ? text.charCodeAt(at) : 0);
