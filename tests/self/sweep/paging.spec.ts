import { expect, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import { detectOffsetUnit } from '../../../src/operations/offset-unit.ts';
import { Progress } from '../../../src/sweep/progress.ts';
import { describeSweep } from '../../../src/sweep/summary.ts';
import { json } from '../harness/examples.ts';
import {
  createListedCustomer,
  customersUpTo,
  type Listed,
  type ListOptions,
} from '../harness/list-provider.ts';
import { createPopulation } from '../mock/population.ts';
import { sweepAt, sweepList } from './sweep-run.ts';

/* Lists that are paged in different ways, that end in different ways, and that lack pages. */

const customer = 'listCustomers/data/customers/*';
const breakEvery20th = (customers: Listed[]): Listed[] =>
  customers.map((listedCustomer, index) =>
    index % 20 === 19 ? { ...listedCustomer, dial_code: null } : listedCustomer,
  );

/** Paging behaviour, and expected total of requests to sweep six lists, which have 0 to 230 customers: `[{ offset: 'pages' }, 282]`. */
const pagings: [paging: Partial<ListOptions>, totalRequests: number][] = [
  [{}, 279],
  [{ offset: 'pages' }, 282],
  [{ pastEnd: 'rejected' }, 281],
  [{ pastEnd: 'rejected', offset: 'pages' }, 286],
  [{ limit: 'ignored' }, 324],
  [{ limit: 'rejected above' }, 279],
  [{ limit: 'rejected above', maxLimit: 50, offset: 'pages' }, 295],
  [{ pastEnd: 'rejected', rejection: json(204, null) }, 281],
];

for (const [paging, totalRequests] of pagings)
  test(`every customer of a list is judged once: ${JSON.stringify(paging)}`, async () => {
    let requestCount = 0;
    for (const count of [0, 19, 20, 100, 101, 230]) {
      const { summary, broken, result } = await sweepList({
        ...paging,
        population: breakEvery20th(customersUpTo(count)),
      });
      expect(summary, `${count}`).toMatchObject({ judged: count, population: count, blocked: [] });
      const expected = count < 20 ? {} : { [`${customer}/dial_code`]: [Math.floor(count / 20), 20] };
      expect(broken, `${count}`).toEqual(expected);
      requestCount += result.requests;
    }
    expect(requestCount).toBe(totalRequests);
  });

test('a sweep requests the largest pages that the target accepts', async () => {
  const broken = customersUpTo(950).map((listedCustomer) => ({ ...listedCustomer, dial_code: null }));
  const { summary, output, shares } = await sweepList({ population: broken });
  expect(summary.pages).toBe(10);
  expect(shares[`${customer}/dial_code`]?.first).toEqual([1, 2, 3, 4, 5]);
  expect(output).toContain('sweep: 950 customers, pages of 100: 10 more requests');
  expect(output).toMatch(/sweep: 950 of about 950 customers, violations so far: 950\n$/);
  for (const maxLimit of [1000, 500, 200, 100, 50, 20, 10]) {
    const longest = await sweepList({ population: 1000, limit: 'rejected above', maxLimit });
    expect(longest.summary.pages).toBe(1000 / maxLimit);
  }
});

test('a sweep tries rare limits only if the target rejects all usual ones', async () => {
  for (const [isRejected, size, rejectedLimits] of [
    [(limit: number) => limit > 5, 5, '1000,500,200,100,50,20,10,30,25,15'],
    [(limit: number) => limit % 15 > 0, 30, '1000,500,200,100,50,20,10'],
    [(limit: number) => limit > 1, 1, '1000,500,200,100,50,20,10,30,25,15,5'],
  ] as const) {
    const { summary, sent } = await sweepList({
      population: 90,
      maxLimit: 1000,
      createFaultyPage: ({ limit }) => (isRejected(limit) ? json(400, {}) : undefined),
    });
    expect(summary).toMatchObject({ judged: 90, pages: 90 / size, blocked: [] });
    const sentLimits = sent.map((query) => new URLSearchParams(query).get('limit'));
    expect(sentLimits.slice(0, sentLimits.indexOf(`${size}`)).join()).toBe(rejectedLimits);
  }
});

test('a sweep tries smaller pages if the largest two get no response', async () => {
  const alter: Alter = (response, { parameters: { limit } }) =>
    Number(limit) >= 500 ? { ...response, abort: 'before' } : response;
  const mock = await startMock({ store: createPopulation({ customers: 300 }), alter });
  const { summary } = await sweepAt(mock.url);
  await mock.close();
  expect(summary).toMatchObject({ judged: 300, blocked: [] });
});

const unclearUnit = /^what `offset` counts is not clear .*; set SWEEP_OFFSET=records or SWEEP_OFFSET=pages$/;

/** Target that accepts only multiples of 20 as `offset` and as `limit`. */
const pageStartsOnly: Partial<ListOptions> = {
  limit: 'multiples',
  createFaultyPage: ({ offset }) => (offset % 20 === 0 ? undefined : json(400, {})),
};
const alternating: Partial<ListOptions> = {
  sortList: (customers, requestNumber) => (requestNumber % 2 === 1 ? customers : customers.toReversed()),
  offset: 'pages',
};

for (const [name, options, unit] of [
  ['the target accepts only offsets of whole pages', pageStartsOnly, 'records'],
  ['the page at `offset` 1 shows half of the first page', alternating, 'pages'],
] as const)
  test(`SWEEP_OFFSET is needed if ${name}`, async () => {
    const { summary, output } = await sweepList({ population: 150, ...options });
    expect(summary.stopped).toMatch(unclearUnit);
    expect(output).toContain(`sweep: the list of customers cannot be read: ${summary.stopped}`);
    expect(summary.blocked).toEqual([{ from: 1, to: undefined, reason: summary.stopped }]);
    const declared = await sweepList({ population: 150, ...options }, { env: { SWEEP_OFFSET: unit } });
    expect(declared.summary.stopped).toBeUndefined();
  });

test('SWEEP_OFFSET=pages begins at page 1 if pages 0 and 1 are the same', async () => {
  const sweepFromOne = (population: number, env = {}) =>
    sweepList({ population, offset: 'pages from one' }, { env: { SWEEP_OFFSET: 'pages', ...env } });
  for (const count of [0, 1, 50, 100, 101, 350]) {
    const { summary } = await sweepFromOne(count);
    expect(summary, `${count}`).toMatchObject({ judged: count, population: count, blocked: [] });
    expect(summary.moved, `${count}`).toBeUndefined();
  }
  const sample = await sweepFromOne(350, { SWEEP: '40:1' });
  expect(sample.summary).toMatchObject({ judged: 40, blocked: [] });
  expect(sample.summary.moved).toBeUndefined();
});

test('the unit of `offset` is pages for pages of one record, and unknown if offset 1 shows the last record first', () => {
  expect([detectOffsetUnit(['a'], ['b']), detectOffsetUnit(['a', 'b', 'c'], ['c'])]).toEqual([
    'pages',
    undefined,
  ]);
});

test('a list cannot be followed if the target ignores `offset`, or repeats its last page', async () => {
  expect((await sweepList({ population: 300, offset: 'ignored' })).summary.stopped).toMatch(unclearUnit);
  const { summary } = await sweepList({ population: 300, pastEnd: 'last page' });
  expect(summary.stopped).toMatch(/^the list has no end: at `offset` [\d,]+ there are records/);
  expect(summary.judged).toBe(0);
});

for (const [offset, declared] of [
  ['pages', 'records'],
  ['records', 'pages'],
] as const)
  test(`a list is not followed if its first pages contradict SWEEP_OFFSET=${declared}`, async () => {
    const options = { population: 300, ...(offset === 'pages' ? { offset } : {}) };
    const { summary } = await sweepList(options, { env: { SWEEP_OFFSET: declared } });
    const stopped = `SWEEP_OFFSET=${declared}, and the pages at \`offset\` 0 and 1 show that it counts ${offset}`;
    expect(summary).toMatchObject({ judged: 0, stopped });
  });

for (const [from, to, judgedCount] of [
  [200, 800, 200],
  [800, 1100, 800],
  [100, 600, 100],
  [0, 250, 0],
] as const)
  test(`empty pages before further records are not the end of a list: ${from} to ${to}`, async () => {
    const createFaultyPage: ListOptions['createFaultyPage'] = ({ start }) =>
      start >= from && start < to ? [] : undefined;
    const { summary } = await sweepList({ population: to + 1, createFaultyPage });
    const reason = 'there are empty pages, and records after them';
    expect(summary).toMatchObject({ judged: judgedCount, blocked: [{ from: judgedCount + 1, reason }] });
  });

test('a rejection of large offsets is not the end of a list', async () => {
  const { summary } = await sweepList({
    population: 500,
    createFaultyPage: ({ end }) => (end > 300 ? json(400, { code: 400 }) : undefined),
  });
  const reason =
    'the target does not show the page after a full one: whether the list ends there is not known';
  expect(summary).toMatchObject({ judged: 300, blocked: [{ from: 301, reason }] });
  expect(summary.population).toBeUndefined();
});

test('the records of pages that failed while the sweep was planned, and were judged later, do not count as not judged', async () => {
  let requestsOfFirstPage = 0;
  const createFaultyPage: ListOptions['createFaultyPage'] = ({ start, limit }) => {
    if (start === 0 && limit === 100) requestsOfFirstPage += 1;
    // Five requests for the first page plan the sweep, and the sixth one belongs to it.
    return start >= 300 && requestsOfFirstPage < 6 ? json(502, {}) : undefined;
  };
  const { summary } = await sweepList({ population: 450, createFaultyPage });
  expect(summary).toMatchObject({ judged: 450, blocked: [{ from: 451 }] });
});

const serverError = json(500, {});
const noList = json(200, { code: 200, message: 'ok', data: {} });
const withStatus201 = json(201, {
  code: 200,
  message: 'ok',
  data: { customers: customersUpTo(300).slice(200) },
});
type CreateFaultyPage = NonNullable<ListOptions['createFaultyPage']>;
const rangeTo300 = (from: number, reason: string) => [{ from, to: 300, reason }];

const untyped = { ...json(200, { code: 200, message: 'ok', data: { customers: [] } }), headers: {} };
const nilSlice = json(200, { code: 200, message: 'ok', data: { customers: null } });

for (const [name, page, breaks] of [
  ['a nil slice of Go', nilSlice, ['listCustomers/data/customers']],
  ['a server error', serverError, []],
  ['an empty page without a type', untyped, ['listCustomers/http/content-type']],
] as const)
  test(`a list that ends with ${name} is judged to its end, with the requirements broken there`, async () => {
    for (const [population, env, judgedCount] of [
      [300, {}, 300],
      [250, {}, 250],
      [80, {}, 80],
      [300, { SWEEP: '50:1' }, 50],
    ] as const) {
      const createFaultyPage: CreateFaultyPage = ({ start }) => (start >= population ? page : undefined);
      const { summary, observations } = await sweepList({ population, createFaultyPage }, { env });
      expect([summary.judged, summary.stopped], `${population}`).toEqual([judgedCount, undefined]);
      const hasHole = judgedCount === population && page !== untyped;
      expect(summary.blocked.length, `${population}`).toBe(hasHole ? 1 : 0);
      const findings = observations.flatMap((observation) => observation.findings);
      const requirements = new Set(findings.map(({ requirement }) => requirement));
      expect([...requirements], `${population}`).toEqual(breaks);
    }
  });

/**
 * Faulty response, or faulty customers, in place of the page with customers 201 to 300; the resulting ranges of unjudged records;
 * number of requests for the page that get the fault, default: all.
 */
const faultyPageRows: [
  name: string,
  page: ReturnType<CreateFaultyPage>,
  blocked: object[],
  faultyResponseCount?: number,
][] = [
  ['fails', serverError, rangeTo300(201, 'the target responded with HTTP 500')],
  // Only the first response is faulty.
  ['fails once', serverError, [], 1],
  ['is empty', [], rangeTo300(201, 'the page shows 0 of 100 records')],
  ['is short', [createListedCustomer(200)], rangeTo300(202, 'the page shows 1 of 100 records')],
  ['is rejected', json(404, {}), rangeTo300(201, 'the target responded with HTTP 404')],
  [
    'is answered with HTTP 201',
    withStatus201,
    rangeTo300(201, 'the response holds no list that can be judged'),
  ],
  ['holds no list', noList, rangeTo300(201, 'the response holds no list that can be judged')],
];

for (const [name, page, blocked, faultyResponseCount = Number.POSITIVE_INFINITY] of faultyPageRows)
  test(`a page in the middle that ${name} is requested once more at the end`, async () => {
    let requestsOfPage = 0;
    const createFaultyPage: CreateFaultyPage = ({ start }) => {
      if (start !== 200) return undefined;
      requestsOfPage += 1;
      return requestsOfPage <= faultyResponseCount ? page : undefined;
    };
    const { summary, broken } = await sweepList({
      population: breakEvery20th(customersUpTo(500)),
      createFaultyPage,
    });
    expect(summary.blocked).toEqual(blocked);
    const missing = summary.blocked.reduce((sum, { from, to = 0 }) => sum + to - from + 1, 0);
    expect(summary).toMatchObject({ judged: 500 - missing, population: 500 });
    expect(broken).toEqual({ [`${customer}/dial_code`]: [25 - Math.floor((missing + 1) / 20), 20] });
  });

/**
 * Number of customers in a list, response to each request after the 200th, and the expected result of a sweep: number of judged
 * customers, number of failed pages, and the reason why requests fail.
 */
const downRows: [
  population: number,
  response: ReturnType<CreateFaultyPage>,
  judgedCount: number,
  failedPages: number,
  reason: string,
][] = [
  // Of 200 requests, 141 plan the sweep, and 59 get 590 customers. A tenth of all 1,030 pages may fail.
  [10_300, serverError, 590, 103, 'the target responded with HTTP 500'],
  // At least 100 pages may fail.
  [2_000, serverError, 970, 100, 'the target responded with HTTP 500'],
  // A request that cannot be sent ends the sweep at once.
  [2_000, { blocked: 'gone', notSent: true, status: 0 } as never, 970, 0, 'gone'],
];

for (const [population, response, judgedCount, failedPages, reason] of downRows)
  test(`a sweep ends when the target goes down, and keeps its result: ${population}, ${reason}`, async () => {
    const createFaultyPage: CreateFaultyPage = ({ requestNumber }) =>
      requestNumber > 200 ? response : undefined;
    const { summary } = await sweepList({ population, maxLimit: 10, createFaultyPage });
    const stopped = `too many pages got no usable response: ${reason}`;
    const lastFailed = judgedCount + 10 * failedPages;
    const failedRanges = failedPages === 0 ? [] : [{ from: judgedCount + 1, to: lastFailed, reason }];
    const blocked = [...failedRanges, { from: lastFailed + 1, to: undefined, reason: stopped }];
    expect(summary).toMatchObject({ stopped, judged: judgedCount, blocked });
  });

test('a list is swept to its end if the second page fails once, and is an error if it fails each time', async () => {
  const failSecondPage = (failureCount: number): CreateFaultyPage => {
    let remainingFailures = failureCount;
    return ({ offset }) => {
      if (offset !== 1) return undefined;
      remainingFailures -= 1;
      return remainingFailures < 0 ? undefined : serverError;
    };
  };
  const sweepWithFailures = (count: number) =>
    sweepList({ population: 500, offset: 'pages', createFaultyPage: failSecondPage(count) });
  expect((await sweepWithFailures(1)).summary).toMatchObject({ judged: 500, population: 500, blocked: [] });
  const { summary } = await sweepWithFailures(Number.POSITIVE_INFINITY);
  expect(summary).toMatchObject({ judged: 0, stopped: expect.stringMatching(unclearUnit) });
});

test('an outage of three requests while a sweep is planned is an error, and no end of the list', async () => {
  let failureCount = 0;
  const createFaultyPage: CreateFaultyPage = ({ offset }) => {
    if (offset === 0 || failureCount === 3) return undefined;
    failureCount += 1;
    return json(502, {});
  };
  const { summary } = await sweepList({ population: 5_000, offset: 'pages', createFaultyPage });
  expect(summary).toMatchObject({ judged: 0, stopped: expect.stringMatching(unclearUnit) });
});

test('a violation at the first attempt of a page is reported, although the second attempt has none', async () => {
  let requestCount = 0;
  const nullList = json(200, { code: 200, message: 'ok', data: { customers: null } });
  const createFaultyPage: CreateFaultyPage = ({ offset }) => {
    if (offset !== 200) return undefined;
    requestCount += 1;
    // The first request belongs to the plan of the sweep.
    return requestCount === 2 ? nullList : undefined;
  };
  const { summary, observations } = await sweepList({ population: 500, createFaultyPage });
  expect(summary).toMatchObject({ judged: 500, blocked: [] });
  const findings = observations.flatMap((observation) => observation.findings);
  expect(findings.map(({ requirement }) => requirement)).toEqual(['listCustomers/data/customers']);
});

test('a sweep that ends at the second attempt of a page has judged the later pages', async () => {
  let attemptCount = 0;
  const createFaultyPage: CreateFaultyPage = ({ start, limit }) => {
    if (start !== 500 || limit !== 10) return undefined;
    attemptCount += 1;
    return attemptCount === 1 ? serverError : ({ blocked: 'gone', notSent: true, status: 0 } as never);
  };
  const { summary } = await sweepList({ population: 2_000, maxLimit: 10, createFaultyPage });
  const stopped = 'too many pages got no usable response: gone';
  const blocked = [{ from: 501, to: 510, reason: stopped }];
  expect(summary).toMatchObject({ stopped, judged: 1_990, blocked });
});

test('a list that grows during its sweep is judged to its end, and the summary says so', async () => {
  const append = (current: readonly Listed[]) => [...current, createListedCustomer(current.length)];
  const insert = (current: readonly Listed[]) => [createListedCustomer(2000 + current.length), ...current];
  for (const change of [append, insert]) {
    const { summary, broken, output } = await sweepList({
      population: 2500,
      changeList: (current, requestNumber) => (requestNumber > 20 ? change(current) : current),
    });
    expect(summary).toMatchObject({ blocked: [], moved: { before: 2500 } });
    expect(summary.judged).toBeGreaterThanOrEqual(2500);
    expect(output).toContain(`sweep: ${summary.judged.toLocaleString('en')} of about 2,500 customers`);
    expect(summary.moved?.after).toBeGreaterThan(2500);
    expect(broken).toEqual({});
  }
});

test('a list that shrinks by more than a tenth during its sweep is an error', async () => {
  const sweepShrinkingList = (share: number, pastEnd: 'empty' | 'rejected') =>
    sweepList({
      population: 2500,
      pastEnd,
      changeList: (current, requestNumber) =>
        requestNumber === 30 ? current.slice(0, share * current.length) : current,
    });
  const { summary } = await sweepShrinkingList(0.95, 'rejected');
  expect(summary).toMatchObject({ blocked: [], moved: { before: 2500, after: 2375 } });
  expect((await sweepShrinkingList(0.5, 'empty')).summary.blocked).toMatchObject([
    { reason: expect.stringContaining('less than nine tenths') },
  ]);
});

test('a sweep stops if the list grows faster than it is read', async () => {
  const changeList = (current: readonly Listed[], requestNumber: number) =>
    customersUpTo(current.length + (requestNumber < 39 ? 0 : 100));
  for (const [judgedCount, sweep] of [
    [1700, {}],
    [900, { shard: { current: 1, total: 2 } }],
  ] as const)
    expect((await sweepList({ population: 300, changeList }, sweep)).summary).toMatchObject({
      judged: judgedCount,
      stopped: 'the list grows faster than it is read',
      blocked: [{ from: 1701, to: undefined }],
    });
});

test('a page that fails after the end of the list is a hole, which no further page follows', async () => {
  const createFaultyPage: CreateFaultyPage = ({ start, requestNumber }) =>
    start >= 300 && requestNumber >= 39 ? serverError : undefined;
  const { blocked, moved } = (await sweepList({ population: 300, createFaultyPage })).summary;
  expect(blocked).toEqual([{ from: 301, to: 400, reason: 'the target responded with HTTP 500' }]);
  expect(moved).toBeUndefined();
});

test('a page without a list after the end does not make the list longer', async () => {
  const createFaultyPage: CreateFaultyPage = ({ start, requestNumber }) =>
    start >= 250 && requestNumber >= 39 ? noList : undefined;
  const { summary } = await sweepList({ population: 250, createFaultyPage });
  expect(summary).toMatchObject({ judged: 250, population: 250 });
  expect(summary.moved).toBeUndefined();
});

test('a last page that fails does not change the length of the list', async () => {
  const createFaultyPage: CreateFaultyPage = ({ start, requestNumber }) =>
    start === 300 && requestNumber >= 30 ? serverError : undefined;
  const { summary } = await sweepList({ population: 301, createFaultyPage });
  expect(summary).toMatchObject({ judged: 300, population: 301 });
  expect(summary.blocked).toEqual([{ from: 301, to: 301, reason: 'the target responded with HTTP 500' }]);
  expect(summary.moved).toBeUndefined();
});

const unique = 'listCustomers/rules/uuid-is-unique';
const fiveHundredCustomers = customersUpTo(500);

function copyUuid(toIndex: number, fromIndex: number): Listed[] {
  const uuid = fiveHundredCustomers[fromIndex]?.uuid ?? '';
  return fiveHundredCustomers.map((listedCustomer, index) =>
    index === toIndex ? { ...listedCustomer, uuid } : listedCustomer,
  );
}

test('two customers with one uuid are a violation at any distance', async () => {
  for (const original of [449, 9]) {
    const { broken, summary } = await sweepList({ population: copyUuid(450, original) });
    expect(broken).toEqual({ [unique]: [1, 451] });
    expect(summary.judged).toBe(500);
  }
  const tenWithOneUuid = fiveHundredCustomers.map((listedCustomer, place) =>
    place % 50 === 49 ? { ...listedCustomer, uuid: fiveHundredCustomers[49]?.uuid ?? '' } : listedCustomer,
  );
  const { broken, summary } = await sweepList({ population: tenWithOneUuid });
  expect([broken[unique]?.[1], summary.judged, summary.moved]).toEqual([100, 500, undefined]);
});

test('a customer who is shown twice is a duplicate, and no violation', async () => {
  const { broken, summary } = await sweepList({
    population: [...fiveHundredCustomers, createListedCustomer(9)],
  });
  expect(broken).toEqual({});
  expect(summary).toMatchObject({ judged: 500, moved: { repeated: 1 } });
});

test('a list that shows broken records again has no more broken than judged records', async () => {
  const broken = fiveHundredCustomers.map((listedCustomer) => ({ ...listedCustomer, dial_code: null }));
  const { shares } = await sweepList({ population: [...broken, ...broken.slice(8, 9)] });
  expect(shares[`${customer}/dial_code`]).toMatchObject({ judged: 500, broken: 500 });
});

test('a shared uuid that the target shows only once is undecided', async () => {
  let times = 0;
  const { broken, observations } = await sweepList({
    population: fiveHundredCustomers,
    createFaultyPage: ({ start, limit }) => {
      if (start !== 400 || limit !== 100) return undefined;
      times += 1;
      // The end of the list is requested before the sweep requests the page.
      return times <= 2 ? copyUuid(450, 9).slice(400) : undefined;
    },
  });
  expect(broken).toEqual({});
  expect(observations.some(({ undecided }) => undecided?.[unique])).toBe(true);
});

test('a sweep reports pages that overlap as records that were shown again', async () => {
  const customers = customersUpTo(300);
  const createFaultyPage: CreateFaultyPage = ({ start, end }) =>
    start < 100 ? undefined : customers.slice(start - 1, end - 1);
  const { summary } = await sweepList({ population: customers, createFaultyPage });
  expect(summary.moved).toEqual({ repeated: 1, before: 301, after: 301 });
  expect(describeSweep(summary)[1]).toBe(
    'the list of customers showed 1 record again: it changed while it was read, or its pages overlap, so that some may not have been seen',
  );
});

test('the progress of a sweep is shown every five seconds', () => {
  const [shownAt, { now }] = [[] as number[], performance];
  let seconds = 0;
  performance.now = () => 1000 * seconds;
  const progress = new Progress(() => shownAt.push(seconds));
  const state = { noun: 'customers', records: 1, total: 9, violations: 0 };
  for (seconds of [4.9, 5, 9.9, 10.3, 10.4]) progress.show(state);
  performance.now = now;
  expect(shownAt).toEqual([5, 10.3]);
});
