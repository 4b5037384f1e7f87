import { expect, test } from '@playwright/test';
import { summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { all, pagesOf, response, type ShowPage, sweep, sweepByShards } from './odd-list.ts';

/* Where a list ends, and what only looks like an end. */

for (const [how, nothing] of [
  ['rejected', undefined],
  ['empty', []],
] as const)
  for (const first of [1, 10])
    test(`hundreds of ${how} pages behind the first ${first} are no end of a list with less behind them`, async () => {
      const list = all((first + 520 + 5) * 100);
      const isHidden = (place: number) => place >= first * 100 && place < (first + 520) * 100;
      const showPage: ShowPage = (limit, page) =>
        isHidden(page * limit) ? nothing?.slice() : list.slice(page * limit, (page + 1) * limit);
      const { result } = await sweep(showPage);
      expect(result.stopped).toMatch(/though there are records behind it|where the list does not end/);
      const { result: fixed } = await sweep((_, page) => showPage(100, page));
      expect(fixed.stopped ?? fixed.endsAtFullPage).toBeTruthy();
      const said = sweepSentences(summaryOfSweep(fixed)).join();
      expect(said).toMatch(/the last page of customers is full|not looked at/);
    });

test('a list whose last page is full ends there where a page of another size that reaches beyond shows it', async () => {
  for (const count of [75, 100, 300]) {
    const list = all(count);
    const { result } = await sweep((limit, page) => list.slice(page * limit, (page + 1) * limit));
    expect(result).toMatchObject({ judged: count, blocked: [] });
    expect(result.stopped).toBeUndefined();
    expect(result.population).toBe(count < 300 ? count : undefined);
    expect(result.endsAtFullPage).toBeUndefined();
    const { result: resumed } = await sweep(() => undefined, { RESUME: '1' });
    expect(resumed).toEqual(result);
    if (count < 300) continue;
    const merged = await sweepByShards((limit, page) => pagesOf(list)(limit, page * limit), 2);
    expect(merged).toMatchObject({ judged: count, blocked: [] });
    expect(merged.endsAtFullPage).toBeUndefined();
  }
});

test('a list behind whose end the target answers with no content ends there', async () => {
  const list = all(234);
  const showPage: ShowPage = (limit, offset) =>
    offset < 234 ? list.slice(offset, offset + limit) : { ...response({}, 204), body: Buffer.alloc(0) };
  const { result } = await sweep(showPage);
  expect(result).toMatchObject({ judged: 234, population: 234, blocked: [] });
  const { result: sampled } = await sweep(showPage, { SWEEP: '20', SWEEP_SEED: '3' });
  expect(sampled).toMatchObject({ judged: 20, population: 234, blocked: [] });
  const { result: hole } = await sweep((limit, offset) => showPage(limit, offset === 99 ? 999 : offset));
  expect(hole.blocked).toMatchObject([{ from: 101, to: 198, reason: 'the target answered HTTP 204' }]);
});

for (const counts of ['pages', 'records'] as const)
  test(`a list that grows at its end by one customer between two looks is followed on (offset counts ${counts})`, async () => {
    for (const size of [298, 300]) {
      const list = all(size);
      let isGrown = false;
      const { result } = await sweep((limit, offset) => {
        const position = counts === 'pages' ? offset * limit : offset;
        const page = list.slice(position, position + limit);
        if (limit === 100 && page.length === 0 && !isGrown) {
          isGrown = true;
          list.push(...all(size + 1).slice(size));
        }
        return page;
      });
      expect(result.stopped).toBeUndefined();
      expect(result.blocked).toEqual([]);
      expect(result.judged).toBeGreaterThanOrEqual(size);
    }
  });

const windows: Record<string, ShowPage> = {
  'rejects pages behind a place': (limit, page) =>
    page * limit < 600 ? pagesOf(all(1234))(limit, page * limit) : undefined,
  'is empty behind a place, and rejects all but multiples of `limit`': (limit, offset) =>
    offset % limit > 0 ? undefined : pagesOf(offset < 600 ? all(1234) : [])(limit, offset),
};

for (const [what, showPage] of Object.entries(windows))
  test(`a target that ${what} has not shown the end of its list, to one run or to shards`, async () => {
    const whole = await sweep(showPage);
    expect(whole.result).toMatchObject({ judged: 600, stopped: expect.stringMatching(/does not end$/) });
    for (const total of [2, 3, 4])
      expect(await sweepByShards(showPage, total)).toMatchObject({
        judged: 600,
        stopped: whole.result.stopped,
      });
  });
