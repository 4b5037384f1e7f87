import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { all, type Customer, customer, response, type ShowPage, sweep } from './odd-list.ts';
import { journalDir } from './sweep-run.ts';

/* Lists whose pages are counted from 1, or have one length only, or are shown again where there is none. */

const pageOf = (list: Customer[], limit: number, number: number) =>
  list.slice(number * limit, (number + 1) * limit);

/** What the page at `offset` 0 is, where pages are counted from 1. */
const atZero: Record<string, ShowPage> = {
  rejected: () => undefined,
  empty: () => [],
  'the first page': (limit) => pageOf(all(400), limit, 0),
};

for (const [how, zero] of Object.entries(atZero))
  test(`a list whose pages are counted from 1 is followed (\`offset\` 0 is ${how})`, async () => {
    for (const [count, size] of [
      [400, 30],
      [400, 100],
      [90, 100],
      [16, 5],
      [2, 100],
    ] as const) {
      const showPage: ShowPage = (limit, offset) => {
        const shown = Math.min(limit, size);
        return offset > 0 ? pageOf(all(count), shown, offset - 1) : zero(Math.min(shown, count), 0);
      };
      const { result } = await sweep(showPage);
      expect(result).toMatchObject({ judged: count, blocked: [] });
      expect(result.stopped).toBeUndefined();
      const { result: sampled } = await sweep(showPage, { SWEEP: '25', SWEEP_SEED: '3' });
      expect(sampled).toMatchObject({ judged: count > size ? Math.min(25, count) : count, blocked: [] });
    }
  });

test('a sweep of a list that is counted from 1 goes on where it was', async () => {
  const showPage: ShowPage = (limit, offset) =>
    pageOf(all(400), Math.min(30, limit), Math.max(1, offset) - 1);
  let pages = 0;
  // Then the target is down, and the sweep stops.
  const { result: first } = await sweep((limit, offset) => {
    pages += offset > 2 && limit > 1 ? 1 : 0;
    return pages > 6 ? response({}, 500) : showPage(limit, offset);
  });
  expect(first.stopped).toBeDefined();
  expect(first.judged).toBeLessThan(400);
  const { result } = await sweep(showPage, { RESUME: '1' });
  expect(result).toMatchObject({ judged: 400, blocked: [] });
});

const unanswered = /^no page at `offset` 0 was answered: the target answered HTTP 400$/;

const notFollowed: [what: string, showPage: ShowPage, stopped: RegExp][] = [
  [
    'pages counted from 0, of which the first is rejected',
    (limit, page) => (page ? pageOf(all(400), limit, page) : undefined),
    unanswered,
  ],
  [
    'a short list of pages counted from 0, of which the first is rejected',
    (limit, page) => (page ? pageOf(all(150), limit, page) : undefined),
    unanswered,
  ],
  [
    'customers counted from 0, of which the first is rejected',
    (limit, place) => (place ? all(400).slice(place, place + limit) : undefined),
    unanswered,
  ],
];

for (const [what, showPage, stopped] of notFollowed)
  test(`nothing is guessed of ${what}`, async () => {
    const { result } = await sweep(showPage);
    expect(result.stopped).toMatch(stopped);
    expect(result.population).toBeUndefined();
  });

/** Customers are counted from 1, and 0 is taken for 1. */
const fromOne =
  (count: number): ShowPage =>
  (limit, place) => {
    const begin = Math.max(0, place - 1);
    return all(count).slice(begin, begin + limit);
  };

test('a list whose customers are counted from 1 is followed where `offset` 0 shows the first of them', async () => {
  for (const count of [1, 2, 90, 400]) {
    const { result } = await sweep(fromOne(count));
    expect(result, String(count)).toMatchObject({ judged: count, population: count, blocked: [] });
    const { result: sampled } = await sweep(fromOne(count), { SWEEP: '25', SWEEP_SEED: '3' });
    expect(sampled).toMatchObject({ judged: Math.min(25, count), population: count, blocked: [] });
  }
});

