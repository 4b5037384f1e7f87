import { expect, test } from '@playwright/test';
import { judgedTraffic, line } from './traffic/judging.ts';

const customers = 'https://api.example/svc/payment/api/v1/openapi/customers';
const record = (reference: string) => ({ dial_code: '+1', reference_number: reference, uuid: 'cus-1' });
const answer = (data: object) => JSON.stringify({ code: 200, message: '', data });

/** What the list shows of a customer, and what its lookup does, by the reference number. */
const list = (...references: string[]) =>
  line({ url: customers, body: answer({ customers: references.map(record) }) });
const lookup = (reference: string) =>
  line({ url: `${customers}/cus-1`, body: answer({ customer: record(reference) }) });

const [a, b, c] = ['ref-a', 'ref-b', 'ref-c'];
const unique = 'listCustomers/rules/uuid-is-unique';

const recordings: [name: string, lines: string[], violated: string[]][] = [
  ['a lookup as listed', [list(a), lookup(a), list(a)], []],
  ['a lookup that differs, and nothing after it', [list(a), lookup(b)], []],
  ['a lookup that differs, as the list does after it', [list(a), lookup(b), list(b)], []],
  ['a lookup that differs once', [list(a), lookup(b), list(a), lookup(a), list(a)], []],
  ['a list that changes', [list(a), list(b), lookup(b), list(b), list(c)], []],
  ['one record twice', [list(a, a), list(a, a)], []],
  ['two records of one key, again and again', [list(a, b), list(a, b)], [unique]],
];

for (const [name, lines, violated] of recordings)
  test(`${name} breaks ${violated.join(', ') || 'nothing'}`, async () => {
    expect((await judgedTraffic(['-'], { text: lines.join('') })).violated).toEqual(violated);
  });

test('a lookup that differs from the list on either side of it, as often as a run would ask', async () => {
  const text = [list(a), ...Array.from({ length: 4 }, () => lookup(b) + list(a))].join('');
  const { results, violated } = await judgedTraffic(['-'], { text });
  expect(violated).toEqual(['getCustomer/rules/same-as-listed']);
  const broken = results.find(({ verdict }) => verdict === 'violation');
  expect(broken?.findings).toMatchObject([
    { exchange: expect.stringContaining('{customer 1}'), against: { exchange: expect.any(String) } },
  ]);
  expect(JSON.stringify(results)).not.toMatch(/ref-[abc]|cus-1/);
});

test('a rule that recorded responses keep is exercised as often as they show it', async () => {
  const text = [list(a), list(a), lookup(a), lookup(a)].join('');
  const { results } = await judgedTraffic(['-'], { text });
  const exercised = new Map(results.map((one) => [one.address, one.exercised]));
  expect(exercised.get(unique)).toBe(2);
  expect(exercised.get('getCustomer/rules/same-as-listed')).toBe(2);
});
