import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { mergeParts } from '../../sweep/merge/merge-parts.ts';
import { withMissing } from '../../sweep/merge/missing-between.ts';
import { numbersOfRecord, type Sorted } from '../../sweep/pages/sightings.ts';
import { ListEnd } from '../../sweep/paging/list-end.ts';
import type { ListPlan } from '../../sweep/paging/list-plan.ts';
import type { SweepResult } from '../../sweep/results/result.ts';
import { sharesOf } from '../../sweep/results/shares.ts';
import { nothingOf, Tally } from '../../sweep/results/tally.ts';
import { wholeOf } from '../../sweep/results/whole-list.ts';

const tallyOf = () => new Tally(loadContract().operations);

test('a list without an end is left, with pages of any kind', () => {
  const tally = tallyOf();
  const paging = { size: 10, unit: 'records', overlap: 1, singles: true } as const;
  const plan: ListPlan = { paging, records: undefined, isOnePage: false, endless: true };
  const end = new ListEnd(undefined as never, plan, tally);
  const page = { ...nothingOf(9), held: 10, judged: 10 };
  const sorted: Sorted = {
    ...{ repeated: new Set(), twice: 0, twins: [], begins: 'as expected', shift: 0 },
    added: new Uint32Array(numbersOfRecord),
  };
  const stopAt = (held: number) => {
    tally.held = held;
    return end.stopAt(page, sorted);
  };
  expect(stopAt(99_000)).toBeUndefined();
  expect(stopAt(100_000)).toMatch(/^the list has no end/);
});

test('ranges that are not known for different reasons stay apart', () => {
  const tally = tallyOf();
  const range = (from: number, reason: string) => ({ from, to: from + 1, reason });
  const blocked = [range(1, 'down'), range(3, 'down'), range(5, 'rejected')];
  for (const [number, one] of blocked.entries()) tally.add({ ...nothingOf(number), blocked: [one] });
  expect(tally.blocked).toEqual([{ from: 1, to: 4, reason: 'down' }, range(5, 'rejected')]);
});

const [own, between] = ['listCustomers/data/customers/*/email', 'listCustomers/rules/uuid-is-unique'];
const result: Omit<SweepResult, 'shares'> = {
  ...{
    operation: 'listCustomers',
    noun: 'customers',
    pointer: '/data/customers',
    journal: 'x',
    mode: 'sample',
  },
  ...{ judged: 50, pages: 50, blocked: [], moved: { repeated: 0, gaps: 0 } },
  ...{ broken: {}, states: {}, exercised: { [own]: 50, [between]: 50 }, betweenRecords: [between] },
};

test('a sample bounds the share of broken records only where it was judged whole, and of no rule between records', () => {
  const bounds = (more: object) =>
    Object.values(sharesOf({ ...result, population: 500, ...more })).map(
      ({ upperBound }) => upperBound !== undefined,
    );
  expect(bounds({})).toEqual([true, false]);
  const blocked = [{ from: 1, to: 2, reason: 'down' }];
  for (const more of [{ stopped: 'down' }, { blocked }, { mode: 'all' }])
    expect(bounds(more)).toEqual([false, false]);
});

const still = { repeated: 0, gaps: 0 };

test('how many records a list has is certain where it stood still, overlapped, and was judged whole', () => {
  const list = { judged: 50, twice: 0, blocked: [], moved: still, last: 50, places: 50, expected: 50 };
  const said = (more: object) => wholeOf({ ...list, ...more }, 'missed');
  const blocked = [{ from: 1, to: 2, reason: 'down' }];
  const moved = { repeated: 1, gaps: 0 };
  expect(said({})).toEqual({ blocked: [], moved: still, population: 50 });
  expect(said({ withoutOverlap: true })).toEqual({ blocked: [], moved: still });
  expect(said({ moved })).toEqual({ blocked: [], moved });
  expect(said({ blocked, last: 49 })).toEqual({ blocked, moved: still });
  expect(said({ last: 49 })).toEqual({ blocked: [], moved: { repeated: 0, gaps: 1 } });
  expect(said({ last: 49, moved })).toEqual({ blocked: [], moved });
  expect(said({ judged: 45 }).blocked).toEqual([]);
  expect(said({ judged: 43, twice: 1 }).blocked).toEqual([{ from: 45, to: 50, reason: 'missed' }]);
  expect(said({ judged: 3, expected: 5, last: 5, places: 5 }).blocked).toEqual([]);
  expect(said({ judged: 2, expected: 5, last: 5, places: 5 }).blocked).toHaveLength(1);
});

const across = { repeated: 0, twins: [], placeOf: () => undefined };
const merged = (tally: Tally, more: Partial<SweepResult> = {}) =>
  mergeParts([{ ...result, mode: 'all', places: 50, shares: {}, ...more }], tally, across);
const page = { ...nothingOf(0), position: 0, held: 50, judged: 50 };

test('nobody knows how many records a list has of which a part is not there, or whose pages share none', () => {
  const tally = tallyOf();
  tally.add(page);
  const populations = [1, 2].map((total) => merged(tally, { part: { current: 1, total } }).population);
  expect(populations).toEqual([50, undefined]);
  expect(merged(tally, { withoutOverlap: true }).population).toBeUndefined();
});

test('what a short page leaves out is not known where the sweep stops there, and no end is spoken of beside that', () => {
  const tally = tallyOf();
  tally.add({ ...page, leaves: { from: 51, to: 60 } });
  expect(merged(tally).blocked).toEqual([]);
  const [left] = merged(tally, { stopped: 'down' }).blocked;
  expect(left).toMatchObject({ from: 51, to: 60 });
  const drawn = { mode: 'sample', endsAtFullPage: true } as const;
  expect(merged(tally, drawn).endsAtFullPage).toBe(true);
  tally.add({ ...nothingOf(1), blocked: [{ from: 61, to: 70, reason: 'down' }] });
  expect(merged(tally, drawn).endsAtFullPage).toBeUndefined();
});

test('a page that no part has is missing where all parts of the whole list have come to their end', () => {
  const pages = [page, { ...page, number: 2, position: 98 }];
  const one: SweepResult = { ...result, mode: 'all', shares: {}, part: { current: 1, total: 1 } };
  const numbers = (more: Partial<SweepResult> = {}) =>
    [...withMissing(pages, [{ ...one, ...more }])].map(({ number }) => number);
  expect(numbers()).toEqual([0, 1, 2]);
  for (const more of [{ part: { current: 1, total: 2 } }, { stopped: 'down' }, { pointer: '' }])
    expect(numbers(more)).toEqual([0, 2]);
  expect(numbers({ mode: 'sample' })).toEqual([0, 2]);
});

test('parts of a sample stand for as many records as all of them were drawn from', () => {
  const part = { ...result, shares: {}, population: 500 };
  const { population: _, ...unknown } = part;
  const populations = [part, unknown].map((other) => mergeParts([part, other], tallyOf(), across).population);
  expect(populations).toEqual([500, undefined]);
});
