import { expect, test } from '@playwright/test';
import type { LeftPart } from '../../../reports/merge/journal-prints.ts';
import { mergedSweep } from '../../../reports/merge/merge-sweeps.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { isComplete, summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { all, customer, pagesOf, sweep } from './odd-list.ts';

/* Lists that change while they are read: what was seen of them, and what was not. */

/** What four shards, one after the other, say together of a list of 1,000 with the newest first. */
async function mergedOf(addedBetween: number) {
  const list = all(1000);
  const parts: LeftPart[] = [];
  for (let current = 1; current <= 4; current += 1) {
    const folder = test.info().outputPath(`${addedBetween}-${current}`);
    const { result } = await sweep(pagesOf(list), { REPORTS_DIR: folder }, { current, total: 4 });
    parts.push({ sweep: result, folder });
    for (let count = 0; count < addedBetween; count += 1) list.unshift(customer(2000 + list.length));
  }
  const { result } = await mergedSweep(loadContract(), parts);
  return { result, said: sweepSentences(summaryOfSweep(result)).join() };
}

test('shards that were shown the same customers of a list that moved between them are not complete', async () => {
  for (const [added, judged, places] of [
    [99, 298, 1189],
    [50, 700, 1150],
  ] as const) {
    const { result, said } = await mergedOf(added);
    expect(result).toMatchObject({ judged, places });
    expect(isComplete(result)).toBe(false);
    expect(said).toContain(`${judged} of at least ${places.toLocaleString('en')} customers were judged`);
    expect(said).toContain('run all shards at the same time, or the sweep without --shard');
  }
});

test('shards of a list that has hardly moved, and of one that stands still, are complete', async () => {
  const moved = await mergedOf(2);
  expect(moved.result.blocked).toEqual([]);
  expect(moved.said).toMatch(/9\d\d of at least 1,00\d customers were judged/);
  const { result } = await mergedOf(0);
  expect(result).toMatchObject({ judged: 1000, population: 1000, places: 1000, blocked: [] });
});

test('customers who are added while it is found out what `offset` counts are not taken for other pages', async () => {
  for (const added of [2, 30])
    for (const multiples of [false, true]) {
      const list = all(450);
      let requests = 0;
      let isGrown = false;
      const { result } = await sweep((limit, offset) => {
        requests += 1;
        if (multiples && offset % limit > 0) return undefined;
        if (limit > 10 && offset > 0 && !isGrown) {
          isGrown = true;
          for (let count = 0; count < added; count += 1) list.unshift(customer(2000 + count));
        }
        return pagesOf(list)(limit, offset);
      });
      const judged = isGrown ? 450 + added : 450;
      expect(result).toMatchObject({ judged, blocked: [], moved: { repeated: 0, gaps: 0 } });
      expect(requests).toBeLessThan(300);
    }
});
