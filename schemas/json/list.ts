import { RegularFreeing } from '../free-memory.ts';
import { textBetween } from './scan.ts';
import { eachElement, type Span } from './spans.ts';

/** Some elements of a list that stand beside each other in the text. */
interface Piece extends Span {
  /** The index of the first one. */
  first: number;
}

/** What a list is read from. */
export interface ListText {
  bytes: Uint8Array;
  /** Where the array begins. */
  begin: number;
  /** Bytes of text that are parsed at once. */
  chunk: number;
  /** Reads an element that is larger. */
  read: (element: Span) => unknown;
}

/**
 * A list whose elements are parsed piece by piece, each time that they are read: to its readers an array like any
 * other. Only the last piece is kept. Walk it with `for … of`; single elements cost more.
 */
export function largeList(text: ListText): unknown[] {
  return new Proxy([], new LargeList(text));
}

/** Bytes that are parsed before memory is freed. */
const maxParsed = 4_000_000;

class LargeList implements ProxyHandler<unknown[]> {
  readonly #text: ListText;
  readonly #pieces: Piece[] = [];
  #length = 0;
  /** Keys and short strings that were parsed are kept by V8 until all memory is looked through. */
  readonly #freeing = new RegularFreeing(maxParsed);
  #last: { piece: number; values: unknown[] } = { piece: -1, values: [] };

  constructor(text: ListText) {
    this.#text = text;
    eachElement(text.bytes, text.begin, (begin, end) => this.#add(begin, end));
  }

  #add(begin: number, end: number): void {
    const piece = this.#pieces.at(-1);
    if (piece && end - piece.begin <= this.#text.chunk) piece.end = end;
    else this.#pieces.push({ begin, end, first: this.#length });
    this.#length += 1;
  }

  get(list: unknown[], key: string | symbol): unknown {
    if (key === Symbol.iterator) return this.#values;
    if (key === 'length') return this.#length;
    const index = this.#indexOf(key);
    return index === undefined ? Reflect.get(list, key) : this.#at(index);
  }

  has(list: unknown[], key: string | symbol): boolean {
    return this.#indexOf(key) !== undefined || Reflect.has(list, key);
  }

  getOwnPropertyDescriptor(list: unknown[], key: string | symbol): PropertyDescriptor | undefined {
    if (key === 'length')
      return { value: this.#length, writable: true, enumerable: false, configurable: false };
    const index = this.#indexOf(key);
    if (index === undefined) return Reflect.getOwnPropertyDescriptor(list, key);
    return { value: this.#at(index), writable: true, enumerable: true, configurable: true };
  }

  readonly #values = (): Iterator<unknown> => this.#walk();

  *#walk(): Generator<unknown> {
    for (const piece of this.#pieces.keys()) for (const value of this.#valuesOf(piece)) yield value;
  }

  #indexOf(key: string | symbol): number | undefined {
    const index = typeof key === 'string' ? Number(key) : -1;
    return index >= 0 && index < this.#length && String(index) === key ? index : undefined;
  }

  #at(index: number): unknown {
    const piece = this.#pieceWith(index);
    return this.#valuesOf(piece)[index - (this.#pieces[piece] as Piece).first];
  }

  #pieceWith(index: number): number {
    let [low, high] = [0, this.#pieces.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pieces[middle] as Piece).first <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #valuesOf(piece: number): unknown[] {
    if (this.#last.piece !== piece) this.#last = { piece, values: this.#parse(piece) };
    return this.#last.values;
  }

  #parse(number: number): unknown[] {
    const { bytes, chunk, read } = this.#text;
    const piece = this.#pieces[number] as Piece;
    if (piece.end - piece.begin > chunk) return [read(piece)];
    this.#freeing.add(piece.end - piece.begin);
    return JSON.parse(`[${textBetween(bytes, piece.begin, piece.end)}]`);
  }
}
