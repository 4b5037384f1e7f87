import { acrossEdge } from './across-edge.ts';
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
  return (isFollowed(found) ? undefined : await findFromOne(client, found)) ?? found;
}

const isFollowed = (found: FoundPaging) => !('problem' in found) && found.hidden === undefined;

type Followed = Exclude<FoundPaging, { problem: string }>;

/** The same of a list that is counted from 1, and shows its first page, or none, at `offset` 0; undefined of any other. */
async function findFromOne(client: ListClient, fromZero: FoundPaging): Promise<FoundPaging | undefined> {
  if ('problem' in fromZero && !fromZero.rejected) return undefined;
  const one = client.counting({ fromOne: true });
  const found = await findFrom(one);
  if ('problem' in found || !isFollowed(found)) return undefined;
  const isOfRecords = found.paging.unit === 'records' && found.records === undefined;
  const isFromOne = isOfRecords
    ? await isSameAtZero(client, found)
    : await isFirstAtOne(one, found, 'first' in fromZero ? idsOf(client, fromZero.first) : []);
  return isFromOne ? { ...found, paging: { ...found.paging, fromOne: true } } : undefined;
}

/** Whether `offset` 0 and 1 show the same page, and no record was only added meanwhile: then 0 would not show it again. */
async function isSameAtZero(client: ListClient, { paging, first }: Followed): Promise<boolean> {
  for (const offset of [0, 1, 0]) {
    const shown = idsOf(client, await client.page(paging.size, offset));
    if (shown.join() !== idsOf(client, first).join()) return false;
  }
  return true;
}

/** Whether the page at `offset` 1 is the first one. @param atZero what the one at 0 shows */
async function isFirstAtOne(
  one: ListClient,
  { paging, first, records }: Followed,
  atZero: string[],
): Promise<boolean> {
  const ids = idsOf(one, first);
  const isShownAtZero = ids.length > 0 && atZero.join() === ids.join();
  if (!isShownAtZero && (atZero.length > 0 || ids.length < 2)) return false;
  // Counted from 0, this page would begin at another place where it is shorter.
  const [begin] = idsOf(one, await one.page(Math.ceil(ids.length / 2), 0));
  const second = records === undefined ? idsOf(one, await one.page(paging.size, 1)) : [];
  return begin === ids[0] && !second.some((id) => ids.includes(id));
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
  if (ids.length === 0)
    return (await showsBehind(client, size, 0)) ? { ...whole, hidden: emptyFirst } : whole;
  const second = await client.page(size, 1);
  const shown = await shownUnit(client, ids, { limit: size, offset: 1 }, idsOf(client, second));
  if (shown === 'ignored' && (await isIgnored(client, { size, attempt }, ids)))
    return wholeOrMore(client, whole, ids);
  if (shown === 'ignored' || shown === 'changed') {
    if (attempt < lastAttempt) return undefined;
    const unit = await unitOfTwins(client, size, [ids, idsOf(client, second)]);
    return unit && paged(client, size, unit, first);
  }
  if (shown === undefined && (await isEmptyBehind(client, { size, limit }, ids, second)))
    return wholeAtEdge(client, whole);
  const counted = shown ?? (await unitElsewhere(client, size, ids));
  if (counted === 'changed') return undefined;
  if (counted === undefined) return { ...whole, hidden: reasonOf(second) };
  return paged(client, size, counted, first);
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
  if (counted === undefined) return { ...whole, hidden: ignored };
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
