import type { ListClient } from './list-client.ts';
import { idsOf, type Unit } from './offset-unit.ts';

/**
 * How long pages may be of a list that takes each place for the last multiple of some number before it, so that each of them
 * begins where it should; undefined of any other list, and of one that has changed.
 * @param ids of the first page, which the one at `offset` 1 begins like
 */
export async function roundedSize(client: ListClient, ids: string[]): Promise<number | undefined> {
  const shownAt = async (offset: number) => idsOf(client, await client.page(ids.length, offset));
  // What is counted from 1 shows its second record there.
  if (ids.length < 3 || (await shownAt(2))[0] === ids[1]) return undefined;
  const size = ids.indexOf((await shownAt(ids.length - 1))[0] ?? '');
  if (size < 2 || (await shownAt(size))[0] !== ids[size]) return undefined;
  for (const offset of [1, 0]) if ((await shownAt(offset)).join() !== ids.join()) return undefined;
  return size;
}

/** Whether pages far from each other are the same one, so that `offset` has no effect; a list that moves shows something else. */
export async function isSameFarBehind(client: ListClient, { length }: string[]): Promise<boolean> {
  const [far, first] = [await client.page(length, length), await client.page(length, 0)];
  return idsOf(client, far).join() === idsOf(client, first).join();
}

/**
 * What `offset` seems to count in a list that never stands still: a page that begins in the middle of the first one shares
 * about half of it, or nothing; and then the second one shares hardly anything. What was guessed wrong is seen as a list
 * that has moved.
 */
export async function likelyUnit(client: ListClient, size: number): Promise<Unit | undefined> {
  const first = new Set(idsOf(client, await client.page(size, 0)));
  const half = Math.floor(first.size / 2);
  /** The share of the first page that a page shows, too; undefined where it shows nothing. */
  const sharedAt = async (limit: number, offset: number) => {
    const shown = idsOf(client, await client.page(limit, offset));
    return shown.length === 0 ? undefined : shown.filter((id) => first.has(id)).length / first.size;
  };
  const middle = await sharedAt(size, half);
  if (isAboutHalf(middle)) return { unit: 'records', overlap: 1 };
  // Some targets accept only multiples of `limit`.
  if (middle === undefined && isAboutHalf(await sharedAt(half, half))) return { unit: 'records', overlap: 0 };
  const second = middle ? undefined : await sharedAt(size, 1);
  return second !== undefined && second <= 0.25 ? { unit: 'pages', overlap: 0 } : undefined;
}

const isAboutHalf = (share: number | undefined) => share !== undefined && share >= 0.25 && share <= 0.75;
