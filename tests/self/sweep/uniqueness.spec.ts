import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/customers.ts';
import type { Alter } from '../../../mock/server.ts';
import { Sightings } from '../../sweep/pages/sightings.ts';
import { brokenIn, sweepMock } from './sweep-run.ts';

/* Customers who share a uuid: on one page, on two, and while the list moves. */

test('a uuid that names two customers is found, however far they are apart', async () => {
  const unique = 'listCustomers/rules/uuid-is-unique';
  const near = [{ name: 'customer: uuid is that of the customer before it', every: 99 }];
  const { result } = await sweepMock({ population: { customers: 1000, faults: near } });
  expect(brokenIn(result)).toEqual({ [unique]: [10, 99] });
  expect(result).toMatchObject({ judged: 1000, moved: { repeated: 0, gaps: 0 } });
  const { result: moving } = await sweepMock({ population: { customers: 1000, insertEvery: 3 } });
  expect(brokenIn(moving)).toEqual({});
  const far = await sweepMock({ population: { customers: 1000 }, alter: withFirstUuidAgain });
  expect(brokenIn(far.result)).toEqual({ [unique]: [1, 701] });
  expect(far.swept[0]?.observations.flatMap(({ findings }) => findings)).toMatchObject([
    {
      requirement: unique,
      expected: 'one reference_number for each uuid',
      pointer: '/data/customers/7/uuid',
    },
  ]);
});

for (const insertEvery of [2, 3, 5, 7, 11])
  test(`each uuid that names two customers is found while the list moves at every ${insertEvery} pages`, async () => {
    const faults = [{ name: 'customer: uuid is that of the customer before it', every: 99 }];
    const { result } = await sweepMock({
      population: { customers: 1000, insertEvery, faults },
      choices: { maxLimit: 10 },
    });
    expect(result.broken['listCustomers/rules/uuid-is-unique']?.records).toBe(10);
    expect(result.unconfirmed).toBeUndefined();
  });

test('a uuid that customers at the edge of a page share is counted once, though both pages show it', async () => {
  for (const [every, maxLimit] of [
    [2, 100],
    [10, 10],
  ] as const) {
    const edges = [{ name: 'customer: uuid is that of the customer before it', every }];
    const { result } = await sweepMock({
      population: { customers: 500, faults: edges },
      choices: { maxLimit },
    });
    expect(result).toMatchObject({ judged: 500, moved: { repeated: 0, gaps: 0 } });
    expect(brokenIn(result)).toEqual({ 'listCustomers/rules/uuid-is-unique': [500 / every, every] });
  }
});

test('a page that begins with a twin of the customer that it should begin with shows another one', () => {
  const record = (low: number, named: number) => ({ key: { high: 1, low }, named });
  const sightings = new Sightings();
  const sort = (number: number, ...records: ReturnType<typeof record>[]) =>
    sightings.sort(records, { number, limit: 3, offset: 2 * number, position: 2 * number }, 1);
  sort(0, record(1, 1), record(2, 2), record(3, 3));
  const moved = sort(1, record(3, 30), record(4, 4), record(5, 5));
  expect(moved).toMatchObject({ begins: 'with another one', twins: [{ index: 0, earlier: 2 }] });
  const again = sort(2, record(3, 3), record(3, 30), record(6, 6));
  expect(again).toMatchObject({ begins: 'with one listed before', twins: [], repeated: new Set([0, 1]) });
});

/** Customer 701 has the identity of the first one. */
const withFirstUuidAgain: Alter = (answer, { operation, parameters: { limit = '20', offset = '0' } }) => {
  const body = answer.body as { data?: { customers?: { uuid: string }[] } };
  const customer = operation === 'listCustomers' ? body.data?.customers?.[700 - Number(offset)] : undefined;
  if (customer && Number(offset) + Number(limit) > 700) customer.uuid = customers[0]?.customer.uuid ?? '';
  return answer;
};
