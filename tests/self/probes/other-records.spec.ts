import { expect, test } from '@playwright/test';
import { success } from '../../../mock/answers.ts';
import type { MockOptions } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { compared, driftIn, readRecorded, writeRecorded } from '../../probes/drift.ts';
import type { ProbeAnswer } from '../../probes/probe-answers.ts';
import { behaviourOf, oneOfEach } from '../harness/observing.ts';
import { type Provider, providing, type Sources, strict } from './listing-provider.ts';

test.describe.configure({ mode: 'parallel' });

const { questions } = loadContract();
const growing = new Set(questions.flatMap(({ id, grows }) => (grows ? id : [])));

const many = (count: number, sourcesOf: (index: number) => Sources): Sources[] =>
  Array.from({ length: count }, (_, index) => sourcesOf(index));
const inTurn = (index: number): Sources => [index % 2 ? 'User' : 'Store'];
const mixed = (count: number) => many(count, inTurn);
const ofUsers = many(30, () => ['User']);
const withSome = (sources: Sources) => many(30, (index) => (index === 3 ? sources : inTurn(index)));

const known = ['User', 'Store'];
const unbounded = (sent = '20') => (/^[1-9]\d*$/.test(sent) ? Math.min(Number(sent), 100) : 1000);
const upTo =
  (most: number) =>
  (sent = '20') =>
    Number(sent) <= most ? Number(sent) : undefined;
const pagesFromOne = (offset: number, limit: number) => Math.max(0, offset - 1) * limit;
const inAnyCase = (of: Sources, asked = '') =>
  asked === '' || of.some((one) => one.toLowerCase() === asked.toLowerCase());

/** A provider, and what it holds at two times. */
const cases: [name: string, provider: Provider, one: Sources[], other: Sources[]][] = [
  ['a list that becomes shorter than a page', strict, mixed(75), mixed(12)],
  ['the last customers', strict, mixed(30), []],
  ['a single customer', strict, mixed(30), mixed(1)],
  ['a limit of nothing that is one of all', { ...strict, limit: unbounded }, mixed(75), mixed(17)],
  ['a longest page, and a list of another length', { ...strict, limit: upTo(50) }, mixed(75), mixed(15)],
  ['an end that is rejected', { ...strict, rejectsEnd: true }, mixed(75), mixed(5)],
  [
    'pages, of which there is one',
    { ...strict, pageStart: (o, l) => o * l, rejectsEnd: true },
    mixed(75),
    mixed(5),
  ],
  ['pages from one', { ...strict, pageStart: pagesFromOne, rejectsEnd: true }, mixed(75), mixed(5)],
  ['records from one', { ...strict, pageStart: (o) => Math.max(0, o - 1) }, mixed(75), mixed(5)],
  ['a source without customers', { ...strict, isListed: inAnyCase }, mixed(30), ofUsers],
  [
    'a default source that is the only one',
    { ...strict, isListed: (of, asked = 'User') => of.includes(asked) },
    mixed(30),
    ofUsers,
  ],
  [
    'an odd source that is that of users',
    {
      ...strict,
      isListed: (of, asked) => asked === undefined || of.includes(asked === 'Store' ? asked : 'User'),
    },
    mixed(30),
    ofUsers,
  ],
  ['a customer of neither source', { ...strict, limit: upTo(20) }, mixed(30), withSome([])],
  ['a customer of both sources', strict, mixed(30), withSome(known)],
];

const observe = async (provider: Provider, sources: Sources[]) =>
  (await behaviourOf(providing(provider, sources), { identifiers: oneOfEach, maxPages: 3 })).observed;

/** Changes of the one to the other, as recorded and read again; of lists that grow, none is of interest here. */
function changes(before: ProbeAnswer[], now: ProbeAnswer[], name: string): string[] {
  const file = test.info().outputPath(`${name}.json`);
  writeRecorded(file, before, {});
  return driftIn(compared(now, readRecorded(file), questions))
    .filter(({ exchange }) => !growing.has(exchange))
    .map(({ exchange, expected, actual }) => `${exchange}: ${expected} → ${actual}`);
}

for (const [name, provider, one, other] of cases)
  test(`${name}: other records alone are no change, in either direction`, async () => {
    const [before, now] = [await observe(provider, one), await observe(provider, other)];
    expect(changes(before, now, 'one')).toEqual([]);
    expect(changes(now, before, 'other')).toEqual([]);
  });

test('a user without rules does not show whose rules are meant', async () => {
  const rulesOf = (own: object[]): MockOptions => ({
    alter: (answer, { operation, parameters: { user_id } }) =>
      operation === 'getFeeRules' && user_id ? success({ fee_rules: own }) : answer,
  });
  const settings = { identifiers: oneOfEach };
  const [one, none] = [
    await behaviourOf(rulesOf([{ fixed_fee: '9.00', percentage_fee: '9.00' }]), settings),
    await behaviourOf(rulesOf([]), settings),
  ];
  const own = ({ observed }: typeof one) => observed.filter(({ id }) => id === 'user-id-with-business');
  expect(own(none)).toMatchObject([{ answer: 'an empty list, or other rules' }]);
  expect(none.answers['unknown-user']).toBe('an empty list');
  expect(changes(own(one), own(none), 'one')).toEqual([]);
  expect(changes(own(none), own(one), 'other')).toEqual([]);
});

test('another behaviour beside other records is a change, of a short list as well', async () => {
  const short = await observe({ ...strict, limit: unbounded }, mixed(12));
  expect(changes(short, await observe(strict, mixed(12)), 'limit')).toEqual([
    'limit-zero: as if it were not there, or other customers → an empty list',
    'limit-negative: as if it were not there, or other customers → refused as 400',
    'limit-not-numeric: as if it were not there, or other customers → refused as 400',
  ]);
  const ignored = await observe({ ...strict, isListed: () => true }, mixed(30));
  expect(changes(await observe(strict, mixed(30)), ignored, 'source')).toEqual([
    'unknown-source: an empty list → as if it were not there, or other customers',
    'empty-source: an empty list → as if it were not there, or other customers',
  ]);
});

test('an answer that leaves more open than the recorded one does not replace it', () => {
  const file = test.info().outputPath('kept.json');
  const answer = (text: string) => [{ id: 'a', answer: text, confidence: 'likely' }] as ProbeAnswer[];
  writeRecorded(file, answer('those of User, or those of both'), { a: 'those of both' });
  expect(readRecorded(file)).toEqual({ a: 'those of both' });
  writeRecorded(file, answer('those of User'), readRecorded(file));
  expect(readRecorded(file)).toEqual({ a: 'those of User' });
});
