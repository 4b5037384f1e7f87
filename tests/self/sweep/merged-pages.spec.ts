import { expect, test } from '@playwright/test';
import type { Alter, MockOptions } from '../../../mock/server.ts';
import { withMissing } from '../../sweep/merge/missing-between.ts';
import type { SweepResult } from '../../sweep/results/result.ts';
import { nothingOf, type PageResult } from '../../sweep/results/tally.ts';
import { wholeAndMerged } from './whole-and-merged.ts';

/* Pages of several parts of a sweep, in the order of the list. */

test('pages that no part has are missing only before one that holds records', () => {
  const page = (number: number, held = 10): PageResult => ({
    ...nothingOf(number),
    position: 9 * number,
    held,
  });
  const part = { mode: 'all', pointer: '/data/customers' } as SweepResult;
  const pages = [page(0), page(3, 0), page(4), page(6, 0)];
  const merged = [...withMissing(pages, [part])];
  expect(merged.map(({ number }) => number)).toEqual([0, 2, 3, 4, 6]);
  expect(merged[1]?.blocked).toMatchObject([{ from: 11, to: 28 }]);
  const [, grown] = withMissing(pages, [{ ...part, places: 10 }]);
  expect(grown).toEqual({ ...nothingOf(2), moved: { repeated: 0, gaps: 1 } });
  // Of the missing pages the second part has one, and the first one the other.
  const [one, other] = [1, 2].map((current) => ({ ...part, places: 10, part: { current, total: 2 } }));
  const [, hidden] = withMissing(pages, [{ ...(one as SweepResult), places: 100 }, other as SweepResult]);
  expect(hidden?.blocked).toMatchObject([{ from: 11, to: 28 }]);
  expect([...withMissing(pages, [{ ...part, stopped: 'no' }])]).toEqual(pages);
});

test('the last page of a shard that is rejected is no end where a page of another shard follows it', async () => {
  const alter: Alter = (answer, { operation, parameters: { limit, offset = '0' } }) =>
    operation === 'listCustomers' && (limit === '1' || (limit === '10' && offset === '18'))
      ? { ...answer, status: 404, body: { code: 404, message: 'no' } }
      : answer;
  const options = { population: { customers: 200 }, choices: { maxLimit: 10, offsetCounts: 'pages' }, alter };
  const { whole, merged } = await wholeAndMerged(options as MockOptions);
  expect(whole.blocked).toMatchObject([{ from: 181, to: 190 }]);
  expect(merged).toMatchObject({ judged: 190, blocked: [{ from: 181, to: 190 }] });
  expect(merged).not.toHaveProperty('population');
});

test('customers that each shard was shown of a list without an end are counted once', async () => {
  const shown: Alter = (answer, { operation, parameters: { offset = '0' } }) => {
    const { data } = (answer.body ?? {}) as { data?: { customers?: Record<string, unknown>[] } };
    if (operation !== 'listCustomers' || !data?.customers) return answer;
    data.customers = data.customers.map((_, index) => {
      const place = (Number(offset) + index) % 35;
      const dial_code = place % 5 === 0 ? null : '+1';
      return {
        uuid: `${String(place).padStart(8, '0')}-0000-4000-8000-000000000000`,
        dial_code,
        reference_number: 'R',
      };
    });
    return answer;
  };
  const { merged } = await wholeAndMerged({
    population: { customers: 2000 },
    choices: { maxLimit: 10 },
    alter: shown,
  });
  expect(merged.judged).toBe(35);
  expect(merged.shares['listCustomers/data/customers/*/dial_code']).toMatchObject({ judged: 35, broken: 7 });
});

test('a page of a shard that fails just before the end of the list is the only one that is not known', async () => {
  const error = { status: 404, body: { code: 404, message: 'no such page' } };
  for (const failing of [{ raw: '<p>' }, { status: 500, body: {} }]) {
    const alter: Alter = (answer, { operation, parameters: { limit, offset = '0' } }) => {
      const { data } = (answer.body ?? {}) as { data?: { customers?: unknown[] } };
      if (operation !== 'listCustomers') return answer;
      if (limit === '10' && offset === '45') return { ...answer, ...failing };
      return data?.customers?.length === 0 ? { ...answer, ...error } : answer;
    };
    const options = { population: { customers: 58 }, choices: { maxLimit: 10 }, alter };
    const { whole, merged } = await wholeAndMerged(options);
    expect(whole).toMatchObject({ blocked: [{ from: 47, to: 54 }] });
    expect(merged).toMatchObject({ blocked: [{ from: 47, to: 55 }] });
    expect(merged.stopped).toBeUndefined();
  }
});

/** Shows so many of the customers at a time, at any limit. */
const showing =
  (count: () => number): Alter =>
  (answer, { operation, parameters: { offset = '0' } }) => {
    const { data } = (answer.body ?? {}) as { data?: { customers?: unknown[] } };
    if (operation !== 'listCustomers' || !data?.customers) return answer;
    data.customers = data.customers.slice(0, Math.max(0, count() - Number(offset)));
    return answer;
  };

for (const [how, counts] of [
  ['grows', [166, 166, 172, 178]],
  ['becomes shorter', [166, 166, 166, 160]],
] as const)
  test(`a list that ${how} by less than a page for each shard has moved, and is complete`, async () => {
    let current = 0;
    const alter = showing(() => counts[current] ?? 0);
    const options = { population: { customers: 300 }, choices: { maxLimit: 10 }, alter };
    const { merged } = await wholeAndMerged(options, (part) => {
      current = part;
    });
    expect(merged).toMatchObject({ blocked: [], moved: { repeated: 0, gaps: 1 } });
    expect(merged).not.toHaveProperty('population');
    expect(merged).not.toHaveProperty('endsAtPage');
    expect(merged.judged).toBeGreaterThanOrEqual(160);
  });

test('what a short page hides is no sign that the list has moved', async () => {
  const hidden: Alter = (answer, { operation, parameters: { limit, offset = '0' } }) => {
    const { data } = (answer.body ?? {}) as { data?: { customers?: unknown[] } };
    if (operation === 'listCustomers' && limit === '10' && offset === '45') data?.customers?.splice(4);
    return answer;
  };
  // The last page of the third shard is short; the next one is the last of all.
  const options = { population: { customers: 58 }, choices: { maxLimit: 10 }, alter: hidden };
  const { merged } = await wholeAndMerged(options);
  expect(merged).toMatchObject({ blocked: [{ from: 50, to: 55 }], moved: { repeated: 0, gaps: 0 } });
});
