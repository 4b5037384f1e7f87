import { withoutAccents } from './without-accents.ts';

/** Letters in lower case and digits are 1 to 36, so that any five of them are a number of their own in base 37. */
const base = 37;
const gram = 5;
const longest = base ** gram;
const tail = base ** (gram - 1);

const codes = new Uint8Array(128);
for (const [index, sign] of [...'0123456789abcdefghijklmnopqrstuvwxyz'].entries())
  for (const code of [sign.charCodeAt(0), sign.toUpperCase().charCodeAt(0)]) codes[code] = index + 1;

/** A number for each; 0 for what is neither an ASCII letter nor a digit. */
const letterOrDigit = (text: string, place: number): number => codes[text.charCodeAt(place)] ?? 0;
/** Stays as it is with five characters. */
const append = (number: number, code: number) => (number < tail ? number * base + code : number);
const slide = (number: number, code: number) => (number % tail) * base + code;

/** How many letters and digits of a text say something of it. */
export interface PieceLengths {
  /** Of a piece that is a word of its own: four or more. */
  alone: number;
  /** Of a piece inside of a longer word: five or more. */
  inside: number;
}

/** They stand in fields of any kind, and say nothing. */
const literals = new Set(['true', 'false', 'null']);

/**
 * Holds texts in a fixed space of 18 MB: every five characters that stand together in one, and shorter words. Letter
 * case, accents and separators do not count. A word is known if it is a piece of a text or holds one, of the lengths that are
 * given, or is four digits of one; if it holds a word or a whole text of four or five; a shorter one if it is a word, two
 * neighbouring words, or a whole text. A word may be taken for known that is not, when what is looked at of it stands in
 * several texts, never the other way about: full of random text, the filter knows every word.
 */
export class WordFilter {
  readonly #lengths: PieceLengths;
  readonly #pieces = new NumberSet();
  /** Words and whole texts of four or five characters. */
  readonly #words = new NumberSet();

  constructor(lengths: PieceLengths) {
    this.#lengths = lengths;
  }

  add(text: string): void {
    if (literals.has(text)) return;
    const plain = withoutAccents(text);
    this.#addPieces(plain);
    this.#addWords(plain);
  }

  #addPieces(text: string): void {
    let window = 0;
    for (let place = 0; place < text.length; place += 1) {
      const code = letterOrDigit(text, place);
      if (code === 0) continue;
      window = slide(window, code);
      if (window >= tail) this.#pieces.add(window);
    }
  }

  /** Each word, each with its neighbour, and all as one; of longer ones no more than how they begin. */
  #addWords(text: string): void {
    let [whole, pair, word, length, total] = [0, 0, 0, 0, 0];
    for (let place = 0; place <= text.length; place += 1) {
      const code = place < text.length ? letterOrDigit(text, place) : 0;
      if (code > 0) {
        whole = append(whole, code);
        pair = append(pair, code);
        word = append(word, code);
        length += 1;
      } else if (length > 0) {
        // A single letter is no word.
        if (length > 1) this.#addWord(word, length);
        if (pair !== word) this.#pieces.add(pair);
        total += length;
        [pair, word, length] = [word, 0, 0];
      }
    }
    this.#addWord(whole, total);
  }

  #addWord(word: number, length: number): void {
    this.#pieces.add(word);
    if (length === gram - 1 || length === gram) this.#words.add(word);
  }

  /** Whether a word is known, or looks as if. */
  has(word: string): boolean {
    const { alone, inside } = this.#lengths;
    let [window, length, run] = [0, 0, 0];
    for (let place = 0; place < word.length; place += 1) {
      const code = letterOrDigit(word, place);
      if (code === 0) continue;
      window = slide(window, code);
      length += 1;
      run = length >= gram && this.#pieces.has(window) ? run + 1 : 0;
      if (run > inside - gram || this.#endsInWord(window, length)) return true;
    }
    if (length >= gram) return length >= alone && run > length - gram;
    return (
      this.#pieces.has(window) ||
      (length === gram - 1 && (length >= alone || isNumber(word)) && this.#isPiece(window))
    );
  }

  #endsInWord(window: number, length: number): boolean {
    return length >= gram - 1 && (this.#words.has(window) || this.#words.has(window % tail));
  }

  /** Whether four characters stand in a text before or behind another. */
  #isPiece(four: number): boolean {
    for (let code = 1; code < base; code += 1)
      if (this.#pieces.has(four * base + code) || this.#pieces.has(code * tail + four)) return true;
    return false;
  }
}

const isNumber = (word: string) => /^\W*(\d\W*)+$/.test(word);

/** Numbers of up to five characters, a bit for each. */
class NumberSet {
  #bitmap: Uint8Array | undefined;

  add(number: number): void {
    this.#bitmap ??= new Uint8Array(Math.ceil(longest / 8));
    const byte = number >>> 3;
    this.#bitmap[byte] = (this.#bitmap[byte] ?? 0) | (1 << (number & 7));
  }

  has(number: number): boolean {
    return (((this.#bitmap?.[number >>> 3] ?? 0) >> (number & 7)) & 1) === 1;
  }
}
