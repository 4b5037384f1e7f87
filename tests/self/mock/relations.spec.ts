import { expect, test } from '@playwright/test';
import { defaultChoices } from '../../../mock/choices.ts';
import { relations as between } from '../../../mock/faults/relations.ts';
import { relatedFields } from '../../../mock/faults/relations-of-cards-and-rules.ts';
import { operations, type Parameters } from '../../../mock/operations.ts';
import { customers, identifiers } from '../../../mock/seed.ts';
import type { Alter, MockAnswer, MockRequest } from '../../../mock/server.ts';
import { changesAfter, removalsAfter } from '../../../mock/variants/moving.ts';

const relations = [...between, ...relatedFields];

type Operation = MockRequest['operation'];
const usual: Alter = (answer) => answer;

/** What a provider with an alteration answers to the n-th request. */
async function ask(
  alter: Alter,
  operation: Operation,
  parameters: Parameters,
  ordinal = 1,
): Promise<MockAnswer> {
  const route = operations.find((one) => one.operation === operation);
  if (!route) throw new Error('no such operation');
  const request = { operation, parameters, ordinal, method: 'GET', path: '/', headers: {} };
  return alter(structuredClone(route.answer(parameters, defaultChoices)), request);
}

const requests: [Operation, Parameters][] = [
  ...identifiers.CARD_IDS.map((id): [Operation, Parameters] => ['getCard', { id }]),
  ...customers.map(({ customer }): [Operation, Parameters] => ['getCustomer', { id: customer.uuid }]),
  ...identifiers.USER_IDS.map((user_id): [Operation, Parameters] => [
    'getFeeRules',
    { type: 'user', user_id },
  ]),
  ...['0', '20', '40'].flatMap((offset) =>
    [{}, { linked_source_type: 'Store' }].map((filter): [Operation, Parameters] => [
      'listCustomers',
      { offset, ...filter },
    ]),
  ),
];

test('names of faults between answers are unique, and each relation has three or more', () => {
  const names = relations.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const broken = relations.map(({ breaks }) => breaks);
  const addresses = [...new Set(broken)];
  expect(addresses).toHaveLength(8);
  for (const address of addresses)
    expect(broken.filter((one) => one === address).length, address).toBeGreaterThanOrEqual(3);
});

for (const { name, alter, breaks } of relations) {
  test(`something differs: ${name}`, async () => {
    const changed = new Set<Operation>();
    for (const [operation, parameters] of requests) {
      const [before, after] = [
        await ask(usual, operation, parameters),
        await ask(alter, operation, parameters),
      ];
      if (JSON.stringify(before) !== JSON.stringify(after)) changed.add(operation);
    }
    expect(changed.size).toBeGreaterThan(0);
    const own = breaks.slice(0, breaks.indexOf('/'));
    const others = [...changed].filter((operation) => operation !== own);
    expect(others, 'a rule about customers may break on either side').toEqual(
      own === 'getCustomer' && changed.has('listCustomers') ? ['listCustomers'] : [],
    );
  });
}

const uuidAt = (index: number) => customers[index]?.customer.uuid ?? '';
const uuidsOf = ({ body }: MockAnswer) =>
  (body as { data: { customers: { uuid: string }[] } }).data.customers.map(({ uuid }) => uuid);

test('a customer that is removed is in the list and found until then, and neither afterwards', async () => {
  for (const { name, alter = usual } of removalsAfter(5)) {
    const listed = async (ordinal: number) => {
      const pages = ['0', '20', '40', '60'].map((offset) => ask(alter, 'listCustomers', { offset }, ordinal));
      return (await Promise.all(pages)).flatMap(uuidsOf);
    };
    const [before, after] = [await listed(5), await listed(6)];
    const gone = before.filter((uuid) => !after.includes(uuid));
    expect([before.length, after.length, gone.length], name).toEqual([75, 74, 1]);
    const status = async (ordinal: number) =>
      (await ask(alter, 'getCustomer', { id: gone[0] ?? '' }, ordinal)).status;
    expect([await status(5), await status(6)], name).toEqual([200, 404]);
  }
});

test('a customer that is added or moved is listed in its new place and found, from then on', async () => {
  for (const { name, alter = usual } of changesAfter(5)) {
    const [before, after] = await Promise.all(
      [5, 6].map(async (ordinal) => uuidsOf(await ask(alter, 'listCustomers', { limit: '100' }, ordinal))),
    );
    expect(before, name).toEqual(customers.map(({ customer }) => customer.uuid));
    const lookups = [...(after ?? []), uuidAt(3)].map((id) => ask(alter, 'getCustomer', { id }, 6));
    expect(
      (await Promise.all(lookups)).filter(({ status }) => status !== 200),
      name,
    ).toEqual([]);
  }
});

test('what the list shows of a customer is what the lookup shows, before a change and after it', async () => {
  for (const { name, alter = usual } of changesAfter(5)) {
    for (const ordinal of [5, 6]) {
      const list = await ask(alter, 'listCustomers', { limit: '100' }, ordinal);
      const { customers: shown } = (list.body as { data: { customers: { uuid: string }[] } }).data;
      const lookups = shown.map(({ uuid }) => ask(alter, 'getCustomer', { id: uuid }, ordinal));
      const found = (await Promise.all(lookups)).map(({ body }) => (body as { data: unknown }).data);
      expect(found, name).toEqual(shown.map((customer) => ({ customer })));
    }
  }
});
