import { expect, test } from '@playwright/test';
import {
  computeChanceOfAtMost,
  computeUpperBound,
  computeUpperBoundByPages,
} from '../../../src/sweep/bounds.ts';
import { drawNumbers } from '../../../src/sweep/paging.ts';
import {
  addBroken,
  computeShare,
  countViolations,
  createEmptyCounts,
  describeShare,
  describeSweep,
  formatUpperBound,
  type SweepResult,
  summarizeSweep,
} from '../../../src/sweep/summary.ts';
import { json } from '../harness/examples.ts';
import type { ListOptions } from '../harness/list-provider.ts';
import { createPopulation } from '../mock/population.ts';
import { createPlantedFault } from '../proof/named-faults.ts';
import { sweepList, sweepMock } from './sweep-run.ts';

const customer = 'listCustomers/data/customers/*';
const faults = [createPlantedFault('customer: phone is null', 50)];

/** Hypergeometric chances that a sample contains at most `maxBroken` broken records. */
const chances: [
  maxBroken: number,
  populationSize: number,
  broken: number,
  sampleSize: number,
  chance: number,
][] = [
  [0, 200, 3, 50, 0.4197502664839348],
  [2, 200, 30, 50, 0.006727087682503382],
  [7, 90, 80, 9, 0.26120523814314855],
  [11, 120, 60, 20, 0.7684221549193446],
  [1, 40, 39, 2, 0.05],
  [40, 150, 100, 60, 0.5685760036795434],
  [0, 1_567_049, 209_547, 1, 1 - 209_547 / 1_567_049],
];

test('the chance that a sample holds so few broken units is exact', () => {
  for (const [maxBroken, populationSize, broken, sampleSize, chance] of chances) {
    const name = `${maxBroken} of ${sampleSize}, ${broken} of ${populationSize}`;
    expect(computeChanceOfAtMost(maxBroken, populationSize, broken, sampleSize), name).toBeCloseTo(
      chance,
      12,
    );
  }
});

test('a bound is the largest share with which so few broken units are drawn with a chance above 5 %', () => {
  // 28 of 1,000: R computes phyper(0, 28, 972, 100) = 0.0501.
  expect(computeUpperBound({ sampleSize: 100, broken: 0, populationSize: 1000 })).toBe(0.028);
  expect(computeUpperBound({ sampleSize: 1000, broken: 3, populationSize: 1000 })).toBe(0.003);
  expect(computeUpperBound({ sampleSize: 0, broken: 0, populationSize: 1000 })).toBe(1);
  expect(computeUpperBound({ sampleSize: 7, broken: 7, populationSize: 1000 })).toBe(1);
  expect(computeUpperBoundByPages({ sampleSize: 7, broken: 7, populationSize: 10 }, 50, 480)).toBe(1);
  // The bound counts pages, and each record of a broken page may be broken.
  const pages = computeUpperBound({ sampleSize: 20, broken: 1, populationSize: 400 });
  expect(computeUpperBoundByPages({ sampleSize: 20, broken: 1, populationSize: 400 }, 50, 19_990)).toBe(
    (pages * 20_000) / 19_990,
  );
});

