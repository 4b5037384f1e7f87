import type { ListClient } from './list-client.ts';
import type { ListPlan } from './list-plan.ts';
import { pageAt, stepsBehind } from './paging.ts';

/** Whether nothing is left behind a place of a sample, nor at it on a longer page, though the list still shows its first record. */
export async function isShorter(
  client: ListClient,
  { sample, paging }: Pick<ListPlan, 'sample' | 'paging'>,
  place: number,
): Promise<boolean> {
  if (sample?.by !== 'records') return false;
  for (const step of [...stepsBehind(sample.of - place), sample.of - 1 - place]) {
    const { records, rejected } = step > 0 ? await client.page(1, place + step) : { records: [] };
    if (!rejected && records?.length !== 0) return false;
  }
  const { limit, offset, position } = pageAt(paging, Math.floor(place / (paging.size - paging.overlap)));
  const { records: beside = [] } = await client.page(limit, offset);
  return beside.length <= place - position && (await client.page(1, 0)).records?.length === 1;
}
