import { acrossEdge } from './across-edge.ts';
import { isCountedFromOne } from './counted-from-one.ts';
import { isEmptyBehind, showsBehind } from './empty-behind.ts';
import { type FoundPaging, paged, wholeOf, whyHidden } from './found-paging.ts';
import { largestPage } from './largest-page.ts';
import type { ListClient, PageAnswer } from './list-client.ts';
import {
  idsOf,
  isIgnored,
  isSameFarBehind,
  shownUnit,
  type Unit,
  unitElsewhere,
  unitOfHalves,
  unitOfTwins,
} from './offset-unit.ts';
import type { Paging } from './paging.ts';
import { rounded } from './rounded-offset.ts';
import { stepped } from './stepped-offset.ts';
import { likelyUnit } from './unsteady-unit.ts';

/**
 * Finds out the largest page that a target accepts, and what `offset` counts, in few requests. `records` is the number of all,
 * where one page holds them; `hidden` is why nothing behind that page can be read, where something may be there.
 */
export async function findPaging(client: ListClient): Promise<FoundPaging> {
  const found = await findFrom(client);
  if (isFollowed(found)) return found;
  return (await findFromOne(client, found)) ?? (await findUnsteady(client, found)) ?? found;
}

const isFollowed = (found: FoundPaging) => !('problem' in found) && found.hidden === undefined;

/** The same of a list that is counted from 1, and shows its first page, or none, at `offset` 0; undefined of any other. */
async function findFromOne(client: ListClient, fromZero: FoundPaging): Promise<FoundPaging | undefined> {
  if ('problem' in fromZero && !fromZero.rejected) return undefined;
  const one = client.counting({ fromOne: true });
  const found = await findFrom(one);
  if ('problem' in found || !isFollowed(found)) return undefined;
  // Where the page at `offset` 0 is more than twice as long, the list is rather followed in such pages, if it can be.
  if ('records' in fromZero && 2 * found.paging.size < (fromZero.records ?? 0)) return undefined;
  const isFromOne = await isCountedFromOne(one, found.paging, found.records !== undefined);
  return isFromOne ? { ...found, paging: { ...found.paging, fromOne: true } } : undefined;
}

/** The same of a list that changes all the time. */
async function findUnsteady(client: ListClient, found: FoundPaging): Promise<FoundPaging | undefined> {
  if ('problem' in found || found.hidden !== whyHidden.unsteady) return undefined;
  const { size } = found.paging;
  const unit = await likelyUnit(client, size);
  return unit && paged(client, size, unit, await client.page(size, 0));
}

/** Pages that do not go together are requested anew: the list may have changed between them. */
const lastAttempt = 2;

async function findFrom(client: ListClient): Promise<FoundPaging> {
  const largest = await largestPage(client);
  if ('problem' in largest) return largest;
  const { size, limit } = largest;
  let { first } = largest;
  for (let attempt = 0; attempt <= lastAttempt; attempt += 1) {
    if (attempt > 0 || !first) first = await client.page(size, 0);
    const found = await pagingBeside(client, { size, limit, attempt }, first);
    if (found) return found;
  }
  return first?.records
    ? { ...wholeOf(size, first), hidden: whyHidden.unsteady }
    : { problem: whyHidden.unsteady };
}

/** What the pages beside the first one show; undefined where the list has changed between two requests. */
async function pagingBeside(
  client: ListClient,
  { size, limit, attempt }: { size: number; limit: number; attempt: number },
  first: PageAnswer,
): Promise<FoundPaging | undefined> {
  const [ids, whole] = [idsOf(client, first), wholeOf(size, first)];
  if (ids.length === 0) return emptyOrMore(client, { size, attempt }, whole);
  const second = await client.page(size, 1);
  const shown = await shownUnit(client, ids, { limit: size, offset: 1 }, idsOf(client, second));
  if (shown === 'ignored' && (await isIgnored(client, { size, attempt }, ids)))
    return wholeOrMore(client, whole, ids);
  if (shown === 'ignored' || shown === 'changed')
    return attempt < lastAttempt ? undefined : twinsOrRounded(client, size, [first, second]);
  if (shown === undefined && (await isEmptyBehind(client, { size, limit }, ids, second)))
    return wholeAtEdge(client, whole);
  const counted = shown ?? (await unitElsewhere(client, size, ids));
  if (counted === 'changed' || (await isMoved(client, { size, counted }, second))) return undefined;
  if (counted === undefined) return { ...whole, hidden: reasonOf(second) };
  const found = shown === undefined ? await stepped(client, size, counted) : undefined;
  return found ?? paged(client, size, counted, first);
}

