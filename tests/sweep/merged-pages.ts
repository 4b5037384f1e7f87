import type { Across } from './across-parts.ts';
import { isSame } from './sightings.ts';
import type { PageResult } from './tally.ts';

/** The pages of several parts in the order of the list, as one run takes them. */
export function* inOrderOfNumbers(parts: Iterable<PageResult>[]): Generator<PageResult> {
  const iterators = parts.map((part) => part[Symbol.iterator]());
  const heads = iterators.map((iterator) => iterator.next());
  const numberOf = (part: number) => {
    const head = heads[part];
    return head && !head.done ? head.value.number : Number.POSITIVE_INFINITY;
  };
  for (;;) {
    const part = heads.reduce((first, _, one) => (numberOf(one) < numberOf(first) ? one : first), 0);
    const [head, iterator] = [heads[part], iterators[part]];
    if (!head || head.done || !iterator) return;
    yield head.value;
    heads[part] = iterator.next();
  }
}

/** Pages with what no part could see: that one begins with another record than the page of another part has ended with. */
export function* withEdges(pages: Iterable<PageResult>, { placeOf }: Across): Generator<PageResult> {
  let before: PageResult | undefined;
  for (const page of pages) {
    yield isMoved(before, page) ? { ...page, moved: movedAt(page, placeOf) } : page;
    before = page;
  }
}

const isMoved = (before: PageResult | undefined, { number, first }: PageResult): boolean =>
  before?.last !== undefined &&
  before.number === number - 1 &&
  first !== undefined &&
  !isSame(before.last, first);

function movedAt({ first, position = 0, moved }: PageResult, placeOf: Across['placeOf']) {
  const place = first && placeOf(first);
  const isListedBefore = place !== undefined && place < position;
  return isListedBefore ? { ...moved, repeated: moved.repeated + 1 } : { ...moved, gaps: moved.gaps + 1 };
}
