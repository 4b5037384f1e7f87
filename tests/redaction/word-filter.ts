/** Letters in lower case and digits are 1 to 36, so that any five of them are a number of their own in base 37. */
const base = 37;
const gram = 5;
const longest = base ** gram;
const tail = base ** (gram - 1);

const codes = new Uint8Array(128);
for (const [index, sign] of [...'0123456789abcdefghijklmnopqrstuvwxyz'].entries())
  for (const code of [sign.charCodeAt(0), sign.toUpperCase().charCodeAt(0)]) codes[code] = index + 1;

/** A number for each; 0 for what is neither an ASCII letter nor a digit. */
export const letterOrDigit = (text: string, place: number): number => codes[text.charCodeAt(place)] ?? 0;
/** Stays as it is with five characters. */
const append = (number: number, code: number) => (number < tail ? number * base + code : number);
const slide = (number: number, code: number) => (number % tail) * base + code;

/**
 * Remembers texts in a fixed space of 9 MB: every five characters that stand together in one, and shorter words. Letter
 * case and separators do not count. A word is known if it is a piece of a text, from five characters on, or of four
 * digits; a shorter one if it is a word, two neighbouring words, or a whole text. A longer word may be taken for known
 * that is not, when all its pieces are, never the other way about: full of random text, the filter knows every word.
 */
export class WordFilter {
  #bitmap: Uint8Array | undefined;

  add(text: string): void {
    this.#addPieces(text);
    this.#addWords(text);
  }

  #addPieces(text: string): void {
    let window = 0;
    for (let place = 0; place < text.length; place += 1) {
      const code = letterOrDigit(text, place);
      if (code === 0) continue;
      window = slide(window, code);
      if (window >= tail) this.#set(window);
    }
  }

  /** Each word, each with its neighbour, and all as one; of longer ones no more than how they begin. */
  #addWords(text: string): void {
    let [whole, pair, word, length] = [0, 0, 0, 0];
    for (let place = 0; place <= text.length; place += 1) {
      const code = place < text.length ? letterOrDigit(text, place) : 0;
      if (code > 0) {
        whole = append(whole, code);
        pair = append(pair, code);
        word = append(word, code);
        length += 1;
      } else if (length > 0) {
        // A single letter is no word.
        if (length > 1) this.#set(word);
        if (pair !== word) this.#set(pair);
        [pair, word, length] = [word, 0, 0];
      }
    }
    this.#set(whole);
  }

  /** Whether a word is a piece of a text that was added, or looks as if. */
  has(word: string): boolean {
    let [window, length, known] = [0, 0, true];
    for (let place = 0; place < word.length; place += 1) {
      const code = letterOrDigit(word, place);
      if (code === 0) continue;
      window = slide(window, code);
      length += 1;
      if (length >= gram) known &&= this.#isSet(window);
    }
    if (length >= gram) return known;
    return (
      this.#isSet(window) || (length === gram - 1 && /^\W*(\d\W*)+$/.test(word) && this.#isPiece(window))
    );
  }

  /** Whether four characters stand in a text before or behind another. */
  #isPiece(four: number): boolean {
    for (let code = 1; code < base; code += 1)
      if (this.#isSet(four * base + code) || this.#isSet(code * tail + four)) return true;
    return false;
  }

  #set(number: number): void {
    this.#bitmap ??= new Uint8Array(Math.ceil(longest / 8));
    const byte = number >>> 3;
    this.#bitmap[byte] = (this.#bitmap[byte] ?? 0) | (1 << (number & 7));
  }

  #isSet = (number: number) => (((this.#bitmap?.[number >>> 3] ?? 0) >> (number & 7)) & 1) === 1;
}
