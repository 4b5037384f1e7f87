import { expect, test } from '@playwright/test';
import { createPopulation } from '../../../mock/population/population.ts';
import { judgeProvider } from '../harness/provider.ts';
import { listAll } from './population-pages.ts';

test('customers that are added come first, in each list to which they are linked', () => {
  const population = createPopulation({ customers: 1000, insertEvery: 1 });
  const before = population.list('all', 0, 3);
  const [added, ...after] = population.list('all', 0, 4) ?? [];
  expect(after).toEqual(before);
  expect(before).not.toContainEqual(added);
  expect(population.find(added?.uuid)).toEqual(added);
  const all = population.list('all', 0, 2000) ?? [];
  expect(all).toHaveLength(1002);
  const [users, stores] = [population.list('User', 0, 2000) ?? [], population.list('Store', 0, 2000) ?? []];
  expect(new Set([...users, ...stores].map(({ uuid }) => uuid)).size).toBe(1004);
});

test('customers that are removed are neither listed nor found, and those of the seed stay', () => {
  const population = createPopulation({ customers: 300, removeEvery: 1 });
  const first = population.list('all', 0, 300) ?? [];
  for (let page = 0; page < 50; page += 1) population.list('all', 0, 1);
  const left = listAll(population, 'all', 400);
  const uuids = new Set(left.map(({ uuid }) => uuid));
  const gone = first.filter(({ uuid }) => !uuids.has(uuid));
  expect(gone.length).toBeGreaterThan(30);
  expect(uuids.size).toBe(left.length);
  expect(left.length + gone.length).toBe(300);
  expect(gone.map(({ uuid }) => population.find(uuid)).filter(Boolean)).toEqual([]);
  expect(left.slice(0, 75)).toEqual(first.slice(0, 75));
});

test('where all customers are to stay, none can be removed', () => {
  expect(() => createPopulation({ removeEvery: 1 })).toThrow('removals need more customers than the 75');
});

test('pages go on without a gap or a repetition behind what was removed', () => {
  const population = createPopulation({ customers: 300, removeEvery: 20 });
  for (let page = 0; page < 800; page += 1) population.list('all', 0, 1);
  for (const source of ['all', 'User'] as const) {
    const whole = population.list(source, 0, 300);
    expect(listAll(population, source, 45)).toEqual(whole);
  }
});

test('pages without a gap or a repetition while nothing is removed before them', () => {
  const population = createPopulation({ customers: 5000, removeEvery: 3 });
  const pages = Array.from(
    { length: 10 },
    (_, page) => population.list('Store', page * 5, page * 5 + 5) ?? [],
  );
  expect(new Set(pages.flat().map(({ uuid }) => uuid)).size).toBe(50);
});

test('pages fail that hold a position, as often as was said', () => {
  const population = createPopulation({ failingPages: [{ position: 41, times: 2 }, { position: 1 }] });
  const fails = (start: number) => population.list('all', start, start + 20) === undefined;
  expect([20, 40, 21, 40, 0, 0, 0].map(fails)).toEqual([false, true, true, false, true, true, true]);
});

test('a failing page is HTTP 500, and the run says so', async () => {
  const population = { failingPages: [{ position: 25 }] };
  const { documented } = await judgeProvider({ population }, { maxPages: 3 });
  expect(documented.violated).toEqual(['listCustomers/http/status']);
});

test('a large population that moves is no violation', async () => {
  const population = { customers: 1_000_000, seed: 3, insertEvery: 2, removeEvery: 3 };
  const { documented } = await judgeProvider({ population }, { maxPages: 3 });
  expect(documented).toMatchObject({ violated: [], blocked: [] });
});
