import { expect, test } from '@playwright/test';
import { offsetUnit } from '../../../src/operations/offset-unit.ts';
import { Progress } from '../../../src/sweep/progress.ts';
import { sweepSentences } from '../../../src/sweep/summary.ts';
import { json } from '../harness/examples.ts';
import { customerOf, customersUpTo, type Listed, type ListOptions } from '../harness/list-provider.ts';
import { sweepList } from './sweep-run.ts';

/* How a list is paged, where it ends, and what of it is not known. */

const customer = 'listCustomers/data/customers/*';
const every20 = (all: Listed[]) =>
  all.map((one, place) => (place % 20 === 19 ? { ...one, dial_code: null } : one)) as Listed[];

/** How the list is paged, and how many requests that takes in all. */
const ways: [way: Partial<ListOptions>, requests: number][] = [
  [{}, 279],
  [{ offset: 'pages' }, 282],
  [{ pastEnd: 'rejected' }, 281],
  [{ pastEnd: 'rejected', offset: 'pages' }, 286],
  [{ limit: 'ignored' }, 324],
  [{ limit: 'rejected above' }, 279],
  [{ limit: 'rejected above', maxLimit: 50, offset: 'pages' }, 295],
  [{ pastEnd: 'rejected', rejection: json(204, null) }, 281],
];

for (const [way, requests] of ways)
  test(`every customer is judged once, whatever the list is like: ${JSON.stringify(Object.values(way))}`, async () => {
    let sent = 0;
    for (const count of [0, 19, 20, 100, 101, 230]) {
      const { summary, broken, result } = await sweepList({
        ...way,
        population: every20(customersUpTo(count)),
      });
      expect(summary, `${count}`).toMatchObject({ judged: count, population: count, blocked: [] });
      const expected = count < 20 ? {} : { [`${customer}/dial_code`]: [Math.floor(count / 20), 20] };
      expect(broken, `${count}`).toEqual(expected);
      sent += result.requests;
    }
    expect(sent).toBe(requests);
  });

test('pages share nothing, and the largest that the target accepts are requested', async () => {
  const without = customersUpTo(950).map((one) => ({ ...one, dial_code: null }));
  const { summary, said, shares } = await sweepList({ population: without });
  expect(summary.pages).toBe(10);
  expect(shares[`${customer}/dial_code`]?.first).toEqual([1, 2, 3, 4, 5]);
  expect(said).toContain('sweep: 950 customers, pages of 100: 10 more requests');
  expect(said).toMatch(/sweep: 950 of about 950 customers, violations so far: 950\n$/);
  for (const maxLimit of [1000, 500, 200, 100, 50, 20, 10]) {
    const longest = await sweepList({ population: 1000, limit: 'rejected above', maxLimit });
    expect(longest.summary.pages).toBe(1000 / maxLimit);
  }
});

const unclear = /^what `offset` counts is not clear .*; set SWEEP_OFFSET=records or SWEEP_OFFSET=pages$/;

const onlyBeginnings: Partial<ListOptions> = {
  limit: 'multiples',
  failing: ({ offset }) => (offset % 20 === 0 ? undefined : json(400, {})),
};
const turned: Partial<ListOptions> = {
  order: (all, ordinal) => (ordinal % 2 ? all : all.toReversed()),
  offset: 'pages',
};

for (const [name, options, unit] of [
  ['only the beginnings of pages are accepted', onlyBeginnings, 'records'],
  ['the page at `offset` 1 shows half of the one before', turned, 'pages'],
] as const)
  test(`what \`offset\` counts is asked for where ${name}`, async () => {
    const { summary, said } = await sweepList({ population: 150, ...options });
    expect(summary.stopped).toMatch(unclear);
    expect(said).toContain(`sweep: the list of customers cannot be followed: ${summary.stopped}`);
    expect(summary.blocked).toEqual([{ from: 1, to: undefined, reason: summary.stopped }]);
    const told = await sweepList({ population: 150, ...options }, { env: { SWEEP_OFFSET: unit } });
    expect(told.summary.stopped).toBeUndefined();
  });

test('an offset of 1 counts pages of one, and nothing known where it shows the end of the page first', () => {
  expect([offsetUnit(['a'], ['b']), offsetUnit(['a', 'b', 'c'], ['c'])]).toEqual(['pages', undefined]);
});

test('a target that ignores `offset`, or shows its last page for ever, is no list that could be followed', async () => {
  expect((await sweepList({ population: 300, offset: 'ignored' })).summary.stopped).toMatch(unclear);
  const { summary } = await sweepList({ population: 300, pastEnd: 'last page' });
  expect(summary.stopped).toMatch(/^the list has no end: at `offset` [\d,]+ there are records/);
  expect(summary.judged).toBe(0);
});

for (const [offset, declared] of [
  ['pages', 'records'],
  ['records', 'pages'],
] as const)
  test(`a declared unit that the first pages contradict is not followed: ${declared}`, async () => {
    const options = { population: 300, ...(offset === 'pages' ? { offset } : {}) };
    const { summary } = await sweepList(options, { env: { SWEEP_OFFSET: declared } });
    const stopped = `SWEEP_OFFSET=${declared}, and the pages at \`offset\` 0 and 1 show that it counts ${offset}`;
    expect(summary).toMatchObject({ judged: 0, stopped });
  });

