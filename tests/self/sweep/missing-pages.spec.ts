import { expect, test } from '@playwright/test';
import { Failures } from '../../sweep/paging/failures.ts';
import { recordAt } from '../../sweep/paging/paging.ts';
import { summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { all, type Customer, type Response, response, type ShowPage, sweep } from './odd-list.ts';
import { brokenIn } from './sweep-run.ts';

/* Lists of which pages are missing, in the middle or at the end. */

for (const [how, behind] of [
  ['rejects', undefined],
  ['shows nothing of', []],
] as const)
  test(`a target that ${how} pages before the end of its list hides what is there`, async () => {
    const showPage: ShowPage = (limit, offset) =>
      offset + limit > 300 ? behind?.slice() : all(500).slice(offset, offset + limit);
    const { result } = await sweep(showPage);
    expect(result.population).toBeUndefined();
    expect(result.stopped).toBe('the target shows nothing behind place 298, where the list does not end');
    expect(result.blocked).toEqual([{ from: 299, reason: result.stopped }]);
  });

for (const [how, nothing] of [
  ['rejects', undefined],
  ['empties', []],
] as const)
  for (const counts of ['pages', 'records'] as const)
    test(`a target that ${how} pages in the middle of its list does not end there (offset counts ${counts})`, async () => {
      const list = all(2000).map((one, place) => (place === 1500 ? { ...one, dial_code: null } : one));
      const showPage: ShowPage = (limit, offset) => {
        const position = counts === 'pages' ? offset * limit : offset;
        if (limit > 1 && position % limit > 0) return undefined;
        const isHidden = limit > 1 && position >= 1000 && position < 1200;
        return isHidden ? nothing?.slice() : list.slice(position, position + limit);
      };
      const { result } = await sweep(showPage);
      const reason = nothing ? 'the page is empty, though the list goes on' : 'the target answered HTTP 400';
      expect(result).toMatchObject({ judged: 1800, blocked: [{ from: 1001, to: 1200, reason }] });
      expect(result.population).toBeUndefined();
      expect(brokenIn(result)).toEqual({ 'listCustomers/data/customers/*/dial_code': [1, 1501] });
    });

const failures: [name: string, answer: Response | Customer[] | undefined, reason: string][] = [
  ['fail', response({}, 500), 'the target answered HTTP 500'],
  ['are rejected', undefined, 'the target answered HTTP 400'],
  ['are empty', [], 'the page is empty, though the list goes on'],
  ['hold no list', { ...response({}), body: Buffer.from('<p>') }, 'the response holds no list'],
];

for (const [name, answer, reason] of failures)
  for (const counts of ['pages', 'records'] as const)
    test(`a list of which ten pages in the middle ${name} is followed to its end (offset counts ${counts})`, async () => {
      const list = all(3000).map((one, place) => (place === 2500 ? { ...one, dial_code: null } : one));
      const showPage: ShowPage = (limit, offset) => {
        const position = counts === 'pages' ? offset * limit : offset;
        if (limit > 1 && position % limit > 0) return undefined;
        const isHidden = position >= 1000 && position < 2000;
        return isHidden ? answer : list.slice(position, position + limit);
      };
      const { result } = await sweep(showPage);
      expect(result).toMatchObject({ judged: 2000, blocked: [{ from: 1001, to: 2000, reason }] });
      expect(result.stopped).toBeUndefined();
      expect(brokenIn(result)).toMatchObject({ 'listCustomers/data/customers/*/dial_code': [1, 2501] });
    });

test('a hole that is longer than all before it is no end of a list, however its records are requested', async () => {
  const list = all(4000);
  for (const step of [1, 100]) {
    const showPage: ShowPage = (limit, offset) => {
      const position = limit > 1 ? offset * step : offset;
      if (limit > 1 && step === 1 && position % limit > 0) return undefined;
      return position >= 1000 && position < 2500 ? [] : list.slice(position, position + limit);
    };
    const { result } = await sweep(showPage);
    const reason = 'the page is empty, though the list goes on';
    expect(result).toMatchObject({ judged: 2500, blocked: [{ from: 1001, to: 2500, reason }] });
  }
});

test('a target that fails far behind the end of its list has a list that ends', async () => {
  const showPage: ShowPage = (limit, offset) =>
    offset > 1200 ? response({}, 500) : all(250).slice(offset, offset + limit);
  expect((await sweep(showPage)).result).toMatchObject({ judged: 250, population: 250, blocked: [] });
  const { result } = await sweep((limit, offset) =>
    offset > 500 ? response({}, 500) : showPage(limit, offset),
  );
  expect(result.stopped).toBe(
    'whether the list goes on behind place 298 is not known: the target answered HTTP 500',
  );
});

test('customers who were drawn, and are missing before others, are ranges, and no bound is stated', async () => {
  const list = all(400);
  const showPage: ShowPage = (limit, offset) =>
    offset >= 100 && offset < 250 ? [] : list.slice(offset, offset + limit);
  const { result } = await sweep(showPage, { SWEEP: '200', SWEEP_SEED: '4' });
  const missing = result.blocked.reduce((sum, { from, to = from }) => sum + to - from + 1, 0);
  expect(result.judged + missing).toBe(200);
  expect(result.moved).toEqual({ repeated: 0, gaps: 0 });
  expect(result.shares['listCustomers/data/customers/*/uuid']).not.toHaveProperty('upperBound');
  const sentences = sweepSentences(summaryOfSweep(result));
  expect(sentences.filter((sentence) => sentence.startsWith('not looked at'))).toHaveLength(21);
});

for (const [how, nothing] of [
  ['empty', []],
  ['rejected', undefined],
] as const)
  test(`customers who were drawn and are ${how} near the end, where others follow them, are ranges`, async () => {
    const list = all(3000);
    let asked = 0;
    const showPage: ShowPage = (limit, offset) => {
      asked += 1;
      const isHidden = asked > 70 && offset >= 2500 && offset < 2990;
      return isHidden ? nothing?.slice() : list.slice(offset, offset + limit);
    };
    const { result } = await sweep(showPage, { SWEEP: '100', SWEEP_SEED: '4' });
    expect(result.population).toBe(3000);
    expect(result.blocked.length).toBeGreaterThan(0);
    expect(result.moved.gaps).toBe(0);
    expect(result.shares['listCustomers/data/customers/*/uuid']).not.toHaveProperty('upperBound');
  });

test('a sample is drawn of all customers, though many before the last ones are hidden', async () => {
  const list = all(3000);
  const showPage: ShowPage = (limit, offset) =>
    offset >= 2500 && offset < 2800 ? undefined : list.slice(offset, offset + limit);
  const { result } = await sweep(showPage, { SWEEP: '200', SWEEP_SEED: '4' });
  expect(result.population).toBe(3000);
  expect(result.blocked.length).toBeGreaterThan(0);
  const { result: stopped } = await sweep(
    (limit, offset) => (offset >= 1200 && offset < 2400 ? undefined : list.slice(offset, offset + limit)),
    { SWEEP: '300', SWEEP_SEED: '4' },
  );
  expect(stopped.stopped).toContain('too many pages');
  expect(stopped.shares['listCustomers/data/customers/*/uuid']).not.toHaveProperty('upperBound');
});

test('the last page of a list is found behind one that is missing, though pages share no customer', async () => {
  const list = all(1200);
  const { result } = await sweep((limit, offset) => {
    if (limit === 1 || offset % limit > 0) return undefined;
    return offset >= 800 && offset < 1100 ? [] : list.slice(offset, offset + limit);
  });
  expect(result).toMatchObject({ judged: 900, blocked: [{ from: 801, to: 1100 }] });
});

test('a sweep stops where nothing behind five failed pages is answered, and where too many have failed', async () => {
  const half = all(2000).slice(0, 1000);
  const { result } = await sweep((limit, offset) =>
    offset + limit > 1000 ? response({}, 500) : half.slice(offset, offset + limit),
  );
  const stopped = 'too many pages were not answered: the target answered HTTP 500';
  expect(result).toMatchObject({ judged: 991, stopped, blocked: [{ from: 992, reason: stopped }] });
  const failing = (pages: number | undefined, count: number) => {
    const failed = new Failures(pages);
    for (let number = 0; number < count; number += 1)
      failed.add({ request: recordAt(number, number), page: { parameters: {}, failed: 'no' } });
    return failed;
  };
  expect([1, 4, 5, 6, 9, 10, 20].filter((count) => failing(undefined, count).isLong)).toEqual([5, 10, 20]);
  expect([failing(undefined, 99), failing(undefined, 100)].map((one) => one.isTooMany)).toEqual([
    false,
    true,
  ]);
  expect([failing(5000, 499), failing(5000, 500)].map((one) => one.isTooMany)).toEqual([false, true]);
});

const codes = [{ data: null }, { data: { customers: [] } }];
for (const [index, { data }] of codes.entries())
  test(`an error code in HTTP 200 is an end of a list as HTTP 404 is, and no violation (${index})`, async () => {
    const end = { ...response({}), body: Buffer.from(JSON.stringify({ code: 404, data })) };
    for (const count of [1, 75, 250]) {
      const showPage: ShowPage = (limit, page) =>
        page * limit >= count ? end : all(count).slice(page * limit, (page + 1) * limit);
      const { result, swept } = await sweep(showPage);
      expect(result).toMatchObject({ judged: count, blocked: [] });
      expect(swept.flatMap(({ observations }) => observations.flatMap(({ findings }) => findings))).toEqual(
        [],
      );
    }
  });

test('a list that ends in pages without a list is left, and these are judged', async () => {
  const showPage: ShowPage = (limit, offset) =>
    offset >= 250 ? { ...response({}), body: Buffer.alloc(0) } : all(250).slice(offset, offset + limit);
  const { result, swept } = await sweep(showPage);
  expect(result).toMatchObject({
    judged: 250,
    stopped: 'too many pages were not answered: the response holds no list',
  });
  const findings = swept.flatMap(({ observations }) => observations.flatMap((one) => one.findings));
  expect(findings).toMatchObject([{ requirement: 'listCustomers/http/json', requests: 5 }]);
});
