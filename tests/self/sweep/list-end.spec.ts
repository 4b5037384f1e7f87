import { expect, test } from '@playwright/test';
import { summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { all, type ShowPage, sweep } from './odd-list.ts';

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
  }
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
