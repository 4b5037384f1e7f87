import { acrossEdge } from './across-edge.ts';
import type { ListClient } from './list-client.ts';
import type { ListPlan } from './list-plan.ts';
import { pageAt } from './paging.ts';
import { isEndOfPart } from './part-end.ts';
import type { SeenPages } from './seen-pages.ts';

/**
 * What other pages show of the place at which a page shows nothing: that the list ends there, or that it goes on; undefined
 * where they show neither.
 */
export async function shownBeside(
  client: ListClient,
  plan: ListPlan,
  pages: SeenPages,
  at: number,
): Promise<'end' | 'more' | undefined> {
  const { paging } = plan;
  const isFull = await isFullBefore(plan, pages, at);
  if ((isFull && paging.overlap > 0) || (await showsSingly(client, plan, at))) return 'more';
  if (isFull) return acrossEdge(client, paging, pageAt(paging, at).position);
  return (await isEndOfPart(client, paging, at, pages.last)) ? 'end' : undefined;
}

/** Whether the page before one is full, and is still where both share a record; that of another shard, where none follows. */
async function isFullBefore({ paging }: ListPlan, pages: SeenPages, at: number): Promise<boolean> {
  const { size, overlap } = paging;
  const { last } = pages;
  if (at === 0) return false;
  if (last?.number === at - 1 && (overlap === 0 || !last.isFull)) return last.isFull;
  if ((await pages.countOn(at - 1)) < size) return false;
  return overlap > 0 || (await pages.countOn(at + 1)) === 0;
}

/** Whether a record that a page does not show is shown alone, or the last one that there was when the sweep began. */
async function showsSingly(
  client: ListClient,
  { paging, records = 0 }: ListPlan,
  at: number,
): Promise<boolean> {
  const next = pageAt(paging, at).position + paging.overlap;
  for (const place of paging.singles ? new Set([next, Math.max(next, records - 1)]) : [])
    if ((await client.page(1, place)).records?.length) return true;
  return false;
}
