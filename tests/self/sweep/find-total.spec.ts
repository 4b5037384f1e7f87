import { expect, test } from '@playwright/test';
import { countBySearch } from '../../sweep/paging/find-total.ts';

const listOf = (total: number) => async (place: number) => place < total;

test('records are counted exactly, however many there are', async () => {
  for (const total of [1, 2, 3, 7, 8, 9, 63, 1000, 1001, 123_457])
    expect(await countBySearch(listOf(total), 1)).toBe(total);
});

test('a count that may be imprecise is at most that much too low, in few requests', async () => {
  const asked: number[] = [];
  const isThere = (place: number) => {
    asked.push(place);
    return listOf(987_654)(place);
  };
  const count = await countBySearch(isThere, 1000, 0.01);
  expect(count).toBeGreaterThan(0.99 * 987_654);
  expect(count).toBeLessThanOrEqual(987_654);
  expect(asked.length).toBeLessThanOrEqual(8 * 3);
});

test('nothing is counted where an answer before the end is missing, or there is no end', async () => {
  expect(await countBySearch(async () => true, 1)).toBeUndefined();
  expect(await countBySearch(async (place) => (place < 50 ? true : undefined), 1)).toBeUndefined();
  expect(await countBySearch(async (place) => (place < 4 ? place < 3 : undefined), 1)).toBe(3);
});
