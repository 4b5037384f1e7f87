import { identityOf, type ListClient, type PageAnswer } from './list-client.ts';
import type { Paging } from './paging.ts';

/** Page sizes that are tried, the largest first. */
const sizes = [1000, 500, 200, 100, 50, 20, 10];

/** What was found out of a list, or why it cannot be followed. */
export type FoundPaging =
  | { paging: Paging; first: PageAnswer; records: number | undefined; hidden?: string }
  | { problem: string };

/**
 * Finds out the largest page that a target honours, and what `offset` counts, in few requests. `records` is the number of all,
 * where one page holds them; `hidden` is why nothing behind that page can be read, where something may be there.
 */
export async function findPaging(client: ListClient): Promise<FoundPaging> {
  const largest = await largestPage(client);
  if ('problem' in largest) return largest;
  const { size } = largest;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const first = attempt === 0 ? largest.first : await client.page(size, 0);
    const found = await unitOf(client, size, first);
    if (found) return found;
  }
  return { problem: 'the list changes too fast to find out what `offset` counts' };
}

async function largestPage(
  client: ListClient,
): Promise<{ size: number; first: PageAnswer } | { problem: string }> {
  let problem = '';
  for (const size of sizes) {
    const first = await client.page(size, 0);
    // Some targets have fewer, and some ignore `limit`.
    if (first.records) return { size: first.records.length || size, first };
    problem = first.failed ?? 'the response holds no list';
  }
  return { problem: `no page of it was answered: ${problem}` };
}

/** Undefined where the list has changed between two requests, or `offset` is ignored. */
async function unitOf(client: ListClient, size: number, first: PageAnswer): Promise<FoundPaging | undefined> {
  const ids = idsOf(client, first);
  const whole = {
    paging: { size: Math.max(2, size), unit: 'records', overlap: 1, singles: false } satisfies Paging,
    first,
    records: ids.length,
  };
  if (ids.length === 0) return whole;
  const second = await client.page(size, 1);
  const moved = idsOf(client, second);
  const found = async (unit: Paging['unit'], overlap: 0 | 1): Promise<FoundPaging> => ({
    paging: { size, unit, overlap, singles: await honoursOne(client) },
    first,
    records: undefined,
  });
  if (second.failed !== undefined) {
    if (await isAligned(client, size, ids)) return found('records', 0);
    return (await isEmptyBehind(client, ids)) ? whole : { ...whole, hidden: unanswered };
  }
  if (moved.length === 0) return (await showsBehind(client, size)) ? { ...whole, hidden: empty } : whole;
  if (moved[0] === ids[1]) return found('records', 1);
  if (moved[0] === ids[0]) return { ...whole, hidden: ignored };
  return ids.includes(moved[0] ?? '') ? undefined : found('pages', 0);
}

/** Why nothing behind the first page can be read. */
const unanswered = 'no page but the first was answered';
const empty = 'the page at `offset` 1 is empty, though there are records behind it';
const ignored = '`offset` has no effect: only the first page of the list can be read';

/** Some targets accept only multiples of `limit`. */
async function isAligned(client: ListClient, size: number, ids: string[]): Promise<boolean> {
  const known = new Set(ids);
  const aligned = idsOf(client, await client.page(size, size));
  return aligned.length > 0 && !aligned.some((id) => known.has(id));
}

/** Whether there is nothing behind the first page, though `offset` may count either: only single records show that. */
async function isEmptyBehind(client: ListClient, { length }: string[]): Promise<boolean> {
  if (!(await honoursOne(client))) return false;
  const { records, rejected } = await client.page(1, length);
  return rejected === true || records?.length === 0;
}

/** Whether there are records behind the second page, which is empty, whatever `offset` counts. */
async function showsBehind(client: ListClient, size: number): Promise<boolean> {
  for (const offset of [2, 3, size, 2 * size])
    if ((await client.page(size, offset)).records?.length) return true;
  return false;
}

async function honoursOne(client: ListClient): Promise<boolean> {
  return (await client.page(1, 0)).records?.length === 1;
}

const idsOf = ({ list }: ListClient, { records = [] }: PageAnswer) =>
  records.map((record) => identityOf(record, list.key));
