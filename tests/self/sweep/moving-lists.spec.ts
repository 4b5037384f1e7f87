import { expect, test } from '@playwright/test';
import { isComplete, summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { all, customer, pagesOf, type ShowPage, sweep, sweepByShards } from './odd-list.ts';

/* Lists that change while they are read: what was seen of them, and what was not. */

/** What four shards, one after the other, say together of a list of 1,000 with the newest first. */
async function mergedOf(addedBetween: number) {
  const list = all(1000);
  const result = await sweepByShards(pagesOf(list), 4, () => {
    for (let count = 0; count < addedBetween; count += 1) list.unshift(customer(2000 + list.length));
  });
  return { result, said: sweepSentences(summaryOfSweep(result)).join() };
}

test('shards that were shown the same customers of a list that moved between them are not complete', async () => {
  for (const [added, judged, places] of [
    [99, 298, 1296],
    [50, 700, 1150],
  ] as const) {
    const { result, said } = await mergedOf(added);
    expect(result).toMatchObject({ judged, places });
    expect(isComplete(result)).toBe(false);
    expect(said).toContain(`${judged} of at least ${places.toLocaleString('en')} customers were judged`);
    // The first range is the one that the gate names.
    expect(result.blocked[0]?.reason).toMatch(
      /run all shards at the same time, or the sweep without --shard$/,
    );
  }
});

test('shards of a list that has hardly moved, and of one that stands still, are complete', async () => {
  const moved = await mergedOf(2);
  expect(moved.result.blocked).toEqual([]);
  expect(moved.said).toMatch(/9\d\d of at least 1,00\d customers were judged/);
  const { result } = await mergedOf(0);
  expect(result).toMatchObject({ judged: 1000, population: 1000, places: 1000, blocked: [] });
});

test('a list that grows at its end by pages between its shards has moved, and a part of it that a shard hides is missing', async () => {
  for (const added of [110, 200]) {
    const list = all(1000);
    const showPage: ShowPage = (limit, page) => pagesOf(list)(limit, page * limit);
    const result = await sweepByShards(showPage, 2, () => {
      for (let count = 0; count < added; count += 1) list.push(customer(3000 + list.length));
    });
    const seen = { judged: 900 + added, places: 1000 + added, moved: { repeated: 0, gaps: 1 } };
    expect(result).toMatchObject({ ...seen, blocked: [] });
    expect(isComplete(result)).toBe(true);
  }
  let isFirst = true;
  const hiding: ShowPage = (limit, page) =>
    isFirst && limit > 1 && page >= 10 ? [] : pagesOf(all(1200))(limit, page * limit);
  const hidden = await sweepByShards(hiding, 2, () => {
    isFirst = false;
  });
  expect(isComplete(hidden)).toBe(false);
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

const repeating = 'the pages began to repeat what was listed before';

test('a list to whose beginning many pages of customers are added in the middle is followed on', async () => {
  for (const added of [299, 900]) {
    const list = all(2000);
    let isGrown = false;
    const { result } = await sweep((limit, offset) => {
      if (limit === 100 && offset >= 1000 && offset < 2000 && !isGrown) {
        isGrown = true;
        for (let count = 0; count < added; count += 1) list.unshift(customer(5000 + count));
      }
      return pagesOf(list)(limit, offset);
    });
    expect(result.stopped).toBeUndefined();
    expect(result).toMatchObject({ judged: 2000, places: 2000 + added, moved: { repeated: added + 1 } });
    expect(result.blocked).toEqual([]);
  }
});

for (const [how, placeOf] of [
  ['begins again', (place: number) => place % 2000],
  ['shows its last customers again', (place: number) => (place < 2000 ? place : 1700 + (place % 300))],
  ['shows its last page again', (place: number, start: number) => place - Math.max(0, start - 1900)],
] as const)
  test(`a list that ${how} behind its end is read no farther than a few pages`, async () => {
    let requests = 0;
    const list = all(2000);
    const { result } = await sweep((limit, offset) => {
      requests += 1;
      return Array.from({ length: limit }, (_, at) => list[placeOf(offset + at, offset)] ?? customer(0));
    });
    expect(result).toMatchObject({ stopped: repeating, judged: 2000 });
    expect(requests).toBeLessThan(100);
    expect(result.places).toBeLessThan(2900);
  });

const clamped: Record<string, ShowPage> = {
  'the last page, of one customer': (limit, page) =>
    pagesOf(all(1201))(limit, limit * Math.min(page, Math.ceil(1201 / limit) - 1)),
  'the last customer': (limit, offset) => pagesOf(all(1234))(limit, Math.min(offset, 1233)),
};

for (const [what, showPage] of Object.entries(clamped))
  test(`a list that shows ${what} again behind its end is read no farther than a few pages`, async () => {
    let requests = 0;
    const { result } = await sweep((limit, offset) => {
      requests += 1;
      return showPage(limit, offset);
    });
    expect(result.stopped).toBe(repeating);
    expect(requests).toBeLessThan(100);
  });
