import { expect, test } from '@playwright/test';
import { createListedCustomer } from '../harness/list-provider.ts';
import { writeTestFile } from '../harness/whole-run.ts';
import { createExchangeLine, judgeSources } from './judging.ts';

/* What recorded responses say beside each other; which sequences break a rule is shown in `relations/engine.spec.ts`. */

const host = 'https://api.example';
const customers = '/svc/payment/api/v1/openapi/customers';
const createRecord = (reference: string) =>
  createListedCustomer(1, { reference_number: reference, uuid: 'cus-1' });

interface RecordingTime {
  /** Second (0 to 9) at which the request was sent; negative: unknown; default: one second later for each created line. */
  at?: number;
  /** Recorded duration in milliseconds; default: 500; negative: unknown, as in HAR. */
  ms?: number;
  base?: string;
}

const formatStart = (second: number) => (second < 0 ? '' : `2026-01-02T03:04:0${second}.000Z`);
function createLine(path: string, data: object, { at, ms = 500, base = host }: RecordingTime = {}): string {
  const body = JSON.stringify({ code: 200, message: '', data });
  const exchange = { url: base + path, body, durationMs: ms };
  return createExchangeLine(at === undefined ? exchange : { ...exchange, startedAt: formatStart(at) });
}
const createListLine = (reference: string, moment?: RecordingTime) =>
  createLine(customers, { customers: [createRecord(reference)] }, moment);
const createLookupLine = (reference: string) =>
  createLine(`${customers}/cus-1`, { customer: createRecord(reference) });

const [a, b] = ['ref-a', 'ref-b'];
const [uniqueRule, sameRule] = [
  'listCustomers/rules/uuid-is-unique',
  'getCustomer/rules/same-as-listed',
] as const;

const createThreePages = (timeOfSecondPage: RecordingTime, timeOfAll: RecordingTime = {}): string[] => [
  createListLine(a, { at: 1, ...timeOfAll }),
  createListLine(b, { at: 2, ...timeOfAll, ...timeOfSecondPage }),
  createListLine(a, { at: 3, ...timeOfAll }),
];
const withoutDuration = { ms: -1 };
const withoutTimes = { at: -1, ms: -1 };
const pagesWithoutTime = createThreePages({}, withoutTimes);
const createTwoPages = (timeOfAll: RecordingTime) => createThreePages({}, timeOfAll).slice(0, 2);
const openVerdict = 'not exercised';

const recordingRows: [name: string, files: string[][], rule: string, verdict: string][] = [
  ['a change to and fro', [createThreePages({})], uniqueRule, 'violation'],
  [
    'the same in two files',
    [createThreePages({}).slice(0, 2), createThreePages({}).slice(2)],
    uniqueRule,
    'violation',
  ],
  ['requests side by side', [createThreePages({ ms: 1000 })], uniqueRule, openVerdict],
  ['requests without a time', [createThreePages({}, withoutTimes)], uniqueRule, 'violation'],
  [
    'the same in two files without a time',
    [pagesWithoutTime.slice(1), pagesWithoutTime.slice(0, 1)],
    uniqueRule,
    openVerdict,
  ],
  ['a change, exported twice', [createTwoPages({}), createTwoPages({})], uniqueRule, openVerdict],
  [
    'the same without durations',
    [[...createTwoPages(withoutDuration), ...createTwoPages(withoutDuration)]],
    uniqueRule,
    openVerdict,
  ],
  [
    'two files without durations',
    [createThreePages({}, withoutDuration).slice(0, 2), [createListLine(a, { at: 3, ...withoutDuration })]],
    uniqueRule,
    openVerdict,
  ],
  ['another host', [createThreePages({ base: 'https://staging.example' })], uniqueRule, 'pass'],
  ['another prefix', [createThreePages({ base: `${host}/staging` })], uniqueRule, 'pass'],
  [
    'one host in two notations',
    [createThreePages({ base: 'https://API.example:443' })],
    uniqueRule,
    'violation',
  ],
  [
    'a customer who is edited',
    [[createListLine(a), createLookupLine(b), createListLine(b), createLookupLine(b)]],
    sameRule,
    'pass',
  ],
];

for (const [name, files, rule, verdict] of recordingRows)
  test(`${name}: ${rule} is ${verdict}`, async () => {
    const paths = files.map((lines, index) => writeTestFile(`${index}.ndjson`, lines.join('')));
    const { results, violated } = await judgeSources(paths);
    const rules = violated.filter((address) => address.includes('/rules/'));
    expect(rules).toEqual(verdict === 'violation' ? [rule] : []);
    const reason =
      '1 contradiction between responses, not confirmed: the recording does not show both sides again';
    expect(results.find(({ address }) => address === rule)).toMatchObject({
      verdict,
      ...(verdict === 'not exercised' ? { reason, exercised: 0 } : {}),
    });
  });

test('a lookup that differs repeatedly is reported once, with both requests and no values', async () => {
  const text = [
    createListLine(a),
    ...Array.from({ length: 4 }, () => createLookupLine(b) + createListLine(a)),
  ].join('');
  const { results, violated } = await judgeSources(['-'], { text });
  expect(violated).toEqual([sameRule]);
  const brokenResult = results.find(({ verdict }) => verdict === 'violation');
  expect(brokenResult).toMatchObject({ affected: 1 });
  expect(brokenResult?.findings).toMatchObject([
    { exchange: expect.stringContaining('{customer 1}'), against: { exchange: expect.any(String) } },
  ]);
  expect(JSON.stringify(results)).not.toMatch(/ref-[ab]|cus-1/);
});
