import type { SweepResult } from '../results/result.ts';
import type { PageResult } from '../results/tally.ts';

/**
 * Pages of all parts. A short page with which the list ended for its part, though another part was shown records behind it,
 * says that the list moved: it has grown or become shorter between the two. What that page lacks is then no unknown range.
 */
export function* withGrown(pages: Iterable<PageResult>, parts: SweepResult[]): Generator<PageResult> {
  const ends = new Set(parts.flatMap(({ endsAtPage }) => endsAtPage ?? []));
  let waiting: PageResult[] = [];
  for (const page of pages) {
    if (page.held > 0 && waiting.length > 0) {
      const [end, ...behind] = waiting as [PageResult, ...PageResult[]];
      yield* [grown(end, page), ...behind];
      waiting = [];
    }
    if (waiting.length > 0 || ends.has(page.number)) waiting.push(page);
    else yield page;
  }
  yield* waiting;
}

/** The short page without what it lacks. The move is counted here unless the next page counts it, by the record it begins with. */
function grown({ leaves: _, ...end }: PageResult, { number, first }: PageResult): PageResult {
  const isCounted = first !== undefined && number === end.number + 1;
  const { repeated, gaps } = end.moved;
  return { ...end, moved: { repeated, gaps: isCounted ? gaps : gaps + 1 } };
}
