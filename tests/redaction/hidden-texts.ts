import * as filter from './word-filter.ts';

// A constant of this file: in a loop over characters, each use of an import would be a look-up.
const { letterOrDigit } = filter;

/** Letters and digits of a text that is looked for inside of words; longer words are never shown. */
const [shortest, longest] = [4, 40];

/** Bits of the bitmap, of which a text takes two. */
const bits = 2 ** 26;
/** Another number for each process: so nobody can write texts that fill the bitmap evenly. */
const seed = Math.floor(Math.random() * 2 ** 32) | 0;
/** They stand in fields of any kind, and say nothing. */
const literals = new Set(['true', 'false', 'null']);

/**
 * Remembers texts, and each word in them, in a fixed space of 8 MB, to find one that stands inside of a word: `xMaria`
 * holds `Maria`. Letter case and separators do not count. A word may be taken for one that holds a text and does not,
 * one in millions as long as there are some ten thousand texts, never the other way about.
 */
export class HiddenTexts {
  #bitmap: Uint8Array | undefined;

  add(text: string): void {
    if (literals.has(text)) return;
    const [whole, word] = [new Rolling(), new Rolling()];
    for (let place = 0; place < text.length; place += 1) {
      const code = letterOrDigit(text, place);
      if (code === 0) {
        this.#set(word);
        word.restart();
      } else {
        whole.append(code);
        word.append(code);
      }
    }
    this.#set(word);
    this.#set(whole);
  }

  /** Whether a word holds a text that was added. */
  standsIn(word: string): boolean {
    for (let start = 0; start < word.length; start += 1) {
      const piece = new Rolling();
      for (let place = start; place < word.length && piece.length < longest; place += 1) {
        const code = letterOrDigit(word, place);
        if (code > 0 && this.#isSet(piece.append(code))) return true;
      }
    }
    return false;
  }

  #set(text: Rolling): void {
    if (text.length < shortest || text.length > longest) return;
    this.#bitmap ??= new Uint8Array(bits / 8);
    for (const bit of text.bits())
      this.#bitmap[bit >>> 3] = (this.#bitmap[bit >>> 3] as number) | (1 << (bit & 7));
  }

  #isSet(text: Rolling): boolean {
    if (!this.#bitmap || text.length < shortest) return false;
    return text.bits().every((bit) => (((this.#bitmap?.[bit >>> 3] ?? 0) >> (bit & 7)) & 1) === 1);
  }
}

/** The hash of a text that grows (FNV-1a). */
class Rolling {
  length = 0;
  #hash = seed;

  append(code: number): this {
    this.length += 1;
    this.#hash = Math.imul(this.#hash ^ code, 0x01000193);
    return this;
  }

  restart(): void {
    this.length = 0;
    this.#hash = seed;
  }

  bits(): [number, number] {
    const one = Math.imul(this.#hash ^ (this.#hash >>> 15), 0x85ebca6b);
    const other = Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
    return [one >>> 6, other >>> 6];
  }
}
