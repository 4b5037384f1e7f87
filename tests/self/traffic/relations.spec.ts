import { expect, test } from '@playwright/test';
import { notComparedNotes } from '../../../src/verdict/notes.ts';
import { judgedTraffic, line } from './judging.ts';

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
  ['two records of one key on one page, recorded once', [list(a, b)], [unique]],
  ['two records of one key on one page, of which another has shown a third', [list(c), list(a, b)], [unique]],
  ['two records of one key, on a page each, again and again', [list(a), list(b), list(a)], [unique]],
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

test('a rule that is broken is exercised by no more exchanges than there are', async () => {
  const { results } = await judgedTraffic(['-'], { text: list(a) + list(b) + list(a) });
  const broken = results.find(({ address }) => address === unique);
  expect(broken).toMatchObject({ verdict: 'violation', exercised: 3, requests: 3, affected: 1 });
});

const same = 'getCustomer/rules/same-as-listed';

for (const [name, address, lines, verdict] of [
  ['a lookup that differs, and nothing after it', same, [list(a), lookup(a), lookup(b)], 'not exercised'],
  ['a lookup that differs once', same, [list(a), lookup(b), list(a), lookup(a)], 'pass'],
  ['a customer who is edited', same, [list(a), lookup(a), list(b), lookup(b)], 'pass'],
  ['a customer whose lookup shows the edit first', same, [list(a), lookup(b), list(b), lookup(b)], 'pass'],
  ['a list that differs, and nothing after it', unique, [list(a), list(b)], 'not exercised'],
] as const)
  test(`${name}: the rule is ${verdict}`, async () => {
    const { results } = await judgedTraffic(['-'], { text: lines.join('') });
    const reason =
      'contradictions of 1 response were not confirmed: the recording does not show both sides again';
    expect(results.find((one) => one.address === address)).toMatchObject({
      verdict,
      ...(verdict === 'pass' ? {} : { reason, exercised: 0 }),
    });
  });

test('a rule that recorded responses keep is exercised as often as they show it', async () => {
  const text = [list(a), list(a), lookup(a), lookup(a)].join('');
  const { results } = await judgedTraffic(['-'], { text });
  const exercised = new Map(results.map((one) => [one.address, one.exercised]));
  expect(exercised.get(unique)).toBe(2);
  expect(exercised.get('getCustomer/rules/same-as-listed')).toBe(2);
});

/** Two customers that share a uuid, on a page each. */
const shared = () => list(a) + list(b);
const others = (first: number, count: number) =>
  line({
    url: customers,
    body: answer({
      customers: Array.from({ length: count }, (_, n) => ({
        ...record(`ref-${first + n}`),
        uuid: `u-${first + n}`,
      })),
    }),
  });

test('two records of one key are found after many others, and count as not compared beyond the bound', async () => {
  const many = Array.from({ length: 60 }, (_, page) => others(page * 1000, 1000)).join('');
  const found = await judgedTraffic(['-'], { text: many + shared() + shared() });
  expect(found.violated).toEqual([unique]);
  expect(found.traffic.notCompared).toBeUndefined();
  const limits = { maxRecords: 5 };
  const { violated, results, traffic } = await judgedTraffic(
    ['-'],
    { text: others(0, 5) + shared() + shared() },
    limits,
  );
  expect(violated).toEqual([]);
  expect(results.find(({ address }) => address === unique)?.exercised).toBe(5);
  expect(traffic.notCompared).toBe(4);
  expect(notComparedNotes(traffic)).toEqual([expect.stringContaining('4 records')]);
});

test('lookups of records beyond the bound count as not compared', async () => {
  const card = (id: string) =>
    line({ url: `https://api.example/svc/ts/api/v1/openapi/cards/${id}`, body: answer({ card: { id } }) });
  const [one, other] = ['1', '2'].map((digit) => `${digit}0000000-5d0e-4a43-9d5b-0a6f2f1f9c11`) as [
    string,
    string,
  ];
  const limits = { maxRecords: 1 };
  const { traffic } = await judgedTraffic(['-'], { text: card(one) + card(other) + card(other) }, limits);
  expect(traffic.notCompared).toBe(2);
});
