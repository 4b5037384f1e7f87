import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { Failures } from '../../sweep/failures.ts';
import { countAcrossHoles } from '../../sweep/find-total.ts';
import { ListEnd } from '../../sweep/list-end.ts';
import { planList } from '../../sweep/list-plan.ts';
import { recordAt } from '../../sweep/paging.ts';
import { TwinConfirmation } from '../../sweep/uniqueness.ts';
import { brokenIn, sweepAt } from './sweep-run.ts';

/* Targets that would have a sweep pass over broken customers, or never end. */

interface Customer {
  uuid: string;
  dial_code: string | null;
  reference_number: string;
}

const customer = (number: number, dialCode: string | null = '+1'): Customer => ({
  uuid: `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`,
  dial_code: dialCode,
  reference_number: `R${number}`,
});

const response = (data: unknown, status = 200) => ({
  status,
  contentType: 'application/json',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ code: status, message: 'ok', data })),
});

type Response = ReturnType<typeof response>;
type ShowPage = (limit: number, offset: number) => Customer[] | Response | undefined;

/** In place of a target: rejects pages that are undefined, and finds each customer. */
const provider = (showPage: ShowPage) => () => ({
  async get(asked: string) {
    const { pathname, searchParams } = new URL(asked, 'http://target.invalid');
    const [, found] = /customers\/(\d+)/.exec(pathname) ?? [];
    if (found !== undefined) return response({ customer: customer(Number(found)) });
    const page = showPage(
      Math.min(100, Number(searchParams.get('limit'))),
      Number(searchParams.get('offset')),
    );
    if (Array.isArray(page)) return response({ customers: page });
    return page ?? response({}, 400);
  },
});

const sweep = (showPage: ShowPage, env = {}) =>
  sweepAt('http://target.invalid', { around: provider(showPage), env });

const all = (count: number) => Array.from({ length: count }, (_, number) => customer(number));

test('a customer that is listed again, and broken now, is no repetition', async () => {
  const list = all(500).map((one, place) =>
    place > 200 && place % 50 === 7 ? { ...customer(place % 90), dial_code: null } : one,
  );
  const { result } = await sweep((limit, offset) => list.slice(offset, offset + limit));
  expect(brokenIn(result)).toEqual({ 'listCustomers/data/customers/*/dial_code': [6, 208] });
  expect(result.moved.repeated).toBe(6);
});

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

test('a second page that is empty does not say that the first one holds all', async () => {
  const showPage: ShowPage = (limit, page) =>
    page === 1 && limit > 1 ? [] : all(500).slice(page * limit, (page + 1) * limit);
  const { result } = await sweep(showPage);
  const stopped = 'the page at `offset` 1 is empty, though there are records behind it';
  expect(result).toMatchObject({ judged: 100, stopped, blocked: [{ from: 101, reason: stopped }] });
});

test('what a target shows that ignores `offset` is judged, and no more is claimed', async () => {
  const { result } = await sweep(() => all(300));
  const stopped = '`offset` has no effect: only the first page of the list can be read';
  expect(result).toMatchObject({ judged: 300, stopped, blocked: [{ from: 301, reason: stopped }] });
  expect(result.population).toBeUndefined();
});

test('a list of which each page shows all that follows is read to its end', async () => {
  const { result } = await sweep((_, offset) => all(300).slice(offset));
  expect(result).toMatchObject({
    judged: 300,
    population: 300,
    moved: { repeated: 0, gaps: 0 },
    blocked: [],
  });
});

test('a sample is drawn of a list to its end, though pages in the middle of it are hidden', async () => {
  const hidden = async (place: number) => place < 900 && !(place >= 380 && place < 500);
  expect(await countAcrossHoles(hidden, 200)).toBe(900);
});

test('what a list shows singly belongs to it, though no page shows it', async () => {
  const showPage: ShowPage = (limit, page) =>
    limit > 1 && page >= 3 ? undefined : all(500).slice(page * limit, (page + 1) * limit);
  const { result } = await sweep(showPage);
  expect(result.stopped).toBe('the target shows nothing behind place 300, where the list does not end');
  expect(result).toMatchObject({ judged: 300, blocked: [{ from: 301 }] });
});

for (const [then, shown, isTwin] of [
  ['is shown again', [1, 2], true],
  ['names nothing any more', [0], false],
] as const)
  test(`a customer that shares a uuid, and ${then}, is ${isTwin ? 'a' : 'no'} contradiction`, async () => {
    const identify = (named: unknown) => ({ key: { high: 1, low: 1 }, named: Number(named) });
    const pages = { page: async () => ({ parameters: {}, records: [...shown] }) };
    const confirmation = new TwinConfirmation(pages, identify, { twins: 0, confirmed: 0 });
    const page = recordAt(0, 0);
    const twin = { index: 0, earlier: 0, earlierNamed: 1 };
    expect(await confirmation.isTwin(twin, identify(2), page, () => page)).toBe(isTwin);
  });

test('a list without an end is distinguished from a long one, and left', async () => {
  const showPage: ShowPage = (limit, offset) => all(limit).map((_, place) => customer(offset + place));
  const pages = {
    async page(limit: number, offset: number) {
      return { parameters: {}, records: showPage(Math.min(100, limit), offset) ?? [] };
    },
    list: { key: 'uuid' },
  } as never;
  const planned = await planList(pages, undefined);
  if ('problem' in planned) throw new Error(planned.problem);
  expect(planned.plan).toMatchObject({ endless: true, records: undefined });
  const endless = new ListEnd(pages, planned.plan);
  expect(endless.tooLong(99_999)).toBeUndefined();
  expect(endless.tooLong(100_000)).toMatch(/^the list has no end: .* of which 100,000 were read$/);
  const { endless: _, ...long } = planned.plan;
  expect(new ListEnd(pages, long).tooLong(9_999_999)).toBeUndefined();
  expect(new ListEnd(pages, long).tooLong(10_000_000)).toContain('divide the sweep with --shard');
});

test('anything in place of a journal ends in one sentence', async () => {
  const showPage: ShowPage = (limit, offset) => all(300).slice(offset, offset + limit);
  await sweep(showPage);
  const file = (extension: string) =>
    path.join(test.info().outputPath('reports', 'sweep'), `listCustomers.${extension}`);
  const again = () => sweep(showPage, { RESUME: '1' });
  const damages = [
    () => writeFileSync(file('ndjson'), 'null\n'),
    () => writeFileSync(file('ndjson'), '\n', { flag: 'a' }),
    () => writeFileSync(file('ndjson'), 'null\n7\n', { flag: 'a' }),
    () => writeFileSync(file('ndjson'), '{"page":{"number":3}}\n', { flag: 'a' }),
    () => truncateSync(file('prints'), 8),
    () => rmSync(file('prints')),
  ];
  for (const damage of damages) {
    await sweep(showPage);
    damage();
    await expect(again(), String(damage)).rejects.toThrow(/^RESUME=1: the journal .* cannot be read; unset/);
  }
});
