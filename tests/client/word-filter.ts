/** Two bits of 2^27 for each word: with a million words one in five thousand is taken for known that is not. */
const bits = 27;
const seed = 0x811c9dc5 | 0;
const step = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

/**
 * Remembers any number of words in a fixed space, and none of them in clear. It may take a word for one it was given,
 * never the other way about. Letter case and what is neither ASCII letter nor digit do not count.
 */
export class WordFilter {
  #bitmap: Uint8Array | undefined;

  /** Adds each word of a text, each with its neighbour, and all as one. */
  add(text: string): void {
    let whole = seed;
    let pair = seed;
    let word = seed;
    let length = 0;
    for (let place = 0; place <= text.length; place += 1) {
      const code = place < text.length ? fold(text.charCodeAt(place)) : 0;
      if (code > 0) {
        whole = step(whole, code);
        pair = step(pair, code);
        word = step(word, code);
        length += 1;
      } else if (length > 0) {
        // A single letter is no word.
        if (length > 1) this.#set(word);
        if (pair !== word) this.#set(pair);
        pair = word;
        word = seed;
        length = 0;
      }
    }
    this.#set(whole);
  }

  /** Whether a word was added, or looks as if. */
  has(word: string): boolean {
    let hash = seed;
    for (let place = 0; place < word.length; place += 1) {
      const code = fold(word.charCodeAt(place));
      if (code > 0) hash = step(hash, code);
    }
    return factors.every((factor) => this.#isSet(placeOf(hash, factor)));
  }

  #set(hash: number): void {
    this.#bitmap ??= new Uint8Array(2 ** (bits - 3));
    for (const factor of factors) {
      const bit = placeOf(hash, factor);
      this.#bitmap[bit >>> 3] = this.#byteOf(bit) | (1 << (bit & 7));
    }
  }

  #isSet = (bit: number) => ((this.#byteOf(bit) >> (bit & 7)) & 1) === 1;
  #byteOf = (bit: number) => this.#bitmap?.[bit >>> 3] ?? 0;
}

const factors = [0x2c1b3c6d, 0x297a2d39];
const placeOf = (hash: number, factor: number) => Math.imul(hash ^ (hash >>> 15), factor) >>> (32 - bits);

/** A digit or a letter in lower case; 0 for anything else. */
function fold(code: number): number {
  if (code >= 97 && code <= 122) return code;
  if (code >= 65 && code <= 90) return code + 32;
  return code >= 48 && code <= 57 ? code : 0;
}
