import { isOwn } from '../paging/paging.ts';
import type { SweepResult } from '../results/result.ts';
import { nothingOf, type PageResult } from '../results/tally.ts';

/**
 * Pages of all parts with those that no part has: a part takes pages that show nothing for the end of the list, and only a page of
 * another part behind them shows that they are none, or that the list has grown meanwhile.
 * @param parts all of one sweep; a sample, or a sweep that has stopped, reports what it lacks itself
 */
export function withMissing(pages: Iterable<PageResult>, parts: SweepResult[]): Iterable<PageResult> {
  const [first] = parts;
  const isComparable =
    first?.mode === 'all' &&
    first.pointer !== '' &&
    parts.length === (first.part?.total ?? 1) &&
    parts.every(({ stopped }) => stopped === undefined);
  return isComparable ? withGaps(pages, parts, first.withoutOverlap ? 0 : 1) : pages;
}

function* withGaps(pages: Iterable<PageResult>, parts: SweepResult[], overlap: 0 | 1): Generator<PageResult> {
  let next = 0;
  // What is behind the last page that holds anything is the end.
  let waiting: { page: PageResult; isMissing: boolean }[] = [];
  for (const page of pages) {
    if (page.number > next)
      waiting.push({ page: missingBefore(page, next, parts, overlap), isMissing: true });
    next = page.number + 1;
    waiting.push({ page, isMissing: false });
    if (page.held === 0) continue;
    yield* waiting.map((one) => one.page);
    waiting = [];
  }
  yield* waiting.filter(({ isMissing }) => !isMissing).map((one) => one.page);
}

/** The pages from a number to one that is there: the last of them says for all that the list has moved, or is blocked. */
function missingBefore(
  { number, blocked, position }: PageResult,
  from: number,
  parts: SweepResult[],
  overlap: 0 | 1,
): PageResult {
  const to = position === undefined ? (blocked?.[0]?.from ?? 1) - 1 : position + overlap;
  const start = Math.floor(((to - overlap) / number) * from) + overlap + 1;
  const missing = Array.from({ length: Math.min(number - from, parts.length) }, (_, index) => from + index);
  const owners = parts.filter(({ part }) => missing.some((one) => isOwn(part, one)));
  // When these parts counted the records of the list, there were none at that place.
  if (owners.every(({ places = start }) => places < start))
    return { ...nothingOf(number - 1), moved: { repeated: 0, gaps: 1 } };
  const reason = 'a shard was shown nothing of it, though the list goes on';
  return { ...nothingOf(number - 1), blocked: [{ from: start, to, reason }] };
}
