import { expect, test } from '@playwright/test';
import { all, type Customer, customer, type ShowPage, sweep } from './odd-list.ts';

/* What `offset` counts, where a list changes while that is found out, or `offset` is rounded. */

/** Shows at most so many customers of a list. */
type ShowList = (list: Customer[], limit: number, offset: number) => ReturnType<ShowPage>;

const pageOf = (list: Customer[], limit: number, number: number) =>
  list.slice(number * limit, (number + 1) * limit);

const fromOne: Record<string, ShowList> = {
  'pages, of which 0 is rejected': (list, limit, page) => (page ? pageOf(list, limit, page - 1) : undefined),
  'pages, of which 0 is empty': (list, limit, page) => (page ? pageOf(list, limit, page - 1) : []),
  'pages, of which 0 is the first one': (list, limit, page) => pageOf(list, limit, Math.max(1, page) - 1),
  customers: (list, limit, place) => list.slice(Math.max(0, place - 1)).slice(0, limit),
};

for (const [what, show] of Object.entries(fromOne))
  test(`a list that counts from 1 is followed though it changes once while that is found out: ${what}`, async () => {
    for (const change of [
      (list: Customer[]) => list.unshift(customer(900)),
      (list: Customer[]) => list.shift(),
    ])
      for (let at = 3; at <= 30; at += 2) {
        const list = all(61);
        let requests = 0;
        const { result } = await sweep((limit, offset) => {
          requests += 1;
          if (requests === at) change(list);
          return show(list, Math.min(20, limit), offset);
        });
        expect(result, String(at)).toMatchObject({ blocked: [] });
        expect(result.judged).toBeGreaterThanOrEqual(60);
      }
  });

test('a list that counts from 1, and accepts only multiples of `limit`, is not followed customer by customer', async () => {
  const list = all(61);
  const { result } = await sweep((limit, place) =>
    limit > 20 || place % limit ? undefined : list.slice(Math.max(0, place - 1)).slice(0, limit),
  );
  expect(result).toMatchObject({ judged: 61, pages: 4, blocked: [] });
});

test('a list whose target rounds `offset` down to a multiple of some number is followed', async () => {
  const list = all(234);
  for (const step of [2, 3, 4, 7]) {
    const showPage: ShowPage = (limit, place) => list.slice(place - (place % step)).slice(0, limit);
    const { result } = await sweep(showPage);
    expect(result, String(step)).toMatchObject({ judged: 234, blocked: [], moved: { repeated: 0, gaps: 0 } });
    const { result: sampled } = await sweep(showPage, { SWEEP: '50', SWEEP_SEED: '3' });
    expect(sampled, String(step)).toMatchObject({
      mode: 'sample',
      blocked: [],
      moved: { repeated: 0, gaps: 0 },
    });
  }
});

test('a list whose target rejects each `offset` that is no multiple of some number is followed', async () => {
  for (const count of [61, 150, 400])
    for (const max of [20, 100])
      for (const step of [2, 3]) {
        const showPage: ShowPage = (limit, place) =>
          place % step ? undefined : all(count).slice(place, place + Math.min(limit, max));
        const { result } = await sweep(showPage);
        expect(result, `${count}, ${max}, ${step}`).toMatchObject({ judged: count, blocked: [] });
        expect(result.stopped).toBeUndefined();
      }
});

const always: Record<string, ShowList> = {
  customers: (list, limit, place) => list.slice(place, place + limit),
  pages: pageOf,
};

for (const [what, show] of Object.entries(always))
  test(`a list that changes with each request is followed (\`offset\` counts ${what})`, async () => {
    for (const change of ['added', 'removed', 'replaced']) {
      const list = all(1450);
      let requests = 0;
      const { result } = await sweep((limit, offset) => {
        requests += 1;
        if (change !== 'added') list.splice((requests * 7) % 50, 1);
        if (change !== 'removed') list.splice((requests * 3) % 50, 0, customer(5000 + requests));
        return show(list, limit, offset);
      });
      expect(result.stopped, change).toBeUndefined();
      expect(result.blocked, change).toEqual([]);
      expect(result.judged).toBeGreaterThan(1300);
    }
  });

test('of a list that moves it is not said that `offset` has no effect', async () => {
  const list = all(400);
  let requests = 0;
  const { result } = await sweep((limit) => {
    requests += 1;
    list.unshift(customer(1000 + requests));
    return list.slice(0, limit);
  });
  expect(result.stopped).toMatch(/^nothing shows what `offset` counts: the list changes/);
  const { result: still } = await sweep((limit) => all(400).slice(0, limit));
  expect(still.stopped).toMatch(/^`offset` has no effect/);
});
