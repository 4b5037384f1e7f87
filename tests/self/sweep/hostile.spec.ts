import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { TwinConfirmation } from '../../sweep/pages/twin-confirmation.ts';
import { countAcrossHoles } from '../../sweep/paging/find-total.ts';
import { planList } from '../../sweep/paging/list-plan.ts';
import { recordAt } from '../../sweep/paging/paging.ts';
import { tooLong } from '../../sweep/paging/too-long.ts';
import { summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { resultsByProfile } from '../harness/provider.ts';
import { all, customer, type ShowPage, sweep } from './odd-list.ts';
import { brokenIn } from './sweep-run.ts';

/* Targets that would have a sweep pass over broken customers, or never end. */

test('a customer that is listed again, and broken now, is no repetition', async () => {
  const list = all(500).map((one, place) =>
    place > 200 && place % 50 === 7 ? { ...customer(place % 90), dial_code: null } : one,
  );
  const { result } = await sweep((limit, offset) => list.slice(offset, offset + limit));
  expect(brokenIn(result)).toEqual({ 'listCustomers/data/customers/*/dial_code': [6, 208] });
  expect(result.moved.repeated).toBe(6);
});

test('a second page that is empty does not say that the first one holds all', async () => {
  const showPage: ShowPage = (limit, page) =>
    page === 1 && limit > 1 ? [] : all(500).slice(page * limit, (page + 1) * limit);
  const { result } = await sweep(showPage);
  const reason = 'the page is empty, though the list goes on';
  expect(result).toMatchObject({ judged: 400, blocked: [{ from: 101, to: 200, reason }] });
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
  const nearEnd = async (place: number) => place < 3000 && !(place >= 1500 && place < 2800);
  expect(await countAcrossHoles(nearEnd, 100)).toBe(3000);
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
    const places = { pageOf: () => recordAt(0, 0), listedAt: () => 0 };
    const confirmation = new TwinConfirmation(pages, identify, places, { twins: 0, unconfirmed: 0 });
    const twin = { index: 0, earlier: 0, earlierNamed: 1 };
    expect(await confirmation.isTwin(twin, identify(2), 0)).toBe(isTwin);
  });

test('customers that share a uuid only until they are requested again are said not to be confirmed', async () => {
  const asked = new Set<number>();
  const { result, swept } = await sweep((limit, offset) => {
    const isAgain = asked.has(offset);
    asked.add(offset);
    const shown = (place: number) =>
      place > 100 && place % 20 === 15 && !isAgain
        ? { ...customer(place), uuid: customer(place - 101).uuid }
        : customer(place);
    return Array.from({ length: 400 }, (_, place) => shown(place)).slice(offset, offset + limit);
  });
  expect(result.broken['listCustomers/rules/uuid-is-unique']).toBeUndefined();
  expect(result.unconfirmed).toBeGreaterThan(8);
  expect(sweepSentences(summaryOfSweep(result)).join()).toContain(
    `${result.unconfirmed} records of the list had the identifier of another one, which was not confirmed`,
  );
  // Nothing settles that there are two: that is no pass.
  const observations = swept.flatMap((one) => one.observations);
  const { observed } = resultsByProfile(observations);
  const unique = observed.requirementResults.find(({ address }) => address.endsWith('uuid-is-unique'));
  expect(unique).toMatchObject({
    verdict: 'not exercised',
    reason: expect.stringContaining('were not confirmed'),
  });
});

test('customers that share a uuid on one page are two, even if it shows none when it is requested again', async () => {
  const asked = new Set<number>();
  const { result } = await sweep((limit, offset) => {
    const isAgain = asked.has(offset);
    asked.add(offset);
    const shown = (place: number) =>
      place > 100 && place % 40 === 15 && !isAgain
        ? { ...customer(place), uuid: customer(place - 1).uuid }
        : customer(place);
    return Array.from({ length: 400 }, (_, place) => shown(place)).slice(offset, offset + limit);
  });
  expect(result.broken['listCustomers/rules/uuid-is-unique']?.records).toBe(7);
  expect(result.unconfirmed).toBeUndefined();
});

test('a list without an end is distinguished from a long one, and left', async () => {
  const showPage: ShowPage = (limit, offset) => all(limit).map((_, place) => customer(offset + place));
  const pages = {
    async page(limit: number, offset: number) {
      return { parameters: {}, records: showPage(Math.min(100, limit), offset) ?? [] };
    },
    list: { key: 'uuid' },
    counting: () => pages,
  } as never;
  const planned = await planList(pages, undefined);
  if ('problem' in planned) throw new Error(planned.problem);
  expect(planned.plan).toMatchObject({ endless: true, records: undefined });
  expect(tooLong(planned.plan, 99_999)).toBeUndefined();
  expect(tooLong(planned.plan, 100_000)).toMatch(/^the list has no end: .* of which 100,000 were read$/);
  const { endless: _, ...long } = planned.plan;
  expect(tooLong(long, 9_999_999)).toBeUndefined();
  expect(tooLong(long, 10_000_000)).toContain('divide the sweep with --shard');
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
