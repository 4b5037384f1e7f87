import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { relations } from '../../../mock/faults/relations.ts';
import { changesAfter, removalsAfter } from '../../../mock/variants/moving.ts';
import { comparableTime } from '../../../schemas/contract/timestamps.ts';
import { Contradiction, changedMeanwhile, concludeConstant } from '../../relations/conclude.ts';
import { PrintTable } from '../../relations/print-table.ts';
import { halvesOf, printOf } from '../../relations/prints.ts';
import { keepsChanging } from '../../relations/unconfirmed.ts';
import { judgeProvider } from '../harness/provider.ts';

const [one, other, third] = [printOf('one'), printOf('other'), printOf('third')];
const nothing = { nothing: 'no response' };

/** What is known of two sides that contradict each other, by what they show when the one is requested again that is due. */
function conclusionOf(...shown: number[]) {
  const sides = new Contradiction(one, other, 1);
  for (const value of shown)
    if (sides.needsSecond) sides.second(value);
    else sides.first(value);
  return sides.conclusionOr('nothing more');
}

test('a first side that has changed is to be shown again after the other one, not only twice', () => {
  const sides = new Contradiction(one, other, 1);
  sides.first(third);
  sides.first(third);
  sides.second(one);
  expect(sides.conclusionOr('')).toEqual({ undecided: keepsChanging });
});

test('two sides contradict each other only if the first shows the same again, and the other one still another value, twice in a row', () => {
  expect(conclusionOf(one, one, other, other)).toBe('broken');
  expect(conclusionOf(one, one, third, other)).toBe('broken');
  expect(conclusionOf(one, one, one)).toBe('kept');
  expect(conclusionOf(one, one, other, one)).toBe('kept');
  expect(conclusionOf(other)).toEqual(changedMeanwhile);
  expect(conclusionOf(one, other)).toEqual(changedMeanwhile);
  expect(conclusionOf(third, third)).toEqual(changedMeanwhile);
  expect(conclusionOf(third, other)).toEqual({ undecided: keepsChanging });
  expect(conclusionOf(third, other, third, third, other, other)).toBe('broken');
  for (const shown of [[one], [one, one], [one, one, other]])
    expect(conclusionOf(...shown)).toEqual({ undecided: 'nothing more' });
});

test('what changes once may have been changed; what changes again, or back, is not constant', () => {
  expect(concludeConstant([one, one])).toBe('kept');
  expect(concludeConstant([one, other, other])).toMatchObject({ undecided: expect.any(String) });
  expect(concludeConstant([one, other, one])).toBe('broken');
  expect(concludeConstant([one, other, nothing])).toMatchObject({ undecided: 'no response' });
});

test('prints are the same for a UUID in either letter case, and for nothing else', () => {
  const id = '7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c11';
  expect(printOf(id.toUpperCase())).toBe(printOf(id));
  expect(printOf('CUS-1')).not.toBe(printOf('cus-1'));
  expect(printOf('\ud800')).not.toBe(printOf('\udc00'));
});

test('a time is the same in each way to write it, and another one is not', () => {
  const same = ['12:00:00.5Z', '12:00:00.500Z', '12:00:00.50+00:00', '14:00:00.5+02:00'];
  const others = [
    '12:00:00.05Z',
    '12:00:01.5Z',
    '12:00:00Z',
    '12:00:60.5Z',
    '12:00:00.5+02:00',
    '2:00:00.5Z',
  ];
  const onDay = (time: string) => comparableTime(`2024-03-31T${time}`);
  expect(new Set(same.map(onDay)).size).toBe(1);
  expect(new Set([...same, ...others].map(onDay)).size).toBe(1 + others.length);
  expect(onDay('23:59:60.0Z')).toBe(onDay('23:59:60.00+00:00'));
});

