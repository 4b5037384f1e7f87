import { expect, test } from '@playwright/test';
import type { ListPlan } from '../../sweep/paging/list-plan.ts';
import { announcement } from '../../sweep/progress/announcement.ts';
import { Progress } from '../../sweep/progress/progress.ts';

const paging = { size: 1000, unit: 'records', overlap: 1, singles: true } as const;
const plan: ListPlan = { paging, records: 20_000, isOnePage: false };

const announced = (maxRps: number, beginning: Partial<Parameters<typeof announcement>[3]>, total?: number) =>
  announcement(
    plan,
    { noun: 'customers' } as never,
    { target: { maxRps } as never, part: total === undefined ? undefined : { current: 1, total } },
    { next: 0, lookups: 200, ...beginning },
  );

test('the time of a sweep is that of its pages and lookups, as MAX_RPS and the first page pace them', () => {
  const begins = 'sweep: about 20,000 customers, pages of 1,000: ';
  const times: [said: string, expected: string][] = [
    [announced(10, {}), '21 more requests and at most 200 lookups, about 3 s to 23 s at 10 a second'],
    [
      announced(1000, { pageMs: 800 }),
      '21 more requests and at most 200 lookups, about 5 s to 57 s at 1,000 a second',
    ],
    [
      announced(Number.POSITIVE_INFINITY, { pageMs: 2 }),
      '21 more requests and at most 200 lookups, about 1 s',
    ],
    [announced(Number.POSITIVE_INFINITY, {}), '21 more requests and at most 200 lookups'],
  ];
  for (const [said, expected] of times) expect(said).toBe(`${begins}${expected}, on one machine`);
  expect(announced(10, { next: 12, lookups: 7 }, 4)).toBe(
    `${begins}3 more requests and at most 7 lookups, about 1 s at 10 a second, as machine 1 of 4; going on after 12 pages`,
  );
});

test('the first line of progress comes early, and says by the first pages how long the rest takes', () => {
  const now = performance.now;
  let [at, said] = [0, ''];
  performance.now = () => at;
  try {
    const progress = new Progress((text) => {
      said += text;
    }, false);
    progress.begin(0);
    for (at = 500; at <= 40_000; at += 500)
      progress.update({ noun: 'customers', records: at, of: 100_000, violations: 0 });
  } finally {
    performance.now = now;
  }
  expect(said.trim().split('\n')).toEqual([
    'sweep: 2,000 of about 100,000 customers (2 %), 1,000 a second, violations so far: 0, 98 s left',
    expect.stringContaining('sweep: 32,000 of about 100,000 customers (32 %)'),
  ]);
});
