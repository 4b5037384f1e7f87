import type { ListClient } from './list-client.ts';
import type { ListPlan } from './list-plan.ts';
import { pageAt, stepsBehind } from './paging.ts';
import type { SeenPages } from './seen-pages.ts';

/** Whether the last page that showed records was full, and is not any more: then the list has become shorter meanwhile. */
export async function isShorterNow(
  { last, page }: Pick<SeenPages, 'last' | 'page'>,
  { paging: { size } }: Pick<ListPlan, 'paging'>,
): Promise<boolean> {
  if (!last?.isFull) return false;
  const { records = [] } = await page(last.number);
  return records.length < size;
}

/** Whether nothing is left behind a place of a sample, nor at it on a longer page, though the list still shows its first record. */
export async function isSampleShorter(
  client: ListClient,
  { sample, paging }: ListPlan,
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
