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

/** Which customers a list shows, by index; those added later have the indices from `customers` on. */
export interface MovingList {
  indices(source: Source | 'all', start: number, end: number): number[];
  has(index: number): boolean;
  /** To be called after each page. */
  move(): void;
}

const isLinked = (source: Source | 'all') => (index: number) =>
  source === 'all' || linksOf(index).includes(source);

/** Keeps no more than what has changed: memory does not grow with the number of customers. */
export function createMovingList(
  customers: number,
  { insertEvery, removeEvery }: Movement,
  draw: (ordinal: number) => number,
): MovingList {
  if (removeEvery && customers <= seeded.length)
    throw new Error(`removals need more customers than the ${seeded.length} that always stay`);
  const inserted: number[] = [];
  const removed = new Set<number>();
  let pages = 0;

  /** The customers of the seed stay: a run looks them up by identifiers that it was given. */
  const remove = () => removed.add(seeded.length + (draw(pages) % (customers - seeded.length)));

  function remaining(source: Source | 'all', start: number, end: number): number[] {
    const gone = [...removed].filter(isLinked(source)).map((index) => rankOf(source, index));
    const skipped = new Set(gone);
    const total = rankOf(source, customers);
    let rank = gone.sort((a, b) => a - b).reduce((at, one) => (one <= at ? at + 1 : at), start);
    const found: number[] = [];
    for (; found.length < end - start && rank < total; rank += 1) {
      if (!skipped.has(rank)) found.push(indexAt(source, rank));
    }
    return found;
  }

  return {
    indices(source, start, end) {
      const front = inserted.filter(isLinked(source));
      const rest = [start, end].map((place) => Math.max(0, place - front.length)) as [number, number];
      return [...front.slice(start, end), ...remaining(source, ...rest)];
    },
    has: (index) => index < customers + inserted.length && !removed.has(index),
    move() {
      pages += 1;
      if (insertEvery && pages % insertEvery === 0) inserted.unshift(customers + inserted.length);
      if (removeEvery && pages % removeEvery === 0) remove();
    },
  };
}
