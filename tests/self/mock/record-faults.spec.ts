import { expect, test } from '@playwright/test';
import { createPopulation, type PopulationOptions } from '../../../mock/population/population.ts';
import { recordFaults } from '../../../mock/population/record-faults.ts';
import { customers } from '../../../mock/seed.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { judgeProvider } from '../harness/provider.ts';
import { listAll } from './population-pages.ts';

/** Enough customers for each fault to recur, but for the one in the last. */
const count = 5000;

const plants: NonNullable<PopulationOptions['faults']> = [
  { name: 'customer: phone is null', every: 1009 },
  { name: 'customer: default_payment_token/error_msg is null', every: 100 },
  { name: 'customer: default_payment_token/credit_card/exp_year is a number', every: 333 },
  { name: 'customer: dial_code is without a plus sign', every: 1 },
  { name: 'customer: reference_number is missing', every: count },
];

const pathsOf = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, below]) => pathsOf(below, `${path}/${key}`))
    : [`${path}=${value}`];

test('a planted fault is in every n-th customer, in the list and in its lookup', () => {
  const population = createPopulation({ customers: count, faults: plants });
  const all = listAll(population);
  const paths = all.map((customer) => pathsOf(customer));
  const places = (holds: (path: string[]) => boolean) =>
    paths.flatMap((path, index) => (holds(path) ? [index + 1] : []));
  const multiples = (every: number) => Array.from({ length: count / every }, (_, n) => (n + 1) * every);
  expect(places((path) => path.includes('/phone=null'))).toEqual(multiples(1009));
  expect(places((path) => path.includes('/default_payment_token/error_msg=null'))).toEqual(multiples(100));
  expect(places((path) => path.includes('/default_payment_token/credit_card/exp_year=12'))).toEqual(
    multiples(333),
  );
  expect(places((path) => path.includes('/dial_code=44'))).toHaveLength(count);
  expect(places((path) => !path.some((one) => one.startsWith('/reference_number=')))).toEqual([count]);
  for (const index of [332, 99, 1008, count - 1])
    expect(population.find(all[index]?.uuid)).toEqual(all[index]);
});

const known = requirementsOf(loadContract()).map(({ address }) => address);

/** Three at a time, each in a customer of its own that a short list shows. */
for (let start = 0; start < recordFaults.length; start += 3) {
  const some = recordFaults.slice(start, start + 3);
  test(`broken is what is said and nothing else: ${some.map(({ name }) => name).join(', ')}`, async () => {
    const faults = some.map(({ name }, place) => ({ name, every: place + 3 }));
    const CUSTOMER_IDS = customers.slice(0, 2).map(({ customer }) => customer.uuid);
    const settings = { maxPages: 1, identifiers: { CARD_IDS: [], USER_IDS: [], CUSTOMER_IDS } };
    const { documented } = await judgeProvider({ population: { customers: 5, faults } }, settings);
    const broken = new Set(some.flatMap(({ breaks }) => breaks).filter((one) => known.includes(one)));
    expect(documented.violated.toSorted()).toEqual([...broken].sort());
    expect(documented.blocked).toEqual([]);
  });
}

test('a name that no fault has is answered with one that is like it', () => {
  const faults = [{ name: 'customer: fone is null', every: 1 }];
  expect(() => createPopulation({ faults })).toThrow('did you mean "customer: phone is null"?');
});
