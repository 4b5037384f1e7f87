import { inARow } from '../../relations/conclude.ts';
import {
  type End,
  type Halves,
  isSamePage,
  limitMayBeRejected,
  offsetMayBeRejected,
  type Page,
  type Placed,
  pageMayNotExist,
} from './paging.ts';

/** A list of customers by some filter. `get` requests each page only once, `getAgain` once more. */
export interface List {
  get(limit?: number, offset?: number): Promise<Page>;
  getAgain(limit?: number, offset?: number): Promise<Page>;
  /** The list without any parameter. */
  plain: Page;
  plainAgain(): Promise<Page>;
}

/** Limits in the order in which they are asked, each only where those before it were rejected. */
export interface Limits {
  size: number;
  /** The page of the accepted limit; the first one when none was accepted. */
  first: Page;
  chosenSize: number;
  chosen: Page;
  others: Page[];
}

// A list may change while it is looked at, and replicas that reply in turn may show it before and after the change. So a
// rejection is judged only if what shows that the page must exist is shown again afterwards, twice in a row.

/** Whether the contract leaves open that offset 1 is rejected. @param longest the longest page from the beginning */
export const isOffsetOpen = async (
  list: List,
  { page, limit }: { page: Page; limit?: number },
  halves: Halves | undefined,
): Promise<boolean> =>
  offsetMayBeRejected(page, halves) || !(await isStillShown(page, () => list.getAgain(limit)));

/** Whether the contract leaves open that the chosen limit is rejected. */
export async function isLimitOpen(list: List, { chosen, chosenSize, others }: Limits): Promise<boolean> {
  if (!chosen.rejected || others.every(({ rejected }) => rejected)) return false;
  return (
    limitMayBeRejected(chosenSize, list.plain, others) || !(await isStillShown(list.plain, list.plainAgain))
  );
}

/**
 * Whether the contract leaves open that the page is rejected where the pages end. @param before the page that begins one
 * customer earlier, where only that one shows that there must be more
 */
export async function isEndOpen(
  list: List,
  size: number,
  end: End,
  before: Page | undefined,
): Promise<boolean> {
  if (!end.page.rejected) return false;
  if (pageMayNotExist(end, before)) return true;
  const shown = before ? { page: before, offset: end.offset - 1 } : end.last;
  const again = (placed: Placed) => () => list.getAgain(size, placed.offset);
  // A failure of the target counts even if the same request would succeed now.
  const isFailure = end.page.failed && !before;
  const isRejected = isFailure || (await isTwice(again(end), ({ rejected }) => rejected));
  // That `offset` counts customers is known from the first page, and may be due to a change as well.
  const first = { page: end.first };
  return !(
    isRejected &&
    (await isStillShown(first.page, again(first))) &&
    (await isStillShown(shown.page, again(shown)))
  );
}

const isStillShown = (page: Page, getAgain: () => Promise<Page>): Promise<boolean> =>
  isTwice(getAgain, (again) => isSamePage(page, again));

async function isTwice(getAgain: () => Promise<Page>, holds: (page: Page) => boolean): Promise<boolean> {
  for (let time = 0; time < inARow; time += 1) if (!holds(await getAgain())) return false;
  return true;
}
