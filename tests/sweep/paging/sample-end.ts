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
 */
export const unseenEnd = (client: ListClient, paging: Paging, records: number, isThere: IsThere) =>
  unseenBehind(records, async () => {
    const shown = await shownAt(client, paging, records);
    const hasChanged =
      (shown === 'more' && (await isThere(records)) === true) ||
      (shown === 'nothing' && (await isThere(records - 1)) === false);
    return hasChanged ? 'end' : shown;
  });

/** The same of so many pages that share nothing, of which some are drawn; a short one is the last. */
export const unseenEndOfPages = (client: ListClient, paging: Paging, pages: number, isThere: IsThere) =>
  unseenBehind(pages * paging.size, async () => {
    const { limit, offset } = pageAt({ ...paging, overlap: 0 }, pages - 1);
    const { records = [] } = await client.page(limit, offset);
    if (records.length < limit) return records.length > 0 ? 'end' : undefined;
    const shown = await shownAt(client, paging, pages * limit);
    return shown === 'more' && (await isThere(pages)) ? 'end' : shown;
  });

/** @param look looks at the end once; a list that changes is looked at more than once */
async function unseenBehind(records: number, look: () => Promise<Shown | undefined>): Promise<UnseenEnd> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const shown = await look();
    if (shown === 'end') return {};
    if (shown === undefined) return { isEndUnseen: true };
  }
  const place = number(records);
  return { hidden: `nothing behind number ${place} of the list can be drawn, though it goes on there` };
}

/** What a page shows that reaches across the seeming end: that, or records behind it, or not even the last one before it. */
type Shown = 'end' | 'more' | 'nothing';

/** Of the page that shows the last record; undefined where it fails, or ends at the same place as the list. */
async function shownAt(client: ListClient, paging: Paging, edge: number): Promise<Shown | undefined> {
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
