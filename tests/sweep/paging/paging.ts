import { maxRecords } from './too-long.ts';

/** How the pages of a list follow each other, as the target was seen to page. */
export interface Paging {
  /** Records of a page. */
  size: number;
  /** What `offset` counts. */
  unit: 'records' | 'pages';
  /** Records that a page shares with the one before it, so that a list that moves meanwhile is noticed. */
  overlap: 0 | 1;
  /** Whether a page may hold a single record. */
  singles: boolean;
  /** Set where `offset` of the first page is 1. */
  fromOne?: true;
}

/** A page to be requested. */
export interface PageRequest {
  number: number;
  limit: number;
  offset: number;
  /** Place of its first record in the list, from 0. */
  position: number;
}

/** The page of a number, from 0. */
export function pageAt({ size, unit, overlap }: Paging, number: number): PageRequest {
  const position = number * (size - overlap);
  return { number, limit: size, offset: unit === 'records' ? position : number, position };
}

/** A page that holds one record alone: then both units of `offset` are the same. */
export const recordAt = (number: number, position: number): PageRequest => ({
  number,
  limit: 1,
  offset: position,
  position,
});

/** How many pages it takes to see so many records. */
export const pagesOf = ({ size, overlap }: Paging, records: number): number =>
  records <= size ? 1 : Math.ceil((records - overlap) / (size - overlap));

/**
 * How far behind a place something is looked for: at each of the next ones, then farther and farther, at some 30 places.
 * @param farthest no step but the first ones is longer
 * @param factor how many times as long as the one before a step is: 1.1 makes some 150 places
 */
export function stepsBehind(farthest: number, factor = 1.5): number[] {
  const steps = [1, 2, 3, 4, 5];
  for (let step = 8; step <= farthest; step = Math.ceil(factor * step)) steps.push(step);
  return steps;
}

/** How far behind a page is looked: so many pages, or to so many times its place. */
const lookBehind = (page: number): number => Math.max(minLook, (maxTimes - 1) * page);

const [minLook, maxTimes] = [256, 8];

/** How far behind a seeming end: as far as any list is followed, unless pages overlap: then the last one shows that it is that. */
export const farthestBehind = (paging: Paging, page: number): number =>
  paging.overlap === 1 ? lookBehind(page) : pagesOf(paging, maxRecords);

/** Numbers of pages behind one, farther and farther, and the last one that a list is thought to have. */
export function numbersBehind(at: number, last: number, farthest = lookBehind(at)): number[] {
  const behind = stepsBehind(farthest).map((step) => at + step);
  return [...new Set(last > at ? [...behind, last] : behind)].sort((one, other) => one - other);
}

/** One part of several: a shard takes every so many-th page. */
export interface Part {
  current: number;
  total: number;
}

/** Whether a number belongs to a part; everything does where nothing is divided. */
export const isOwn = (part: Part | undefined, number: number): boolean =>
  part === undefined || number % part.total === part.current - 1;

/** The first number that belongs to a part, from a number on. */
export const nextOwn = (part: Part | undefined, number: number): number =>
  part === undefined
    ? number
    : number + ((part.current - 1 - (number % part.total) + part.total) % part.total);

/** How many of the first numbers, from 0, belong to a part. */
export const countOwn = (part: Part | undefined, count: number): number =>
  part === undefined ? count : Math.ceil(Math.max(0, count - part.current + 1) / part.total);

/**
 * Asks for pages some at a time, and hands them over in their order: what was seen first is the first of the list, and a
 * sweep goes on where its last page was handed over.
 */
export async function* inOrder<Item, Answer>(
  items: Iterable<Item>,
  ask: (item: Item) => Promise<Answer>,
  width: number,
): AsyncGenerator<Answer> {
  const iterator = items[Symbol.iterator]();
  const pending: Promise<Answer>[] = [];
  const fill = () => {
    while (pending.length < width) {
      const next = iterator.next();
      if (next.done) return;
      pending.push(ask(next.value));
    }
  };
  try {
    for (fill(); pending.length > 0; fill()) {
      const first = await (pending.shift() as Promise<Answer>);
      fill();
      yield first;
    }
  } finally {
    await Promise.allSettled(pending);
  }
}
