import { expect, test } from '@playwright/test';
import { withMissing } from '../../sweep/merge/missing-between.ts';
import type { SweepResult } from '../../sweep/result.ts';
import { nothingOf, type PageResult } from '../../sweep/tally.ts';

/* Pages of several parts of a sweep, in the order of the list. */

test('pages that no part has are missing only before one that holds records', () => {
  const page = (number: number, held = 10): PageResult => ({
    ...nothingOf(number),
    position: 9 * number,
    held,
  });
  const part = { mode: 'all', pointer: '/data/customers' } as SweepResult;
  const pages = [page(0), page(3, 0), page(4), page(6, 0)];
  const merged = [...withMissing(pages, [part])];
  expect(merged.map(({ number }) => number)).toEqual([0, 2, 3, 4, 6]);
  expect(merged[1]?.blocked).toMatchObject([{ from: 11, to: 28 }]);
  expect([...withMissing(pages, [{ ...part, stopped: 'no' }])]).toEqual(pages);
});
