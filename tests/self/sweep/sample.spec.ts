import { expect, test } from '@playwright/test';
import { hypergeometric, upperBound, upperBoundByPages } from '../../../src/sweep/bounds.ts';
import { draw } from '../../../src/sweep/paging.ts';
import {
  noCounts,
  percentageAbove,
  type SweepResult,
  shareOf,
  summaryOfSweep,
  sumOfBroken,
  sweepSentences,
  sweptText,
  violationsIn,
} from '../../../src/sweep/summary.ts';
import { planted } from '../proof/named-faults.ts';
import { sweepList, sweepMock } from './sweep-run.ts';

const customer = 'listCustomers/data/customers/*';
const faults = [planted('customer: phone is null', 50)];

/** The chance to draw at most `k` broken ones, by whole numbers of any length: where none, few, most or all are broken, and one of millions is drawn. */
const chances: [k: number, of: number, broken: number, drawn: number, chance: number][] = [
  [0, 200, 3, 50, 0.4197502664839348],
  [2, 200, 30, 50, 0.006727087682503382],
  [7, 90, 80, 9, 0.26120523814314855],
  [11, 120, 60, 20, 0.7684221549193446],
  [1, 40, 39, 2, 0.05],
  [40, 150, 100, 60, 0.5685760036795434],
  [0, 1_567_049, 209_547, 1, 1 - 209_547 / 1_567_049],
];

test('the chance to draw at most so many broken ones is exact', () => {
  for (const [k, of, broken, drawn, chance] of chances)
    expect(hypergeometric(k, of, broken, drawn), `${[k, of, broken, drawn]}`).toBeCloseTo(chance, 12);
});

test('a bound is the greatest number of which so few are drawn with a chance above 5 %', () => {
  // Of 1,000: 28 (R: phyper(0, 28, 972, 100)).
  expect(upperBound({ drawn: 100, broken: 0, of: 1000 })).toBe(0.028);
  expect(upperBound({ drawn: 1000, broken: 3, of: 1000 })).toBe(0.003);
  expect(upperBound({ drawn: 0, broken: 0, of: 1000 })).toBe(1);
  expect(upperBound({ drawn: 7, broken: 7, of: 1000 })).toBe(1);
  expect(upperBoundByPages({ drawn: 7, broken: 7, of: 10 }, 50, 480)).toBe(1);
  // Of 20 pages of 400, and each record of these may be broken.
  const pages = upperBound({ drawn: 20, broken: 1, of: 400 });
  expect(upperBoundByPages({ drawn: 20, broken: 1, of: 400 }, 50, 19_990)).toBe((pages * 20_000) / 19_990);
});

