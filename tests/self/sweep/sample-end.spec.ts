import { expect, test } from '@playwright/test';
import { upperBound } from '../../sweep/results/bounds.ts';
import { summaryOfSweep, sweepSentences } from '../../verdict/swept.ts';
import { all, type ShowPage, sweep } from './odd-list.ts';

/* Samples of lists whose end was not seen. */

const env = { SWEEP: '25', SWEEP_SEED: '3' };
const hidden = /^nothing behind number [\d,]+ of the list can be drawn, though it goes on there$/;

/** Targets that show nothing behind a place that they reject: 61 of 137 customers are shown singly. */
const far: [what: string, nothing: ShowPage, showPage: ShowPage][] = (
  [
    ['rejects', () => undefined],
    ['is empty behind', () => []],
  ] as [string, ShowPage][]
).flatMap(([how, nothing]): [string, ShowPage, ShowPage][] => [
  [`${how} large offsets`, nothing, (limit, offset) => all(137).slice(offset, offset + Math.min(50, limit))],
  [
    `${how} large numbers of pages`,
    nothing,
    (limit, page) => all(3000).slice(page * limit, (page + 1) * limit),
  ],
  [
    `${how} large offsets, and shows no single customers`,
    nothing,
    (limit, offset) => (limit < 5 ? undefined : all(137).slice(offset, offset + Math.min(20, limit))),
  ],
]);

for (const [what, nothing, showPage] of far)
  test(`a sample says that nothing is known of what a target that ${what} does not show`, async () => {
    const { result } = await sweep(
      (limit, offset) => (offset > 60 ? nothing(limit, offset) : showPage(limit, offset)),
      env,
    );
    expect(result.stopped).toMatch(hidden);
    expect(result.judged).toBeGreaterThan(10);
    expect(result.population).toBeUndefined();
    expect(result.blocked.at(-1)).toMatchObject({ to: undefined, reason: result.stopped });
    expect(result.shares['listCustomers/data/customers/*/uuid']).not.toHaveProperty('upperBound');
  });

test('a sample of which a window of places is all that can be read says so', async () => {
  const window: ShowPage = (limit, offset) =>
    offset + limit > 1000 ? undefined : all(3000).slice(offset, offset + limit);
  const { result } = await sweep(window, env);
  expect(result.stopped).toMatch(hidden);
  expect(result.blocked).toMatchObject([{ from: 1001 }]);
});

test('a sample of a list that seems to end behind a full page states no number of all', async () => {
  const window: ShowPage = (limit, page) =>
    (page + 1) * limit > 1000 ? undefined : all(3000).slice(page * limit, (page + 1) * limit);
  const { result, said } = await sweep(window, env);
  expect(result).toMatchObject({ judged: 25, places: 1000, endsAtFullPage: true, blocked: [] });
  expect(result.population).toBeUndefined();
  expect(said).toContain('25 customers at random of at least 1,000');
  expect(sweepSentences(summaryOfSweep(result)).join()).toMatch(
    /25 of at least 1,000 .*,the last page of customers is full/,
  );
  expect(result.shares['listCustomers/data/customers/*/uuid']?.upperBound).toBe(
    upperBound({ drawn: 25, broken: 0 }),
  );
});

test('a list that grows while its end is looked for has one', async () => {
  const list = all(400);
  let longAtEnd = 0;
  const { result } = await sweep((limit, offset) => {
    if (limit > 1 && offset > 300) {
      longAtEnd += 1;
      list.push(...all(list.length + 1).slice(-1));
    }
    return list.slice(offset, offset + limit);
  }, env);
  expect(longAtEnd).toBeGreaterThan(0);
  expect(result).toMatchObject({ judged: 25, population: 400, blocked: [] });
  expect(result.stopped).toBeUndefined();
});

test('a list whose last page becomes shorter while its end is looked for has one', async () => {
  const list = all(400);
  let isShorter = false;
  const { result } = await sweep((limit, offset) => {
    if (limit < 5) return undefined;
    if (offset === 399) isShorter = true;
    return list.slice(offset, isShorter ? Math.min(399, offset + limit) : offset + limit);
  }, env);
  expect(isShorter).toBe(true);
  expect(result.blocked).toEqual([]);
  expect(result.stopped).toBeUndefined();
});

test('a customer who was drawn last and is not shown is not gone where others are shown behind', async () => {
  const list = all(400);
  const places: number[] = [];
  await sweep((limit, offset) => {
    places.push(offset);
    return list.slice(offset, offset + limit);
  }, env);
  const last = Math.max(...places.slice(-25));
  let asked = 0;
  const { result } = await sweep((limit, offset) => {
    asked += 1;
    const isDrawing = asked > places.length - 25;
    if (isDrawing && limit === 1 && offset === last) return undefined;
    return list.slice(offset, Math.min(offset + limit, isDrawing && limit > 1 ? last : 400));
  }, env);
  expect(last).toBeLessThan(399);
  expect(result).toMatchObject({ judged: 24, blocked: [{ from: last + 1, to: last + 1 }] });
});
