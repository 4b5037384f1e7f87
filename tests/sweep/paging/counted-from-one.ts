import type { ListClient } from './list-client.ts';
import { idsOf } from './offset-unit.ts';

/** A list may change while it is looked at: then it is looked at anew. */
const attempts = 3;

/**
 * Whether a list that can be followed from `offset` 1 on begins there, and shows its first page, or none, at `offset` 0.
 * @param one requests pages counted from 1
 * @param isWhole whether the first of them holds all records
 */
export async function isCountedFromOne(
  one: ListClient,
  { size, unit }: { size: number; unit: 'records' | 'pages' },
  isWhole: boolean,
): Promise<boolean> {
  const look = unit === 'records' && !isWhole ? isSameAtZero : isFirstAtOne;
  for (let attempt = 0; attempt < attempts; attempt += 1) if (await look(one, size, isWhole)) return true;
  return false;
}

const idsAt = async (one: ListClient, size: number, offset: number) =>
  idsOf(one, await one.page(size, offset));

/**
 * Whether `offset` 0 and 1 show the same page. If a record was added meanwhile, 0 does not show that page again; if `offset` is
 * rounded down, 2 does not begin with its second record.
 */
async function isSameAtZero(one: ListClient, size: number): Promise<boolean> {
  const [shown, ids] = [await idsAt(one, size, atZero), await idsAt(one, size, 0)];
  const [next = ids[1]] = await idsAt(one, size, 1);
  const again = await idsAt(one, size, atZero);
  return ids.length > 0 && next === ids[1] && [shown, again].every((same) => same.join() === ids.join());
}

/** `offset` 0, as it is counted from 1. */
const atZero = -1;

/** Whether the page at `offset` 1 is the first one. */
async function isFirstAtOne(one: ListClient, size: number, isWhole: boolean): Promise<boolean> {
  const [shown, ids] = [await idsAt(one, size, atZero), await idsAt(one, size, 0)];
  const isShownAtZero = ids.length > 0 && shown.join() === ids.join();
  if (!isShownAtZero && (shown.length > 0 || ids.length < 2)) return false;
  // Counted from 0, this page would begin at another place where it is shorter.
  const [begin] = await idsAt(one, Math.ceil(ids.length / 2), 0);
  const second = isWhole ? [] : await idsAt(one, size, 1);
  return begin === ids[0] && !second.some((id) => ids.includes(id));
}
