import type { ListClient } from './list-client.ts';
import { type Paging, stepsBehind } from './paging.ts';

/** No list is longer. */
const longest = 2 ** 31;
const farthest = 10 ** 9;

/** Whether there is something at a place; undefined where that cannot be said. */
export type IsThere = (place: number) => Promise<boolean | undefined>;

/** Whether a list has a record at a place. */
export const recordIsThere =
  (client: ListClient): IsThere =>
  (position) =>
    hasRecords(client, 1, position);

/** Whether a list has a page of a number, where `offset` counts them. */
export const pageIsThere =
  (client: ListClient, size: number, step: number): IsThere =>
  (number) =>
    hasRecords(client, size, number * step);

/** Whether a list shows records at a place that no list reaches. */
export const isEndless = async (client: ListClient, { size, unit }: Pick<Paging, 'size' | 'unit'>) =>
  (await hasRecords(client, size, unit === 'records' ? farthest : Math.floor(farthest / size))) === true;

async function hasRecords(client: ListClient, limit: number, offset: number): Promise<boolean | undefined> {
  const { records, rejected } = await client.page(limit, offset);
  return rejected ? false : records && records.length > 0;
}

/** How many places are looked at together: round trips are what takes the time. */
const together = 3;

/**
 * How many there are, by doubling and dividing, some places at a time. Undefined where an answer is missing, or there is no end.
 * @param known how many are known to be there, at least 1
 * @param precision the share of that number that does not matter
 */
export async function countBySearch(
  isThere: IsThere,
  known: number,
  precision = 0,
): Promise<number | undefined> {
  let found: Between | undefined = { min: known, max: Number.POSITIVE_INFINITY };
  while (found && found.max - found.min > Math.max(1, precision * found.min)) {
    const counts = countsBetween(found);
    if (counts.length === 0) return undefined;
    found = await narrowed(isThere, found, counts);
  }
  return found?.min;
}

/** So many are there, and so many are not. */
interface Between {
  min: number;
  max: number;
}

/** Numbers between two, in their order: each twice the one before it while no end is known. */
function countsBetween({ min, max }: Between): number[] {
  const parts = Array.from({ length: together }, (_, index) => index + 1);
  if (max > longest) return parts.map((part) => min * 2 ** part).filter((count) => count < longest);
  const counts = parts.map((part) => min + Math.floor((part * (max - min)) / (together + 1)));
  return [...new Set(counts)].filter((count) => count > min);
}

/** What answers say up to the first place where nothing is; undefined where one of these is missing. */
async function narrowed(
  isThere: IsThere,
  { min, max }: Between,
  counts: number[],
): Promise<Between | undefined> {
  const answers = await Promise.all(counts.map((count) => isThere(count - 1)));
  const end = answers.findIndex((answer) => answer !== true);
  if (end === -1) return { min: counts.at(-1) ?? min, max };
  return answers[end] === undefined ? undefined : { min: counts[end - 1] ?? min, max: counts[end] ?? max };
}

/** How often a count is taken up again: a list that grows meanwhile shows more each time. */
const maxRecounts = 3;

/** Like `countBySearch` to the last one, of a list that may have holes: one of these is not taken for its end. */
export async function countAcrossHoles(isThere: IsThere, known: number): Promise<number | undefined> {
  let count = await countBySearch(isThere, known);
  for (let recount = 0; recount < maxRecounts && count !== undefined; recount += 1) {
    const behind = await placeBehind(isThere, count);
    if (behind === undefined) break;
    count = await countBySearch(isThere, behind + 1);
  }
  return count;
}

/** How far behind a seeming end is looked: to so many times its place. */
const maxTimes = 8;

/** Each place is so many times as far behind it as the one before: what is shorter than a tenth of a hole may be missed. */
const stepFactor = 1.1;

/** A place behind the seeming end at which there is something: farther and farther. */
async function placeBehind(isThere: IsThere, count: number): Promise<number | undefined> {
  const places = stepsBehind((maxTimes - 1) * count, stepFactor).map((step) => count + step);
  const answers = await Promise.all(places.map(isThere));
  return places.find((_, index) => answers[index] === true);
}
