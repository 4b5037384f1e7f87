import { expect, test } from '@playwright/test';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { freeMemory } from '../../../schemas/free-memory.ts';
import { valueAt } from '../../../schemas/json/read.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import { maxShapes, summarizePage } from '../../exchanges/listCustomers/customers-page.ts';
import { observeExchange } from '../../exchanges/observe-exchange.ts';
import { literal, requestOf } from '../../exchanges/request.ts';
import { runAgainstPages } from '../probes/paging-client.ts';
import { list } from '../probes/paging-provider.ts';

const mib = 1024 * 1024;

/** What this process holds in memory once nothing that could be freed is left. */
function held(): number {
  freeMemory();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const customers = Array.from({ length: 2 }, (_, index) => ({
  uuid: `cus-${index}`,
  dial_code: '+1',
  reference_number: 'r',
  extra: Array.from({ length: 10_000 }, () => []),
}));

test('bodies are not kept: the twentieth page takes no more memory than the second', async () => {
  let pages = 0;
  let second = 0;
  let last = 0;
  await runAgainstPages(() => {
    pages += 1;
    if (pages === 2) second = held();
    if (pages === 20) last = held();
    return list(customers);
  }, 4);
  expect(pages).toBeGreaterThanOrEqual(20);
  expect((last - second) / mib).toBeLessThan(4);
});

test('what is broken of a body is not kept either, once it was judged', async () => {
  const [operation] = loadContract().operations;
  if (!operation) throw new Error('the contract has no operation');
  const judged = () => {
    const body = Buffer.from(JSON.stringify({ code: 200, message: '', data: Array(100).fill({}) }));
    const answer = { status: 200, contentType: 'application/json', body };
    const exchange = { operation, parameters: {}, answer };
    const judgement = judge(exchange);
    const { findings } = observeExchange(exchange, requestOf(operation, { id: literal('x') }), judgement, []);
    expect(findings).not.toEqual([]);
    return new WeakRef(valueAt(judgement.body, '/data') as object);
  };
  const broken = judged();
  await new Promise(setImmediate);
  held();
  expect(broken.deref()).toBeUndefined();
});

const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
const summarized = (body: unknown) => summarizePage(body, 'curl', operation);
const long = 'x'.repeat(100_000);
const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field-${index}`, index]));
const deep = Array.from({ length: 100_000 }).reduce<unknown>((below) => ({ below }), 1);
const hostile: [name: string, customers: unknown][] = [
  ['a hundred thousand empty customers', Array.from({ length: 100_000 }, () => ({}))],
  ['values and names of any length', Array.from({ length: 50 }, () => ({ uuid: long, [long]: long }))],
  ['thousands of shapes', Array.from({ length: 5000 }, (_, n) => ({ uuid: `c${n}`, [`field-${n}`]: 1 }))],
  ['customers with thousands of fields', Array.from({ length: 20 }, (_, n) => ({ ...wide, uuid: `c${n}` }))],
  ['identifiers that a path cannot hold', ['', '.', '..', '\ud800', long].map((uuid) => ({ uuid }))],
  ['values of any depth', [{ deep }, { uuid: 'c', deep }]],
  ['no list', { length: 3 }],
];

for (const [name, found] of hostile) {
  test(`little is kept of a page with ${name}`, () => {
    const page = summarized({ data: { customers: found } });
    expect(page.samples.length).toBeLessThanOrEqual(maxShapes);
    expect(page.length).toBe(Array.isArray(found) ? found.length : 0);
    expect(JSON.stringify(page).length).toBeLessThan(20_000);
  });
}

test('only own properties count, and odd values are no reason to fail', () => {
  const odd = { toString: 1, toJSON: 1, valueOf: 1 };
  const token = { default_payment_token: { token_type: odd } };
  const body = {
    data: { customers: [null, 1, [], Object.create({ uuid: 'inherited' }), { uuid: 'own', ...token }] },
  };
  expect(summarized(body).samples.map(({ uuid }) => uuid)).toEqual(['own']);
});

test('one customer of each shape is looked up, and of each kind of token', () => {
  const token = (token_type: string) => ({ default_payment_token: { token_type } });
  const found = [
    {},
    {},
    { name: 'a' },
    token('CreditCard'),
    token('WechatPayAutoDebit'),
    token('CreditCard'),
  ];
  const body = { data: { customers: found.map((one, index) => ({ uuid: `c${index}`, ...one })) } };
  expect(summarized(body).samples.map(({ uuid }) => uuid)).toEqual(['c0', 'c2', 'c3', 'c4']);
});

test('the shape of a customer does not depend on what an undocumented object of it holds', () => {
  const token = (credit_card: object) => ({
    default_payment_token: { token_type: 'CreditCard', credit_card },
  });
  const shapeOf = (fields: object) =>
    summarized({ data: { customers: [{ uuid: 'c', ...fields }] } }).samples[0]?.shape;
  // A body that is read in pieces keeps little of such an object.
  expect(shapeOf({ name: { any: { thing: 1 } } })).toBe(shapeOf({ name: {} }));
  expect(shapeOf({ name: {} })).not.toBe(shapeOf({ name: '' }));
  expect(shapeOf(token({ brand: 'b' }))).not.toBe(shapeOf(token({ number: 'n' })));
});
