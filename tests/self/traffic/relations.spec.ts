import { expect, test } from '@playwright/test';
import { customerOf } from '../harness/list-provider.ts';
import { fileOf } from '../harness/whole-run.ts';
import { judgedTraffic, line } from './judging.ts';

/* What recorded responses say beside each other; which sequences break a rule is shown in `relations/engine.spec.ts`. */

const host = 'https://api.example';
const customers = '/svc/payment/api/v1/openapi/customers';
const record = (reference: string) => customerOf(1, { reference_number: reference, uuid: 'cus-1' });

interface Recorded {
  /** The second at which it began; every one takes half a second, unless the recording does not say so. */
  at?: number;
  ms?: number;
  base?: string;
}

const recorded = (path: string, data: object, { at, ms = 500, base = host }: Recorded = {}) =>
  line({
    url: base + path,
    body: JSON.stringify({ code: 200, message: '', data }),
    ...(at === undefined ? {} : { startedAt: at < 0 ? '' : `2026-01-02T03:04:0${at}.000Z` }),
    durationMs: ms,
  });
const list = (reference: string, moment?: Recorded) =>
  recorded(customers, { customers: [record(reference)] }, moment);
const lookup = (reference: string) => recorded(`${customers}/cus-1`, { customer: record(reference) });

const [a, b] = ['ref-a', 'ref-b'];
const [unique, same] = ['listCustomers/rules/uuid-is-unique', 'getCustomer/rules/same-as-listed'] as const;

/** Three pages, the second of which differs, with what is said of it, or of all. */
const toAndFro = (second: Recorded, all: Recorded = {}) => [
  list(a, { at: 1, ...all }),
  list(b, { at: 2, ...all, ...second }),
  list(a, { at: 3, ...all }),
];
const untold = { ms: -1 };
const untimed = { at: -1, ms: -1 };
const withoutTime = toAndFro({}, untimed);
const twice = (all: Recorded) => toAndFro({}, all).slice(0, 2);
const open = 'not exercised';

/** Files of one recording, and what they say of a rule. */
const recordings: [name: string, files: string[][], rule: string, verdict: string][] = [
  ['a change to and fro', [toAndFro({})], unique, 'violation'],
  ['the same in two files', [toAndFro({}).slice(0, 2), toAndFro({}).slice(2)], unique, 'violation'],
  ['requests side by side', [toAndFro({ ms: 1000 })], unique, open],
  ['requests without a time', [toAndFro({}, untimed)], unique, 'violation'],
  ['the same in two files without a time', [withoutTime.slice(1), withoutTime.slice(0, 1)], unique, open],
  ['a change, exported twice', [twice({}), twice({})], unique, open],
  ['the same without durations', [[...twice(untold), ...twice(untold)]], unique, open],
  [
    'two files without durations',
    [toAndFro({}, untold).slice(0, 2), [list(a, { at: 3, ...untold })]],
    unique,
    open,
  ],
  ['another host', [toAndFro({ base: 'https://staging.example' })], unique, 'pass'],
  ['another prefix', [toAndFro({ base: `${host}/staging` })], unique, 'pass'],
  ['one host in two notations', [toAndFro({ base: 'https://API.example:443' })], unique, 'violation'],
  ['a customer who is edited', [[list(a), lookup(b), list(b), lookup(b)]], same, 'pass'],
];

for (const [name, files, rule, verdict] of recordings)
  test(`${name}: ${rule} is ${verdict}`, async () => {
    const paths = files.map((lines, index) => fileOf(`${index}.ndjson`, lines.join('')));
    const { results, violated } = await judgedTraffic(paths);
    const rules = violated.filter((address) => address.includes('/rules/'));
    expect(rules).toEqual(verdict === 'violation' ? [rule] : []);
    const reason =
      'contradictions of 1 response were not confirmed: the recording does not show both sides again';
    expect(results.find(({ address }) => address === rule)).toMatchObject({
      verdict,
      ...(verdict === 'not exercised' ? { reason, exercised: 0 } : {}),
    });
  });

test('a lookup that differs again and again is told once, with both sides, and nothing of either', async () => {
  const text = [list(a), ...Array.from({ length: 4 }, () => lookup(b) + list(a))].join('');
  const { results, violated } = await judgedTraffic(['-'], { text });
  expect(violated).toEqual([same]);
  const broken = results.find(({ verdict }) => verdict === 'violation');
  expect(broken).toMatchObject({ affected: 1 });
  expect(broken?.findings).toMatchObject([
    { exchange: expect.stringContaining('{customer 1}'), against: { exchange: expect.any(String) } },
  ]);
  expect(JSON.stringify(results)).not.toMatch(/ref-[ab]|cus-1/);
});
