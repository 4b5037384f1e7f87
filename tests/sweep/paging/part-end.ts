import type { ListClient } from './list-client.ts';
import { type Paging, pageAt, recordAt } from './paging.ts';
import type { SeenPages } from './seen-pages.ts';

/**
 * Whether nothing is shown behind the last page of a part of a sweep, which is short: what the page behind it shows, which is
 * another part's, was not there then.
 * @param at the next page of the part
 */
export async function isEndOfPart(
  client: ListClient,
  paging: Paging,
  at: number,
  last: SeenPages['last'],
): Promise<boolean> {
  if (!last || last.isFull || last.number >= at - 1) return false;
  const behind = recordAt(0, pageAt(paging, last.number).position + last.held);
  for (const { limit, offset } of [pageAt(paging, last.number + 1), ...(paging.singles ? [behind] : [])]) {
    const { records, rejected } = await client.page(limit, offset);
    if (!rejected && records?.length !== 0) return false;
  }
  return true;
}