test('a list to which customers are added at first is not taken for one that is counted from 1', async () => {
  for (let requests = 1; requests <= 30; requests += 1) {
    const list = all(120);
    let asked = 0;
    await sweep((limit, place) => {
      asked += 1;
      if (asked <= requests) list.unshift(customer(400 + asked));
      return list.slice(place, place + limit);
    });
    const journal = readFileSync(path.join(journalDir(), 'listCustomers.ndjson'), 'utf8');
    expect(journal, String(requests)).not.toContain('fromOne');
  }
});

/** Behind the end the last page is shown once more, which is all of a list of one page. */
const lastAgain: Record<string, (list: Customer[], limit: number, offset: number) => Customer[]> = {
  'as many of the last customers': (list, limit, offset) =>
    list.slice(Math.min(offset, Math.max(0, list.length - limit))).slice(0, limit),
  'the last page': (list, limit, page) =>
    pageOf(list, limit, Math.min(page, Math.ceil(list.length / limit) - 1)),
  'the last page, counted from 1': (list, limit, page) =>
    pageOf(list, limit, Math.min(Math.max(1, page), Math.ceil(list.length / limit)) - 1),
};

for (const [what, show] of Object.entries(lastAgain))
  test(`a list of one page behind which ${what} are shown again ends there`, async () => {
    for (const count of [2, 3, 4, 90, 91]) {
      const { result } = await sweep((limit, offset) => show(all(count), limit, offset));
      expect(result, String(count)).toMatchObject({ judged: count, blocked: [] });
      expect(result.stopped).toBeUndefined();
    }
    const { result } = await sweep((limit, offset) => show(all(1), limit, offset));
    expect(result.stopped).toMatch(/^nothing shows whether `offset` has an effect/);
  });

test('a list that takes each place for the beginning of its page is followed', async () => {
  for (const count of [90, 100, 400]) {
    const { result } = await sweep((limit, place) => pageOf(all(count), limit, Math.floor(place / limit)));
    expect(result).toMatchObject({ judged: count, blocked: [] });
    expect(result.stopped).toBeUndefined();
  }
});

test('a list that takes each place for the last multiple of ten before it has not moved', async () => {
  for (const count of [121, 234]) {
    const list = all(count);
    const { result } = await sweep((limit, place) => {
      const start = Math.floor(place / 10) * 10;
      return list.slice(start, start + limit);
    });
    expect(result).toMatchObject({
      judged: count,
      places: count,
      blocked: [],
      moved: { repeated: 0, gaps: 0 },
    });
  }
});

/** Shows pages of one length, at any limit, at places that are multiples of it. */
const atMultiples =
  (count: number, size: number): ShowPage =>
  (_, place) =>
    place % size === 0 && place < count ? all(count).slice(place, place + size) : undefined;

test('a list of pages of one length is followed where `offset` must be a multiple of it', async () => {
  for (const [count, size] of [
    [21, 10],
    [39, 20],
    [743, 100],
    [9, 10],
    [2, 15],
  ] as const) {
    const { result } = await sweep(atMultiples(count, size));
    expect(result, String(count)).toMatchObject({ judged: count, blocked: [] });
    expect(result.stopped).toBeUndefined();
    expect(result.population).toBeUndefined();
    const said = sweepSentences(summaryOfSweep(result)).join();
    expect(said).toMatch(
      count > size ? /the pages share no customers/ : /the last page of customers is full/,
    );
  }
});

test('a list of which only the first page is shown does not end there', async () => {
  const list = all(400);
  for (const behind of [undefined, []])
    for (const limitOf of [(limit: number) => limit, () => 100]) {
      const { result } = await sweep((limit, place) => (place > 0 ? behind : list.slice(0, limitOf(limit))));
      expect(result.judged).toBe(100);
      expect(result.stopped ?? result.endsAtFullPage).toBeTruthy();
      if (limitOf(1) === 1 || !behind) expect(result.blocked[0]?.from).toBe(101);
    }
});
