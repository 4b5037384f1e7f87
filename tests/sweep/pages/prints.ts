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
  return (text) => hash(key0, key1, text, 8) ?? (hash(key0, key1, text, 16) as Print);
}

/**
 * All in one function: state in variables of its own is four times as quick as in an array.
 * @param bits of each character
 * @returns undefined where a character takes more
 */
function hash(key0: number, key1: number, text: string, bits: 8 | 16): Print | undefined {
  let [v0, v1, v2, v3] = [key0, key1 ^ 0xee, 0x6c796765 ^ key0, 0x74656462 ^ key1];
  const words = Math.ceil((text.length * bits) / 32) + 1;
  let high = 0;
  for (let step = 0; step < words + 2; step += 1) {
    const word = step < words ? wordAt(text, bits, step) : 0;
    if (word === tooWide && bits === 8) return undefined;
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
  return notZero(high, (v1 ^ v3) >>> 0);
}

const notZero = (high: number, low: number): Print => ({ high, low: high === 0 && low === 0 ? 1 : low });

/** Four characters, or two wide ones; behind the last ones stands how many there are, and how wide. */
function wordAt(text: string, bits: 8 | 16, step: number): number {
  const at = (32 / bits) * step;
  if (at >= text.length) return (text.length << 8) | bits;
  const one = codeAt(text, at);
  const two = codeAt(text, at + 1);
  if (bits === 16) return one | (two << 16);
  const three = codeAt(text, at + 2);
  const four = codeAt(text, at + 3);
  return (one | two | three | four) > 0xff ? tooWide : one | (two << 8) | (three << 16) | (four << 24);
}

/** Of characters that take more than 8 bits, and of four that have all of these: such a text is taken for a wide one. */
const tooWide = -1;

const codeAt = (text: string, at: number) => (at < text.length ? text.charCodeAt(at) : 0);
