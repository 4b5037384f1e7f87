import { number } from '../../../schemas/counted.ts';
import { acrossEdge } from './across-edge.ts';
import type { IsThere } from './find-total.ts';
import type { ListClient } from './list-client.ts';
import { type Paging, pageAt } from './paging.ts';

/** What is known of the end of a list from which a sample is drawn, unless a page has shown it. */
export interface UnseenEnd {
  /** Why nothing behind it can be drawn, though the list goes on. */
  hidden?: string;
  /** Set where only pages that show nothing say that it ends. */
  isEndUnseen?: true;
}

/**
 * Whether a list ends behind so many records, as a page shows that reaches across: where a target rejects large offsets, it shows
 * nothing behind the last one that it accepts. What has grown or become shorter meanwhile has an end.
 * @param isThere whether there is something at a place of those that are drawn
 */
export async function unseenEnd(
  client: ListClient,
  paging: Paging,
  records: number,
  isThere: IsThere,
): Promise<UnseenEnd> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const shown = await shownAt(client, paging, records);
    if (shown === undefined) return { isEndUnseen: true };
    const hasGrown = async () => (await isThere(records)) === true;
    const isShorter = async () => (await isThere(records - 1)) === false;
    if (shown === 'end' || (await (shown === 'more' ? hasGrown() : isShorter()))) return {};
  }
  return {
    hidden: `nothing behind number ${number(records)} of the list can be drawn, though it goes on there`,
  };
}

/** Of the page that shows the last record; undefined where it fails, or ends at the same place as the list. */
async function shownAt(
  client: ListClient,
  paging: Paging,
  edge: number,
): Promise<'end' | 'more' | 'nothing' | undefined> {
  const { size, overlap } = paging;
  const beginning = { limit: size, offset: edge - 1, position: edge - 1 };
  const { limit, offset, position } = overlap > 0 ? beginning : pageAt(paging, Math.floor((edge - 1) / size));
  const { records, rejected } = await client.page(limit, offset);
  if (!records && !rejected) return undefined;
  const { length: held } = records ?? [];
  if (held === 0) return 'nothing';
  if (held > edge - position) return 'more';
  return held < limit ? 'end' : acrossEdge(client, paging, edge);
}

/** The same of so many pages that share nothing, of which some are drawn. @param isThere whether there is a page of a number */
export async function unseenEndOfPages(
  client: ListClient,
  paging: Paging,
  pages: number,
  isThere: IsThere,
): Promise<UnseenEnd> {
  const { size } = paging;
  const { limit, offset, position } = pageAt({ ...paging, overlap: 0 }, pages - 1);
  const { records = [] } = await client.page(limit, offset);
  if (records.length === 0) return { isEndUnseen: true };
  return unseenEnd(client, paging, position + records.length, (place) => isThere(Math.floor(place / size)));
}