test('a seed always draws the same numbers, each of them once', () => {
  expect(drawNumbers(5, 1000, 42)).toEqual([174, 446, 598, 669, 850]);
  expect(drawNumbers(50, 1000, 43)).not.toEqual(drawNumbers(50, 1000, 42));
  expect(new Set(drawNumbers(990, 1000, 1)).size).toBe(990);
  expect(drawNumbers(10, 10, 5)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a sample has a bound, except for a rule between records, and its seed repeats the sample', async () => {
  const options = { store: createPopulation({ customers: 3000, faults }) };
  const env = { SWEEP: '200:42' };
  const { summary, shares, output, sent: requests } = await sweepMock(options, { env });
  const share = shares[`${customer}/phone`];
  expect(summary).toMatchObject({ mode: 'sample', seed: 42, judged: 200, population: 3000, blocked: [] });
  expect(share?.broken).toBeGreaterThan(0);
  expect(share?.upperBound).toBeGreaterThan(0.02);
  expect(share?.upperBound).toBeLessThan(0.1);
  expect(shares[`${customer}/uuid`]?.upperBound).toBe(
    computeUpperBound({ sampleSize: 200, broken: 0, populationSize: 3000 }),
  );
  expect(shares['listCustomers/rules/uuid-is-unique']).toMatchObject({ judged: 200, broken: 0 });
  expect(shares['listCustomers/rules/uuid-is-unique']).not.toHaveProperty('upperBound');
  expect(output).toContain('sweep: 3,000 customers, a sample of 200 records (seed 42): 200 more requests');
  expect(output).toContain('sweep: 200 of about 200 customers');
  const repetition = await sweepMock(options, { env });
  expect(repetition.shares).toEqual(shares);
  expect(repetition.sent).toEqual(requests);
});

test('a bound is rounded up', () => {
  const percentages = [0.0018298, 0.0019, 0.00999, 0.0995, 0.999, 1, 1.2001e-9, 0.028].map(formatUpperBound);
  expect(percentages).toEqual(['0.19 %', '0.19 %', '1 %', '10 %', '100 %', '100 %', '0.00000013 %', '2.8 %']);
});

test('a share names the number of records, the broken ones, and the bound', () => {
  const conforming = { judged: 5000, broken: 0, records: 'customers' };
  expect(describeShare(conforming)).toBe('none of 5,000 customers');
  expect(describeShare({ ...conforming, upperBound: 6e-4 })).toMatch(
    /^none of 5,000 .*; with 95 % .* 0\.06 % of/,
  );
  expect(describeShare({ ...conforming, judged: 1, broken: 1, first: [7] })).toMatch(
    /^1 of 1 .*\(100 %\), first at number 7$/,
  );
});

test('a list without pages of one record is sampled by whole pages, and the bound counts pages', async () => {
  const listOfTens = { population: 3000, limit: 'rejected below', defaultLimit: 10 } as const;
  const { summary, shares } = await sweepList(listOfTens, { env: { SWEEP: '500:3' } });
  const bound = computeUpperBoundByPages({ sampleSize: 5, broken: 0, populationSize: 30 }, 100, 3000);
  expect(summary).toMatchObject({ mode: 'sample', judged: 500, pages: 5, population: 3000 });
  expect(shares[`${customer}/uuid`]?.upperBound).toBe(bound);
});

/** Sample size and number of requests that may fail: `[1500, 150]`. */
const failingSamples: [sampleSize: number, failedRequests: number][] = [
  // A tenth of the sample, but at least 100.
  [150, 100],
  [1500, 150],
];

for (const [sampleSize, failedRequests] of failingSamples)
  test(`a sample of ${sampleSize} ends when more than ${failedRequests} of its requests fail`, async () => {
    let singleRecordCount = 0;
    const { summary } = await sweepList(
      {
        population: 12_000,
        maxLimit: 10,
        createFaultyPage: ({ limit }) => {
          if (limit === 1) singleRecordCount += 1;
          // The first request with `limit=1` shows whether the target supports it.
          return limit === 1 && singleRecordCount > 1 ? json(500, {}) : undefined;
        },
      },
      { env: { SWEEP: `${sampleSize}:42` } },
    );
    const drawnNumbers = drawNumbers(sampleSize, 12_000, 42);
    const reason = 'too many pages got no usable response: the target responded with HTTP 500';
    const from = Number(drawnNumbers[failedRequests]) + 1;
    expect(summary).toMatchObject({ judged: 0, stopped: reason });
    const failedRanges = summary.blocked.slice(0, -1);
    const listedNumbers = failedRanges.flatMap(({ from: first, to: last = first }) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    expect(listedNumbers).toEqual(drawnNumbers.slice(0, failedRequests).map((index) => index + 1));
    expect(summary.blocked.at(-1)).toEqual({ from, to: undefined, reason });
  });

test('a sample larger than the list is a sweep of the whole list', async () => {
  const { summary, shares } = await sweepList({ population: 150 }, { env: { SWEEP: '151' } });
  expect(summary).toMatchObject({ mode: 'all', judged: 150, population: 150 });
  expect(shares[`${customer}/uuid`]).not.toHaveProperty('upperBound');
});

test('a sample has no bound if records are missing or the list changed', () => {
  const failedRanges = Array.from({ length: 22 }, (_, index) => createRange(2 * index, 2 * index));
  const population = { by: 'records' as const, of: 1000, size: 20, seed: 1, sampleSize: 100 };
  const sample = { ...wholeList, sample: population };
  const rule = 'listCustomers/*/rule';
  expect(computeShare(sample, rule, true)?.upperBound).toBe(0.028);
  for (const [changes, reason] of [
    [{ failedRanges }, 'the sample lacks some of those that were drawn'],
    [{ duplicates: 1 }, 'their list changed'],
  ] as const) {
    expect(computeShare({ ...sample, ...changes }, rule, true)).not.toHaveProperty('upperBound');
    const sentences = describeSweep(summarizeSweep({ ...sample, ...changes }));
    expect(sentences.at(-1)).toBe(`no bound is stated for all customers: ${reason}`);
    if ('failedRanges' in changes)
      expect(sentences.slice(20, 22)).toEqual([
        'not judged: customers, number 38: failed',
        'not judged: 2 ranges more, all in conformance.json',
      ]);
  }
});

const wholeList: SweepResult = {
  ...createEmptyCounts(),
  populationSize: 100,
  judged: 100,
  pages: 5,
  lastReceived: 100,
  operation: 'listCustomers',
  noun: 'customers',
  journal: '',
  list: { pointer: '', between: [] },
};
const createRange = (from: number, to: number | undefined, reason = 'failed') => ({ from, to, reason });
const unordered = [createRange(91, 100, 'other'), createRange(71, 90), createRange(50, 70)];
const shorterReason = 'the list became shorter';

/**
 * Changes of the result of a complete sweep of 100 records, and its summary: length of the list, then each unjudged range with
 * its reason. The length is `undefined` if it is unknown or changed during the sweep; `, then 90` is the later length.
 */
const results: [changes: Partial<SweepResult>, summaryText: string][] = [
  [{ failedRanges: unordered }, '100 50-90 failed 91-100 other'],
  [
    { failedRanges: [createRange(91, undefined)], judged: 90, lastReceived: 90 },
    'undefined 91-undefined failed',
  ],
  [
    // Two shards that both failed at the end of the list.
    { failedRanges: [createRange(81, undefined), createRange(81, undefined)], judged: 80, lastReceived: 80 },
    'undefined 81-undefined failed',
  ],
  [{ shortPageRanges: [createRange(91, 100)], judged: 90, lastReceived: 90 }, 'undefined, then 90'],
  [{ shortPageRanges: [createRange(91, 100)], judged: 90 }, '100 91-100 failed'],
  [{ failedRanges: [createRange(1, 20), createRange(6, 10)] }, '100 1-20 failed'],
  [{ judged: 79, failedRanges: [createRange(1, 10)] }, `100 1-10 failed 90-100 ${shorterReason}`],
  [{ judged: 89 }, `100 90-100 ${shorterReason}`],
  [{ judged: 8, populationSize: 10, lastReceived: 10 }, '10'],
  [{ judged: 7, populationSize: 10, lastReceived: 10 }, `10 8-10 ${shorterReason}`],
];

for (const [changes, summaryText] of results)
  test(`a summary lists the ranges that were not judged: ${summaryText}`, () => {
    const { population, blocked, moved: change } = summarizeSweep({ ...wholeList, ...changes });
    const ranges = blocked.map(({ from, to, reason }) => ` ${from}-${to} ${reason.split(',')[0]}`);
    const laterPopulation = change ? `, then ${change.after}` : '';
    expect(`${population}${ranges.join('')}${laterPopulation}`).toBe(summaryText);
  });

test('a sample whose last page is too short says that the list changed', () => {
  const shorter = {
    sample: { by: 'records' as const, of: 100, size: 20, seed: 1, sampleSize: 100 },
    shortPageRanges: [createRange(100, 100)],
    lastReceived: 99,
    judged: 99,
  };
  // The length at the end is unknown.
  expect(describeSweep(summarizeSweep({ ...wholeList, ...shorter })).slice(0, 2)).toEqual([
    '99 customers, drawn at random (seed 1), were judged',
    'the list of customers changed while it was read, so that some may not have been seen',
  ]);
});

test('a sample is an error if more than a tenth of it is missing because the list became shorter', async () => {
  const drawnIndices = drawNumbers(50, 450, 42);
  for (const [judgedCount, blockedCount] of [
    [48, 0],
    [40, 10],
  ] as const) {
    let isEmptied = false;
    const emptiedList: ListOptions = {
      population: 450,
      // As in a search index that is being rebuilt.
      changeList: (customers) => (isEmptied ? [] : customers),
      createFaultyPage: ({ limit, offset }) => {
        if (limit === 1 && offset === drawnIndices[judgedCount - 1]) isEmptied = true;
        return undefined;
      },
    };
    const { summary } = await sweepList(emptiedList, { env: { SWEEP: '50:42' } });
    expect(summary).toMatchObject({ judged: judgedCount, moved: { repeated: 0, before: 450 } });
    const missed = summary.blocked.reduce((sum, { from, to = from }) => sum + to - from + 1, 0);
    expect(missed).toBe(blockedCount);
  }
});

test('a summary counts the lines of a file without a record', () => {
  const { list: _, ...linesOfFile } = { ...wholeList, judged: 1, pages: 2 };
  const [sentence] = describeSweep(summarizeSweep(linesOfFile));
  expect(sentence).toBe('1 of 100 customers have a record; for 1, the response shows none');
});

test('broken records are added up, with the first places', () => {
  const page = { records: 2, first: [9, 30], pages: 1 };
  const sums = { rule: page };
  addBroken(sums, 'rule', { records: 5, first: [1, 2, 3, 40], pages: 2 });
  expect(sums.rule).toEqual({ records: 7, first: [1, 2, 3, 9, 30], pages: 3 });
  expect(countViolations({ brokenRecords: { page, ...sums } })).toBe(9);
});
