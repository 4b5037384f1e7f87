import { expect, test } from '@playwright/test';
import { createPopulation } from '../../../mock/population/population.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { readJson } from '../../../schemas/json/read.ts';
import { maxShapes } from '../../../schemas/judge/shapes.ts';
import { visitsOf } from '../../../schemas/judge/visits.ts';

const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;

type Customer = Record<string, unknown>;

/** What a page exercises, walked at once for each shape, and customer by customer. */
function bothWays(customers: unknown) {
  const body = { code: 200, message: 'Success', data: { customers } };
  const document = readJson(Buffer.from(JSON.stringify(body)), operation.schema);
  if (!('value' in document)) throw new Error('the page is not JSON');
  expect(document.members).toBeGreaterThan(3);
  return {
    byShape: visitsOf(operation, document.value, document.members),
    oneByOne: visitsOf(operation, document.value),
  };
}

const customers = (count: number): Customer[] =>
  createPopulation({ customers: count }).list('all', 0, count) as unknown as Customer[];

test('customers of one shape are walked once, and counted as if each had been', () => {
  const { byShape, oneByOne } = bothWays(customers(400));
  expect(byShape).toEqual(oneByOne);
  expect(byShape.visits['listCustomers/data/customers/*/uuid']).toBe(400);
});

test('another known value, a value of another type, an array in place of an object, and an inherited name are shapes of their own', () => {
  const whole = customers(1)[0] ?? {};
  const token = whole.default_payment_token;
  const odd: unknown[] = [
    ...[null, [], [whole], 'text', 7, true],
    { ...whole, name: null },
    { ...whole, default_payment_token: [token, token] },
    { ...whole, default_payment_token: null },
    ...['CreditCard', 'AlipayAutoDebit', 'another'].map((token_type) => ({
      ...whole,
      default_payment_token: { ...(token as Customer), token_type },
    })),
    { toString: 'own', constructor: {} },
  ];
  for (const each of [odd, [...odd].reverse()]) {
    const { byShape, oneByOne } = bothWays([...each, ...each]);
    expect(byShape).toEqual(oneByOne);
  }
});

test('a field that the contract does not name is noticed in any customer', () => {
  for (const at of [0, 20, 39]) {
    const page = customers(40).map((customer, index) =>
      index === at ? { ...customer, extra: 1 } : customer,
    );
    expect(bothWays(page)).toMatchObject({
      byShape: { hasUndeclared: true },
      oneByOne: { hasUndeclared: true },
    });
  }
});

test('more shapes than are told apart are counted all the same', () => {
  const names = ['name', 'email', 'dial_code', 'phone', 'uuid', 'reference_number', 'default_payment_method'];
  const values = [undefined, null, 'text'];
  const many = Array.from({ length: 3 ** names.length }, (_, number) =>
    Object.fromEntries(names.map((name, index) => [name, values[Math.floor(number / 3 ** index) % 3]])),
  );
  expect(many.length).toBeGreaterThan(3 * maxShapes);
  const { byShape, oneByOne } = bothWays(many);
  expect(byShape).toEqual(oneByOne);
});