test('the same seed draws the same, each number once', () => {
  expect(draw(5, 1000, 42)).toEqual([174, 446, 598, 669, 850]);
  expect(draw(50, 1000, 43)).not.toEqual(draw(50, 1000, 42));
  expect(new Set(draw(990, 1000, 1)).size).toBe(990);
  expect(draw(10, 10, 5)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a sample says what it is worth, of a rule between records without a bound, and its seed repeats it', async () => {
  const options = { population: { customers: 3000, faults } };
  const env = { SWEEP: '200:42' };
  const { summary, shares, said, sent } = await sweepMock(options, { env });
  const share = shares[`${customer}/phone`];
  expect(summary).toMatchObject({ mode: 'sample', seed: 42, judged: 200, population: 3000, blocked: [] });
  expect(share?.broken).toBeGreaterThan(0);
  expect(share?.upperBound).toBeGreaterThan(0.02);
  expect(share?.upperBound).toBeLessThan(0.1);
  expect(shares[`${customer}/uuid`]?.upperBound).toBe(upperBound({ drawn: 200, broken: 0, of: 3000 }));
  expect(shares['listCustomers/rules/uuid-is-unique']).toMatchObject({ judged: 200, broken: 0 });
  expect(shares['listCustomers/rules/uuid-is-unique']).not.toHaveProperty('upperBound');
  expect(said).toContain('sweep: 200 customers at random of 3,000 (seed 42): 200 more requests');
  expect(said).toContain('sweep: 200 of about 200 customers');
  const again = await sweepMock(options, { env });
  expect(again.shares).toEqual(shares);
  expect(again.sent).toEqual(sent);
});

test('a bound is never shown as less than it is', () => {
  const shown = [0.0018298, 0.0019, 0.00999, 0.0995, 0.999, 1, 1.2001e-9, 0.028].map(percentageAbove);
  expect(shown).toEqual(['0.19 %', '0.19 %', '1 %', '10 %', '100 %', '100 %', '0.00000013 %', '2.8 %']);
});

test('of a rule that is kept it is said by how many, and with a bound how many at most break it', () => {
  const kept = { judged: 5000, broken: 0, records: 'customers' };
  expect(sweptText(kept)).toBe('none of 5,000 customers');
  expect(sweptText({ ...kept, upperBound: 6e-4 })).toMatch(/^none of 5,000 .*; with 95 % .* 0\.06 % of/);
  expect(sweptText({ ...kept, judged: 1, broken: 1, first: [7] })).toMatch(/^1 of 1 .*\(100 %\), .* 7 of/);
});

test('of a list that shows no single records, whole pages are drawn, and the bound counts pages', async () => {
  const ofTen = { population: 3000, limit: 'rejected below', defaultLimit: 10 } as const;
  const { summary, shares } = await sweepList(ofTen, { env: { SWEEP: '500:3' } });
  const bound = upperBoundByPages({ drawn: 5, broken: 0, of: 30 }, 100, 3000);
  expect(summary).toMatchObject({ mode: 'sample', judged: 500, pages: 5, population: 3000 });
  expect(shares[`${customer}/uuid`]?.upperBound).toBe(bound);
  const more = await sweepList({ population: 150 }, { env: { SWEEP: '151' } });
  expect(more.summary).toMatchObject({ mode: 'all', judged: 150, population: 150 });
  expect(more.shares[`${customer}/uuid`]).not.toHaveProperty('upperBound');
});

test('of a sample that lacks some that were drawn, or of a list that has changed, no bound is stated', () => {
  const failed = Array.from({ length: 22 }, (_, index) => range(2 * index, 2 * index));
  const drawn = { by: 'records' as const, of: 1000, size: 20 };
  const sample = { ...whole, mode: 'sample' as const, drawn };
  const rule = 'listCustomers/*/rule';
  expect(shareOf(sample, rule, true)?.upperBound).toBe(0.028);
  for (const [lack, says] of [
    [{ failed }, 'the sample lacks some of those that were drawn'],
    [{ repeated: 1 }, 'their list changed'],
  ] as const) {
    expect(shareOf({ ...sample, ...lack }, rule, true)).not.toHaveProperty('upperBound');
    const sentences = sweepSentences(summaryOfSweep({ ...sample, ...lack }));
    expect(sentences.at(-1)).toBe(`no bound is stated for all customers: ${says}`);
    if ('failed' in lack)
      expect(sentences.slice(20, 22)).toEqual([
        'not looked at: customers 38 to 38 of the list: failed',
        'not looked at: 2 ranges more, all in conformance.json',
      ]);
  }
});

/** A list of 100 customers of which all were judged. */
const whole: SweepResult = {
  ...{ ...noCounts(), counted: 100, judged: 100, pages: 5, places: 100, mode: 'all' },
  ...{ operation: 'listCustomers', noun: 'customers', journal: '', list: { pointer: '', between: [] } },
};
const range = (from: number, to: number | undefined, reason = 'failed') => ({ from, to, reason });
const unordered = [range(91, 100, 'other'), range(71, 90), range(50, 70)];
const shorter = 'the list became shorter';

/** What a sweep has added up, and what is said of it: how many there are, what was not seen, and how many there were at the end. */
const added: [changes: Partial<SweepResult>, says: string][] = [
  [{ failed: unordered }, '100 50-90 failed 91-100 other'],
  [{ failed: [range(91, undefined)], judged: 90, places: 90 }, 'undefined 91-undefined failed'],
  [{ short: [range(91, 100)], judged: 90, places: 90 }, 'undefined, then 90'],
  [{ short: [range(91, 100)], judged: 90 }, '100 91-100 failed'],
  [{ judged: 79, failed: [range(1, 10)] }, `100 1-10 failed 90-100 ${shorter}`],
  [{ judged: 89 }, `100 90-100 ${shorter}`],
  [{ judged: 8, counted: 10, places: 10 }, '10'],
  [{ judged: 7, counted: 10, places: 10 }, `10 8-10 ${shorter}`],
];

for (const [changes, says] of added)
  test(`what a sweep has not seen: ${says}`, () => {
    const { population, blocked, moved } = summaryOfSweep({ ...whole, ...changes });
    const ranges = blocked.map(({ from, to, reason }) => ` ${from}-${to} ${reason.split(',')[0]}`);
    expect(`${population}${ranges.join('')}${moved ? `, then ${moved.after}` : ''}`).toBe(says);
  });

test('of those without a record it is said how many they are', () => {
  const { list: _, ...ofLines } = { ...whole, judged: 1, pages: 2 };
  const [sentence] = sweepSentences(summaryOfSweep(ofLines));
  expect(sentence).toBe('2 of 100 customers were answered, 1 of them with a record');
});

test('records that break a rule are added up, with the first of them', () => {
  const one = { records: 2, first: [9, 30], pages: 1 };
  const sum = sumOfBroken(one, { records: 5, first: [1, 2, 3, 40], pages: 2 });
  expect(sum).toEqual({ records: 7, first: [1, 2, 3, 9, 30], pages: 3 });
  expect(violationsIn({ broken: { one, sum } })).toBe(9);
});
