import { type FoundPaging, paged } from './found-paging.ts';
import type { ListClient } from './list-client.ts';
import { idsOf } from './offset-unit.ts';

/**
 * The paging of a list whose target rounds `offset` down to a multiple of some number: pages as long as such a multiple begin
 * where they should. Undefined of any other list, and of one that has changed.
 * @param ids of the first page, and the page at `offset` 1 begins like it
 */
export async function rounded(client: ListClient, ids: string[]): Promise<FoundPaging | undefined> {
  const size = await roundedSize(client, ids);
  if (size === undefined) return undefined;
  return paged(client, size, { unit: 'records', overlap: 0 }, await client.page(size, 0));
}

async function roundedSize(client: ListClient, ids: string[]): Promise<number | undefined> {
  const shownAt = async (offset: number) => idsOf(client, await client.page(ids.length, offset));
  // A list that is counted from 1 shows its second record there.
  if (ids.length < 3 || (await shownAt(2))[0] === ids[1]) return undefined;
  // The greatest multiple within the first page: `offset` of the last record is rounded down to it.
  const size = ids.indexOf((await shownAt(ids.length - 1))[0] ?? '');
  if (size < 2 || (await shownAt(size))[0] !== ids[size]) return undefined;
  for (const offset of [1, 0]) if ((await shownAt(offset)).join() !== ids.join()) return undefined;
  return size;
}
