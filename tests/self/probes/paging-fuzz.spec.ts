import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { json } from '../harness/examples.ts';
import { randomOf, runs, seed } from '../soak.ts';
import { type PagingRun, runAgainstPages } from './paging-client.ts';
import { oddPages } from './paging-oddities.ts';
import {
  anyChange,
  conformingPaging,
  list,
  movingPages,
  type Pages,
  type Paging,
  pagesOf,
} from './paging-provider.ts';

test.setTimeout(3_600_000);

/** Long enough for any run without network; a run that waits for itself never ends. */
const timeout = 5_000;
const maxPages = fc.integer({ min: 1, max: 4 });
const settings = (inGate: number) => ({ seed, numRuns: runs(inGate), timeout });

/** What is found of customers, listed or looked up. */
const findingsOf = ({ observations }: PagingRun) =>
  observations
    .filter(({ operation }) => ['listCustomers', 'getCustomer'].includes(operation))
    .flatMap(({ findings }) => findings)
    .map(({ exchange, expected, actual }) => ({ exchange, expected, actual }));

function expectBounded({ sent, again, maxRequests }: PagingRun): void {
  expect(sent.length).toBeLessThanOrEqual(maxRequests);
  const repeated = sent.filter((path, index) => sent.indexOf(path) !== index).length;
  // A longer page at the place of another one is the first of its kind.
  const longer = new Set(sent.filter((path) => path.includes('limit=100'))).size;
  expect(again).toBeGreaterThanOrEqual(repeated);
  expect(again).toBeLessThanOrEqual(repeated + longer);
}

test('no way of paging that keeps the contract is a finding', async () => {
  const property = fc.asyncProperty(conformingPaging, maxPages, async (paging, max) => {
    const run = await runAgainstPages(pagesOf(paging), max);
    expect(findingsOf(run)).toEqual([]);
    expectBounded(run);
  });
  await fc.assert(property, settings(40));
});

test('a customer who comes or goes at any request is no finding, however the list is paged', async () => {
  // Of a list that is shorter than a page, `multiples` depends on how long it was.
  const paged = conformingPaging.filter(({ limit }) => limit !== 'multiples');
  const property = fc.asyncProperty(paged, maxPages, anyChange, async (paging, max, change) => {
    const { pages, knows } = movingPages(paging, change);
    const run = await runAgainstPages(pages, max, knows);
    expect(findingsOf(run)).toEqual([]);
    expectBounded(run);
  });
  await fc.assert(property, settings(40));
});

test('every run ends with no more requests than announced, for any pages', async () => {
  const share = fc.constantFrom(0.02, 0.1, 0.3, 0.7, 1);
  const property = fc.asyncProperty(
    conformingPaging,
    maxPages,
    share,
    fc.nat(),
    async (paging, max, odd, from) => {
      expectBounded(await runAgainstPages(oddPages(pagesOf(paging), odd, randomOf(from)), max));
    },
  );
  await fc.assert(property, settings(60));
});

const rejected = json(400, { code: 400, message: 'no', data: null });

/** Pages of a provider that does not accept a parameter at all. */
const rejecting =
  (name: string, pages: Pages): Pages =>
  (query) =>
    query.has(name) ? rejected : pages(query);

/** Lists of which the half is there as asked: then nothing excuses that it is rejected. */
const isHalved = ({ limit, total }: Paging) => limit === 'any' && total > 1;

for (const [name, isJudged] of [
  ['limit', () => true],
  ['offset', isHalved],
] as const) {
  test(`a provider that always rejects ${name} is found, however it pages`, async () => {
    const property = fc.asyncProperty(conformingPaging.filter(isJudged), async (paging) => {
      const findings = findingsOf(await runAgainstPages(rejecting(name, pagesOf(paging)), 2));
      expect(findings.map(({ exchange }) => exchange)).toContainEqual(expect.stringContaining(`?${name}=`));
    });
    await fc.assert(property, settings(15));
  });
}

test('an operation that answers nothing is given up', async () => {
  const run = await runAgainstPages(() => ({ blocked: 'no complete answer within 1 ms' }), 4);
  const lists = run.sent.filter((path) => /customers(\?|$)/.test(path));
  // Three without an answer, and what was under way beside them.
  expect(lists.length).toBeLessThanOrEqual(3 + 3);
});

test('a target that always lists something new gets as many requests as announced', async () => {
  let count = 0;
  const fresh: Pages = () => {
    count += 1;
    const one = { uuid: `cus-${count}`, dial_code: '+1', reference_number: 'r', [`field-${count}`]: 1 };
    return list([one, { ...one, uuid: `other-${count}`, [`other-${count}`]: 1 }]);
  };
  const run = await runAgainstPages(fresh, 12);
  expectBounded(run);
  expect(run.sent.filter((path) => /customers\//.test(path)).length).toBe(40);
});