for (const [from, to, judged] of [
  [200, 800, 200],
  [800, 1100, 800],
  [100, 600, 100],
  [0, 250, 0],
] as const)
  test(`empty pages are no end where there are records behind them, as where deleted ones are left out: ${from} to ${to}`, async () => {
    const failing: ListOptions['failing'] = ({ start }) => (start >= from && start < to ? [] : undefined);
    const { summary } = await sweepList({ population: to + 1, failing });
    const reason = 'there are empty pages, and records behind them';
    expect(summary).toMatchObject({ judged, blocked: [{ from: judged + 1, reason }] });
  });

test('a rejection of large offsets is no end', async () => {
  const { summary } = await sweepList({
    population: 500,
    failing: ({ end }) => (end > 300 ? json(400, { code: 400 }) : undefined),
  });
  const reason =
    'the target does not show the page behind a full one: whether the list ends there is not known';
  expect(summary).toMatchObject({ judged: 300, blocked: [{ from: 301, reason }] });
  expect(summary.population).toBeUndefined();
});

const failed = json(500, {});
const noList = json(200, { code: 200, message: 'ok', data: {} });
const created = json(201, { code: 200, message: 'ok', data: { customers: customersUpTo(300).slice(200) } });
type Failing = NonNullable<ListOptions['failing']>;
const unknown = (from: number, reason: string) => [{ from, to: 300, reason }];

const untyped = { ...json(200, { code: 200, message: 'ok', data: { customers: [] } }), headers: {} };
const nilSlice = json(200, { code: 200, message: 'ok', data: { customers: null } });

/** What is shown behind the last customer, who ends a page or does not. */
for (const [name, page, breaks] of [
  ['a nil slice of Go', nilSlice, ['listCustomers/data/customers']],
  ['a server error', failed, []],
  ['an empty page without a type', untyped, ['listCustomers/http/content-type']],
] as const)
  test(`a list that ends with ${name} is judged up to there, and what is broken there is told`, async () => {
    for (const [population, env, judged] of [
      [300, {}, 300],
      [250, {}, 250],
      [80, {}, 80],
      [300, { SWEEP: '50:1' }, 50],
    ] as const) {
      const failing: Failing = ({ start }) => (start >= population ? page : undefined);
      const { summary, observations } = await sweepList({ population, failing }, { env });
      expect([summary.judged, summary.stopped], `${population}`).toEqual([judged, undefined]);
      expect(summary.blocked.length, `${population}`).toBe(judged === population && page !== untyped ? 1 : 0);
      const found = observations.flatMap(({ findings }) => findings.map(({ requirement }) => requirement));
      expect([...new Set(found)], `${population}`).toEqual(breaks);
    }
  });

/** What the page at 200 is, as often as it is asked for, or only the first time. */
for (const [name, page, blocked, times = 9] of [
  ['fails', failed, unknown(201, 'the target answered HTTP 500')],
  ['fails once', failed, [], 1],
  ['is empty', [], unknown(201, 'the page shows 0 of 100 records')],
  ['is short', [customerOf(200)], unknown(202, 'the page shows 1 of 100 records')],
  ['is rejected', json(404, {}), unknown(201, 'the target answered HTTP 404')],
  ['is answered with HTTP 201', created, unknown(201, 'the response holds no list that can be judged')],
  ['holds no list', noList, unknown(201, 'the response holds no list that can be judged')],
] as [string, ReturnType<Failing>, object[], number?][])
  test(`a page in the middle that ${name} is requested again at the end, and then a range that is not known`, async () => {
    let left = times;
    const failing: Failing = ({ start }) => (start === 200 && left-- > 0 ? page : undefined);
    const { summary, broken } = await sweepList({ population: every20(customersUpTo(500)), failing });
    expect(summary.blocked).toEqual(blocked);
    const lacking = summary.blocked.reduce((sum, { from, to = 0 }) => sum + to - from + 1, 0);
    expect(summary).toMatchObject({ judged: 500 - lacking, population: 500 });
    expect(broken).toEqual({ [`${customer}/dial_code`]: [25 - Math.floor((lacking + 1) / 20), 20] });
  });

/** What fails from the 201st request on ends a sweep after a tenth of its pages, or 100; what is not sent at once. */
for (const [population, page, judged, lacking, says] of [
  [10_300, failed, 590, 103, 'the target answered HTTP 500'],
  [2_000, failed, 970, 100, 'the target answered HTTP 500'],
  [2_000, { blocked: 'gone', notSent: true, status: 0 } as never, 970, 0, 'gone'],
] as const)
  test(`a target that goes down ends a sweep, which keeps what it has: ${population}, ${says}`, async () => {
    const failing: Failing = ({ ordinal }) => (ordinal > 200 ? page : undefined);
    const { summary } = await sweepList({ population, maxLimit: 10, failing });
    const reason = `too many pages were not answered: ${says}`;
    const blocked = [{ from: judged + 10 * lacking + 1, to: undefined, reason }];
    expect(summary).toMatchObject({ stopped: reason, judged, blocked });
  });

