import { linksOf, customers as seeded } from '../customers.ts';
import type { Source } from '../records.ts';
import { indexAt, rankOf } from './ranks.ts';

/** How often the list changes while it is read. */
export interface Movement {
  /** A customer is added at the front each time that so many pages have been listed. */
  insertEvery?: number | undefined;
  /** A customer is removed, anywhere, each time that so many pages have been listed. */
  removeEvery?: number | undefined;
}

const isLinked = (source: Source | 'all') => (index: number) =>
  source === 'all' || linksOf(index).includes(source);

/**
 * Which customers a list shows, by index; those added later have the indices from `customers` on. Keeps no more than what
 * has changed: memory does not grow with the number of customers.
 */
export class MovingList {
  readonly #customers: number;
  readonly #movement: Movement;
  readonly #draw: (ordinal: number) => number;
  readonly #inserted: number[] = [];
  readonly #removed = new Set<number>();
  #pages = 0;

  /** @param draw chooses who is removed. @throws when all customers have to stay, and some shall be removed */
  constructor(customers: number, movement: Movement, draw: (ordinal: number) => number) {
    if (movement.removeEvery && customers <= seeded.length)
      throw new Error(`removals need more customers than the ${seeded.length} that always stay`);
    this.#customers = customers;
    this.#movement = movement;
    this.#draw = draw;
  }

  indices(source: Source | 'all', start: number, end: number): number[] {
    const front = this.#inserted.filter(isLinked(source));
    const [first = 0, last = 0] = [start, end].map((place) => Math.max(0, place - front.length));
    return [...front.slice(start, end), ...this.#remaining(source, first, last)];
  }

  has(index: number): boolean {
    return index < this.#customers + this.#inserted.length && !this.#removed.has(index);
  }

  /** To be called after each page. */
  move(): void {
    const { insertEvery, removeEvery } = this.#movement;
    this.#pages += 1;
    if (insertEvery && this.#pages % insertEvery === 0)
      this.#inserted.unshift(this.#customers + this.#inserted.length);
    if (removeEvery && this.#pages % removeEvery === 0) this.#remove();
  }

  /** The customers of the seed stay: a run looks them up by identifiers that it was given. */
  #remove(): void {
    const others = this.#customers - seeded.length;
    this.#removed.add(seeded.length + (this.#draw(this.#pages) % others));
  }

  #remaining(source: Source | 'all', start: number, end: number): number[] {
    const gone = [...this.#removed].filter(isLinked(source)).map((index) => rankOf(source, index));
    const skipped = new Set(gone);
    const total = rankOf(source, this.#customers);
    let rank = gone.sort((a, b) => a - b).reduce((at, one) => (one <= at ? at + 1 : at), start);
    const found: number[] = [];
    for (; found.length < end - start && rank < total; rank += 1) {
      if (!skipped.has(rank)) found.push(indexAt(source, rank));
    }
    return found;
  }
}