/**
 * Whether `offset` only seems to count records, since one was removed from the beginning of the list between two requests: then
 * the page at `offset` 0 is the one that was at 1.
 */
async function isMoved(
  client: ListClient,
  { size, counted }: { size: number; counted: Unit | undefined },
  second: PageAnswer,
): Promise<boolean> {
  if (counted?.unit !== 'records') return false;
  const limit = Math.max(2, Math.floor(size / 2));
  const first = idsOf(client, await client.page(limit, 0));
  return first.length > 1 && first.join() === idsOf(client, second).slice(0, first.length).join();
}

/** A list whose first page is empty; undefined where others are not, and where that one is to be requested again. */
async function emptyOrMore(
  client: ListClient,
  { size, attempt }: { size: number; attempt: number },
  whole: FoundPaging,
): Promise<FoundPaging | undefined> {
  const isAny = (await showsBehind(client, size, 0)) || (await client.page(1, 1)).records?.length;
  if (!isAny) return whole;
  return attempt < lastAttempt ? undefined : { ...whole, hidden: whyHidden.emptyFirst };
}

/** A list that stands still, and whose second page seems to be the first one, or to begin with a record of that. */
async function twinsOrRounded(
  client: ListClient,
  size: number,
  [first, second]: [PageAnswer, PageAnswer],
): Promise<FoundPaging | undefined> {
  const ids = idsOf(client, first);
  const unit = await unitOfTwins(client, size, [ids, idsOf(client, second)]);
  return unit ? paged(client, size, unit, first) : rounded(client, ids);
}

/**
 * A list whose pages of full length begin alike wherever they are: `offset` has no effect, or the last page is shown again
 * behind it, or each place is taken for the beginning of its page. A shorter page shows which. Undefined where it has changed.
 */
async function wholeOrMore(
  client: ListClient,
  whole: FoundPaging & { paging: Paging; first: PageAnswer; records: number },
  ids: string[],
): Promise<FoundPaging | undefined> {
  const { length: size } = ids;
  if (size === 1) return { ...whole, hidden: whyHidden.alike };
  const counted = await unitOfHalves(client, ids);
  if (counted === undefined) return (await rounded(client, ids)) ?? ignoredOrChanged(client, whole, ids);
  const behind = idsOf(client, await client.page(size, counted.unit === 'records' ? size : 1));
  if (behind.join() === ids.join()) return whole;
  if (behind.some((id) => ids.includes(id))) return undefined;
  return paged(client, size, counted, whole.first);
}

/** A list whose `offset` has no effect; undefined where it has changed. */
async function ignoredOrChanged(
  client: ListClient,
  whole: FoundPaging,
  ids: string[],
): Promise<FoundPaging | undefined> {
  const isIgnoredFarBehind = await isSameFarBehind(client, ids);
  return isIgnoredFarBehind ? { ...whole, hidden: whyHidden.ignored } : undefined;
}

/** A list of one page behind which nothing is shown: whether it ends there, a page that reaches across its end shows. */
async function wholeAtEdge(
  client: ListClient,
  whole: FoundPaging & { paging: Paging; records: number },
): Promise<FoundPaging> {
  const { paging, records } = whole;
  // Two records that `offset` counts would be seen to be two.
  if (records === 1) return whole;
  for (const unit of ['pages', 'records'] as const) {
    const shown = await acrossEdge(client, { size: records, unit }, records);
    if (shown !== undefined) return shown === 'end' ? whole : { ...whole, hidden: whyHidden.empty };
  }
  return { ...whole, paging: { ...paging, unit: 'pages', overlap: 0 } };
}

const reasonOf = ({ records, failed }: PageAnswer) => {
  if (records?.length) return whyHidden.unclear;
  return failed === undefined ? whyHidden.empty : whyHidden.unanswered;
};
