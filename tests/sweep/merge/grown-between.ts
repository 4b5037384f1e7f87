import type { SweepResult } from '../results/result.ts';
import type { PageResult } from '../results/tally.ts';

/**
 * Pages of all parts, of which one that is short has ended the list as long as its part looked at it: what another part was shown
 * behind it, as one list or before records were removed, says that the list moved. It says nothing of records that were left out.
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

/** Where the page behind shows that it begins with another record, that is counted with it. */
function grown({ leaves: _, ...end }: PageResult, { number, first }: PageResult): PageResult {
  const isCounted = first !== undefined && number === end.number + 1;
  const { repeated, gaps } = end.moved;
  return { ...end, moved: { repeated, gaps: isCounted ? gaps : gaps + 1 } };
}
