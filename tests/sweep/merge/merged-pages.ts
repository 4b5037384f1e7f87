import { isSame } from '../pages/identity.ts';
import type { PageResult } from '../results/tally.ts';
import type { Across } from './across-parts.ts';
import { mergeInOrder } from './merge-in-order.ts';

/** The pages of several parts in the order of the list, as one run takes them. */
export const inOrderOfNumbers = (parts: Iterable<PageResult>[]): Generator<PageResult> =>
  mergeInOrder(parts, ({ number }) => number);

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
