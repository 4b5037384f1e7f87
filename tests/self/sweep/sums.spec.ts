import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { ListEnd } from '../../sweep/paging/list-end.ts';
import type { ListPlan } from '../../sweep/paging/list-plan.ts';
import type { SweepResult } from '../../sweep/results/result.ts';
import { sharesOf } from '../../sweep/results/shares.ts';
import { nothingOf, Tally } from '../../sweep/results/tally.ts';

const tallyOf = () => new Tally(loadContract().operations);

test('a list without an end is left, whatever its pages show', () => {
  const tally = tallyOf();
  const paging = { size: 10, unit: 'records', overlap: 1, singles: true } as const;
  const plan: ListPlan = { paging, records: undefined, isOnePage: false, endless: true };
  const end = new ListEnd(undefined as never, plan, tally);
  const sorted = {
    repeated: new Set<number>(),
    twice: 0,
    twins: [],
    begins: 'as expected',
    shift: 0,
  } as const;
  const stopAt = (held: number) => {
    tally.held = held;
    return end.stopAt(
      { ...nothingOf(9), held: 10, judged: 10 },
      { ...sorted, twins: [], added: new Uint32Array(4) },
    );
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

test('a sample bounds the share of broken records only where it was judged whole, and of no rule between records', () => {
  const [own, between] = ['listCustomers/data/customers/*/email', 'listCustomers/rules/uuid-is-unique'];
  const visited = { [own]: 50, [between]: 50 };
  const sample: Omit<SweepResult, 'shares'> = {
    ...{
      operation: 'listCustomers',
      noun: 'customers',
      pointer: '/data/customers',
      journal: 'x',
      mode: 'sample',
    },
    ...{ judged: 50, population: 500, pages: 50, blocked: [], moved: { repeated: 0, gaps: 0 } },
    ...{ broken: {}, states: {}, exercised: visited, betweenRecords: [between] },
  };
  const bounds = (more: object) =>
    Object.values(sharesOf({ ...sample, ...more })).map(({ upperBound }) => upperBound !== undefined);
  expect(bounds({})).toEqual([true, false]);
  const blocked = [{ from: 1, to: 2, reason: 'down' }];
  for (const more of [{ stopped: 'down' }, { blocked }, { mode: 'all' }])
    expect(bounds(more)).toEqual([false, false]);
});
