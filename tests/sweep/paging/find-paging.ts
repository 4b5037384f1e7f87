import { acrossEdge } from './across-edge.ts';
import { isCountedFromOne } from './counted-from-one.ts';
import { isEmptyBehind, showsBehind } from './empty-behind.ts';
import { largestPage } from './largest-page.ts';
import type { ListClient, PageAnswer } from './list-client.ts';
import {
  idsOf,
  isIgnored,
  shownUnit,
  type Unit,
  unitElsewhere,
  unitOfHalves,
  unitOfTwins,
} from './offset-unit.ts';
import type { Paging } from './paging.ts';
import { showsSingles } from './single-records.ts';
import { isSameFarBehind, likelyUnit, roundedSize } from './unsteady-unit.ts';

/** What was found out of a list, or why it cannot be followed. */
export type FoundPaging =
  | { paging: Paging; first: PageAnswer; records: number | undefined; hidden?: string }
  /** `rejected` is set where the target rejects each request for the first page. */
  | { problem: string; rejected?: true | undefined };

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
  // What is shown at 0 is longer where 1 is no place to begin at.
  if ('records' in fromZero && 2 * found.paging.size < (fromZero.records ?? 0)) return undefined;
  const isFromOne = await isCountedFromOne(one, found.paging, found.records !== undefined);
  return isFromOne ? { ...found, paging: { ...found.paging, fromOne: true } } : undefined;
}

/** The same of a list that changes all the time. */
async function findUnsteady(client: ListClient, found: FoundPaging): Promise<FoundPaging | undefined> {
  if ('problem' in found || found.hidden !== unsteady) return undefined;
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
    const found = await unitOf(client, { size, limit, attempt }, first);
    if (found) return found;
  }
  return first?.records ? { ...wholeOf(size, first), hidden: unsteady } : { problem: unsteady };
}

/** What is known of a list whose first page is all that can be read. */
const wholeOf = (size: number, first: PageAnswer) => ({
  paging: { size: Math.max(2, size), unit: 'records', overlap: 1, singles: false } satisfies Paging,
  first,
  records: first.records?.length ?? 0,
});

/** Undefined where the list has changed between two requests. */
async function unitOf(
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
  return paged(client, size, counted, first);
}

/** Whether a list seems to count records since one was removed from its beginning: then the first page is the second one by now. */
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

/** A list whose first page is empty; undefined where others are not, and that one may show something by now. */
async function emptyOrMore(
  client: ListClient,
  { size, attempt }: { size: number; attempt: number },
  whole: FoundPaging,
): Promise<FoundPaging | undefined> {
  if (!(await showsBehind(client, size, 0))) return whole;
  return attempt < lastAttempt ? undefined : { ...whole, hidden: emptyFirst };
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

/** A list that takes each place for one before it, where pages of some length begin where they should. */
async function rounded(client: ListClient, ids: string[]): Promise<FoundPaging | undefined> {
  const size = await roundedSize(client, ids);
  return size === undefined
    ? undefined
    : paged(client, size, { unit: 'records', overlap: 0 }, await client.page(size, 0));
}

const paged = async (client: ListClient, size: number, counted: Unit, first: PageAnswer) => ({
  ...{ paging: { size, ...counted, singles: await showsSingles(client) }, first },
  records: undefined,
});

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
  if (size === 1) return { ...whole, hidden: alike };
  const counted = await unitOfHalves(client, ids);
  if (counted === undefined) {
    const found = await rounded(client, ids);
    return found ?? ((await isSameFarBehind(client, ids)) ? { ...whole, hidden: ignored } : undefined);
  }
  const behind = idsOf(client, await client.page(size, counted.unit === 'records' ? size : 1));
  if (behind.join() === ids.join()) return whole;
  if (behind.some((id) => ids.includes(id))) return undefined;
  return paged(client, size, counted, whole.first);
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
    if (shown !== undefined) return shown === 'end' ? whole : { ...whole, hidden: empty };
  }
  return { ...whole, paging: { ...paging, unit: 'pages', overlap: 0 } };
}

/** Why nothing behind the first page can be read. */
const unanswered = 'no page but the first was answered';
const empty = 'the page at `offset` 1 is empty, though there are records behind it';
const ignored = '`offset` has no effect: only the first page of the list can be read';
const alike = 'nothing shows whether `offset` has an effect: each page shows the same record';
const unclear = 'nothing shows what `offset` counts: its records cannot be told apart';
const unsteady =
  'nothing shows what `offset` counts: the list changes, or shows one record in several places';
const emptyFirst = 'the first page is empty, though there are records behind it';

const reasonOf = ({ records, failed }: PageAnswer) =>
  records?.length ? unclear : failed === undefined ? empty : unanswered;