test('prints of a hundred thousand values that differ little are all different', () => {
  const values = Array.from({ length: 50_000 }, (_, n) => [
    `CUS-${n}`,
    `${n}-0000-4000-8000-${n % 10}`,
  ]).flat();
  expect(new Set(values.map(printOf)).size).toBe(values.length);
  expect(printOf('7')).not.toBe(printOf(7));
});

test('a table of prints finds the first of each key among many, in a few bytes each, and takes no more than it may', () => {
  const table = new PrintTable(1, 5000);
  for (let n = 0; n < 6000; n += 1) {
    if (n === 1000) table.reserve(100_000);
    table.add(halvesOf(printOf(n)), [n]);
  }
  expect(table.add(halvesOf(printOf(7)), [9])).toBe(false);
  expect(table.numbersAt(table.find(halvesOf(printOf(7))))).toEqual([7]);
  expect(table.find(halvesOf(printOf(5999)))).toBe(-1);
  expect(table.size).toBe(5000);
});

test('a broken relation shows both sides, both requests, and the order in which they were sent', async () => {
  const fault = relations.find(({ name }) => name.includes('another reference_number than listed'));
  const { observations } = await judgeProvider({
    alter: fault?.alter ?? altering('getCard', set('code', 1)),
  });
  const [finding] = observations.flatMap(({ findings }) => findings);
  const list = 'GET /svc/payment/api/v1/openapi/customers';
  const lookup = expect.stringMatching(/customers\/\{uuid of a listed customer, shape \d+\}$/);
  expect(finding).toMatchObject({
    pointer: '/data/customer/reference_number',
    exchange: lookup,
    against: { exchange: list, pointer: '/data/customers/3/uuid', repeat: expect.stringContaining('curl') },
    sent: [list, lookup, list, list, lookup, lookup],
  });
});

test('the world moves between two requests: nothing is broken, and no lookup of who is gone counts', async () => {
  const variants = [removalsAfter(14), removalsAfter(30), changesAfter(30)].flat();
  for (const { name, alter } of variants) {
    const { documented } = await judgeProvider(alter ? { alter } : {}, { maxPages: 3 });
    expect({ name, violated: documented.violated, blocked: documented.blocked }).toEqual({
      name,
      violated: [],
      blocked: [],
    });
  }
});

test('a customer who goes before the lookup leaves the rule undecided where nobody else shows it', async () => {
  let asked = 0;
  const { documented } = await judgeProvider(
    {
      alter: (answer, { operation }) => {
        const isList = operation === 'listCustomers';
        if (operation === 'getCustomer')
          return { ...answer, status: 404, body: { code: 404, message: 'gone', data: null } };
        asked += isList ? 1 : 0;
        const { data } = answer.body as { data: { customers?: unknown[] } };
        if (isList) data.customers = asked === 1 ? (data.customers ?? []).slice(0, 1) : [];
        return answer;
      },
    },
    { identifiers: { CUSTOMER_IDS: [] }, maxPages: 1 },
  );
  expect(documented.violated).toEqual([]);
  const rule = documented.requirementResults.find(({ address }) => address.endsWith('listed-is-found'));
  expect(rule).toMatchObject({
    verdict: 'not exercised',
    reason: expect.stringContaining('no longer shows the record'),
  });
});

test('a page that shows one uuid with two references breaks the rule at once, though it never does so again', async () => {
  let lists = 0;
  const { documented } = await judgeProvider({
    alter: (answer, { operation }) => {
      const { data } = answer.body as { data?: { customers?: { uuid: string }[] } };
      const [first, second] = data?.customers ?? [];
      lists += operation === 'listCustomers' ? 1 : 0;
      if (lists === 1 && first && second) second.uuid = first.uuid;
      return answer;
    },
  });
  expect(documented.violated).toEqual(['listCustomers/rules/uuid-is-unique']);
  const rule = documented.requirementResults.find(({ address }) => address.endsWith('uuid-is-unique'));
  expect(rule).toMatchObject({ affected: 1, findings: [{ sent: [expect.any(String)] }] });
});
