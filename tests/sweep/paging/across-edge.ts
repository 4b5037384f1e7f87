import type { ListClient } from './list-client.ts';
import type { Paging } from './paging.ts';

/**
 * What a page shows that reaches across the edge between two pages, of a list whose pages share nothing: that the list ends at
 * that edge, or that there is more behind it; undefined where no other page size is accepted.
 * @param edge the place of the first record behind it, from 0
 */
export async function acrossEdge(
  client: ListClient,
  { size, unit }: Pick<Paging, 'size' | 'unit'>,
  edge: number,
): Promise<'end' | 'more' | undefined> {
  let limit = size - 1;
  while (limit > 1 && edge % limit === 0) limit -= 1;
  if (limit <= 1) return undefined;
  const number = Math.floor(edge / limit);
  const { records = [] } = await client.page(limit, unit === 'pages' ? number : number * limit);
  if (records.length === limit) return 'more';
  return records.length === edge % limit ? 'end' : undefined;
}
