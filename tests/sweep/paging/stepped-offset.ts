import type { FoundPaging } from './found-paging.ts';
import type { ListClient } from './list-client.ts';
import type { Unit } from './offset-unit.ts';

/**
 * The paging of a list whose target rejects each `offset` that is no multiple of 2, or of 3: pages as long as a multiple follow
 * each other. Undefined of any other list.
 * @param counted as the page at such an `offset` has shown it, where the one at 1 has shown nothing
 */
export async function stepped(
  client: ListClient,
  size: number,
  { overlap }: Unit,
): Promise<FoundPaging | undefined> {
  if (overlap === 0) return undefined;
  const step = (await client.page(size, 2)).rejected ? 3 : 2;
  const between = (size - 1) % step === 0 ? size : size - 1;
  for (const offset of [1, between]) if (!(await client.page(size, offset)).rejected) return undefined;
  const length = size - (size % step);
  const paging = { size: length, unit: 'records', overlap: 0, singles: false } as const;
  return { paging, first: await client.page(length, 0), records: undefined };
}