test('a list that changes while it is read is judged as far as it is shown, and that is said', async () => {
  const grown = (now: readonly Listed[]) => [...now, customerOf(now.length)];
  const inserted = (now: readonly Listed[]) => [customerOf(2000 + now.length), ...now];
  for (const moving of [grown, inserted]) {
    const { summary, broken, said } = await sweepList({
      population: 2500,
      moving: (now, ordinal) => (ordinal > 20 ? moving(now) : now),
    });
    expect(summary).toMatchObject({ blocked: [], moved: { before: 2500 } });
    expect(summary.judged).toBeGreaterThanOrEqual(2500);
    expect(said).toContain(`sweep: ${summary.judged.toLocaleString('en')} of about 2,500 customers`);
    expect(summary.moved?.after).toBeGreaterThan(2500);
    expect(broken).toEqual({});
  }
  const shorter = (share: number, pastEnd: 'empty' | 'rejected') =>
    sweepList({
      ...{ population: 2500, pastEnd },
      moving: (now, ordinal) => (ordinal === 30 ? now.slice(0, share * now.length) : now),
    });
  const { summary } = await shorter(0.95, 'rejected');
  expect(summary).toMatchObject({ blocked: [], moved: { before: 2500, after: 2375 } });
  expect((await shorter(0.5, 'empty')).summary.blocked).toMatchObject([
    { reason: expect.stringContaining('less than nine tenths') },
  ]);
  const faster = (now: readonly Listed[], ordinal: number) =>
    customersUpTo(now.length + (ordinal < 39 ? 0 : 100));
  for (const [judged, sweep] of [
    [1700, {}],
    [900, { shard: { current: 1, total: 2 } }],
  ] as const)
    expect((await sweepList({ population: 300, moving: faster }, sweep)).summary).toMatchObject({
      ...{ judged, stopped: 'the list grows faster than it is read' },
      blocked: [{ from: 1701, to: undefined }],
    });
  // Behind the last page, once the end was seen: a hole, and no look behind it.
  const failing: Failing = ({ start, ordinal }) => (start >= 300 && ordinal >= 39 ? failed : undefined);
  const { blocked } = (await sweepList({ population: 300, failing })).summary;
  expect(blocked).toEqual([{ from: 301, to: 400, reason: 'the target answered HTTP 500' }]);
});

test('two customers with one uuid are found, however far they are apart; one that is shown twice is not', async () => {
  const unique = 'listCustomers/rules/uuid-is-unique';
  const all = customersUpTo(500);
  const twin = (at: number, of: number) =>
    all.map((one, place) => (place === at ? { ...one, uuid: all[of]?.uuid ?? '' } : one));
  for (const of of [449, 9]) {
    const { broken, summary } = await sweepList({ population: twin(450, of) });
    expect(broken).toEqual({ [unique]: [1, 451] });
    expect(summary.judged).toBe(500);
  }
  const ten = all.map((one, place) => (place % 50 === 49 ? { ...one, uuid: all[49]?.uuid ?? '' } : one));
  const { broken, summary } = await sweepList({ population: ten });
  expect([broken[unique]?.[1], summary.judged, summary.moved]).toEqual([100, 500, undefined]);
  const again = await sweepList({ population: [...all, customerOf(9)] });
  expect(again.broken).toEqual({});
  expect(again.summary).toMatchObject({ judged: 500, moved: { repeated: 1 } });
  // Once it is requested again, after the look at the end and the sweep, the customer has another name.
  let times = 0;
  const doubted = await sweepList({
    population: all,
    failing: ({ start, limit }) => {
      if (start !== 400 || limit !== 100) return undefined;
      times += 1;
      return times <= 2 ? twin(450, 9).slice(400) : undefined;
    },
  });
  expect(doubted.broken).toEqual({});
  expect(doubted.observations.some(({ undecided }) => undecided?.[unique])).toBe(true);
});

test('a sweep reports pages that overlap as records that were shown again', async () => {
  const customers = customersUpTo(300);
  const failing: Failing = ({ start, end }) =>
    start < 100 ? undefined : customers.slice(start - 1, end - 1);
  const { summary } = await sweepList({ population: customers, failing });
  expect(summary.moved).toEqual({ repeated: 1, before: 301, after: 301 });
  expect(sweepSentences(summary)[1]).toBe(
    'the list of customers showed 1 record again: it changed while it was read, so that some may not have been seen, or its pages repeat records or overlap',
  );
});

test('how far a sweep is, is shown every five seconds', () => {
  const [said, { now }] = [[] as number[], performance];
  let seconds = 0;
  performance.now = () => 1000 * seconds;
  const progress = new Progress(() => said.push(seconds));
  const done = { noun: 'customers', records: 1, of: 9, violations: 0 };
  for (seconds of [4.9, 5, 9.9, 10.3, 10.4]) progress.show(done);
  performance.now = now;
  expect(said).toEqual([5, 10.3]);
});
