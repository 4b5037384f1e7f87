import { expect, test } from '@playwright/test';
import { linksOf } from '../../../mock/customers.ts';
import { directoryOf } from '../../../mock/directory.ts';
import { createPopulation } from '../../../mock/population/population.ts';
import type { Customer } from '../../../mock/records.ts';
import { customers } from '../../../mock/seed.ts';
import { filters, listAll } from './population-pages.ts';

const shapeOf = ({ default_payment_token: token, ...fields }: Customer) =>
  [fields, token ?? {}, token?.credit_card ?? {}].map((one) => Object.keys(one).join()).join(' / ');
const shapesIn = (some: Customer[]) => [...new Set(some.map(shapeOf))].sort();

test('without options a population is the seed, text for text', () => {
  const [population, seed] = [createPopulation({}), directoryOf(customers)];
  for (const source of filters) {
    expect(JSON.stringify(listAll(population, source, 7))).toBe(JSON.stringify(listAll(seed, source, 7)));
  }
  const found = customers.map(({ customer: { uuid } }) => population.find(uuid));
  expect(JSON.stringify(found)).toBe(JSON.stringify(customers.map(({ customer }) => customer)));
});

test('every customer is found by its identifier, and shares none', () => {
  const population = createPopulation({ customers: 20_000, seed: 7 });
  const all = listAll(population);
  expect(all).toHaveLength(20_000);
  for (const field of ['uuid', 'reference_number'] as const)
    expect(new Set(all.map((customer) => customer[field])).size, field).toBe(20_000);
  const isFound = (customer: Customer) =>
    JSON.stringify(population.find(customer.uuid)) === JSON.stringify(customer);
  expect(all.filter((customer, index) => index % 7 === 0 && !isFound(customer))).toEqual([]);
  expect(shapesIn(all.slice(75))).toEqual(shapesIn(all.slice(0, 75)));
});

test('identifiers depend on the seed, and those of others are not found', () => {
  const uuidsOf = (seed: number) =>
    listAll(createPopulation({ customers: 500, seed })).map(({ uuid }) => uuid);
  const [some, again, others] = [uuidsOf(1), uuidsOf(1), uuidsOf(2)];
  expect(again).toEqual(some);
  expect(others.slice(75).filter((uuid) => some.includes(uuid))).toEqual([]);
  const population = createPopulation({ customers: 500, seed: 1 });
  const beyond = listAll(createPopulation({ customers: 600, seed: 1 })).slice(500);
  const strange = ['', 'x', '../7', some[99]?.toUpperCase() ?? ''];
  const unknown = [...others.slice(75), ...beyond.map((one) => one.uuid), ...strange];
  expect(unknown.filter((uuid) => population.find(uuid))).toEqual([]);
});

test('a filter shows those that are linked, at any place', () => {
  const population = createPopulation({ customers: 1003 });
  const held = directoryOf(
    listAll(population).map((customer, index) => ({ customer, linkedTo: linksOf(index) })),
  );
  for (const source of filters) {
    for (const start of [0, 1, 19, 20, 333, 660, 667, 668, 669, 1000, 1003, 5000])
      expect(population.list(source, start, start + 23), `${source} from ${start}`).toEqual(
        held.list(source, start, start + 23),
      );
  }
});
