import { acrossEdge } from './across-edge.ts';
import type { ListClient, PageAnswer } from './list-client.ts';
import { type Paging, stepsBehind } from './paging.ts';
import { identityOf, isWithoutKey } from './record-identity.ts';

/** Page sizes that are tried, the largest first. */
const smallest = 10;
const sizes = [1000, 500, 200, 100, 50, 20, smallest];

/** What was found out of a list, or why it cannot be followed. */
export type FoundPaging =
  | { paging: Paging; first: PageAnswer; records: number | undefined; hidden?: string }
  | { problem: string };

/**
 * Finds out the largest page that a target accepts, and what `offset` counts, in few requests. `records` is the number of all,
 * where one page holds them; `hidden` is why nothing behind that page can be read, where something may be there.
 */
export async function findPaging(client: ListClient): Promise<FoundPaging> {
  const largest = await largestPage(client);
  if ('problem' in largest) return largest;
  const { size } = largest;
  let { first } = largest;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (attempt > 0 || !first) first = await client.page(size, 0);
    const found = await unitOf(client, { size, attempt }, first);
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

/** The longest page: above its maximum, a target may show as many as that, its default, or nothing. */
async function largestPage(
  client: ListClient,
): Promise<{ size: number; first: PageAnswer | undefined } | { problem: string }> {
  let problem = '';
  let longest: { length: number; first: PageAnswer | undefined } | undefined;
  for (const size of sizes) {
    if (longest && longest.length >= size) break;
    const first = await client.page(size, 0);
    const length = first.records?.length;
    if (length === undefined) problem = first.failed ?? 'the response holds no list';
    else if (length > (longest?.length ?? -1)) longest = { length, first };
    // The list may have changed meanwhile.
    else if (longest) longest.first = undefined;
  }
  if (!longest) return { problem: `no page of it was answered: ${problem}` };
  return { size: longest.length || smallest, first: longest.first };
}

/** Undefined where the list has changed between two requests. */
async function unitOf(
  client: ListClient,
  { size, attempt }: { size: number; attempt: number },
  first: PageAnswer,
): Promise<FoundPaging | undefined> {
  const [ids, whole] = [idsOf(client, first), wholeOf(size, first)];
  if (ids.length === 0) return (await showsBehind(client, size)) ? { ...whole, hidden: emptyFirst } : whole;
  const second = await client.page(size, 1);
  const shown = shownUnit(ids, { limit: size, offset: 1 }, idsOf(client, second));
  if (shown === 'changed') return undefined;
  if (shown === 'ignored')
    return (await isIgnored(client, { size, attempt }, ids)) ? { ...whole, hidden: ignored } : undefined;
  if (shown === undefined && (await isEmptyBehind(client, size, ids, second)))
    return wholeAtEdge(client, whole);
  const counted = shown ?? (await unitElsewhere(client, size, ids));
  if (counted === undefined) return { ...whole, hidden: reasonOf(second) };
  return { paging: { size, ...counted, singles: await acceptsOne(client) }, first, records: undefined };
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
const unclear = 'nothing shows what `offset` counts: its records cannot be told apart';
const unsteady =
  'nothing shows what `offset` counts: the list changes, or shows one record in several places';
const emptyFirst = 'the first page is empty, though there are records behind it';

const reasonOf = ({ records, failed }: PageAnswer) =>
  records?.length ? unclear : failed === undefined ? empty : unanswered;

/** What `offset` counts, and whether it may be any number, so that pages may overlap. */
type Unit = Pick<Paging, 'unit' | 'overlap'>;

/**
 * Whether pages begin with the same record wherever they are: one that was added at the beginning looks so once. Each attempt
 * takes more requests, so that a list that changes at a steady pace is met at another moment.
 */
async function isIgnored(
  client: ListClient,
  { size, attempt }: { size: number; attempt: number },
  ids: string[],
): Promise<boolean> {
  let isSame = true;
  for (let offset = 2; offset <= 2 + attempt; offset += 1) {
    const [shown] = idsOf(client, await client.page(size, offset));
    isSame &&= shown === ids[0];
  }
  return isSame;
}

/**
 * What `offset` counts, as a page shows it beside the first one; undefined where it holds nothing.
 * @param ids of the first page, which reaches beyond `offset`
 */
function shownUnit(
  ids: string[],
  { limit, offset }: { limit: number; offset: number },
  [shown]: string[],
): Unit | 'ignored' | 'changed' | undefined {
  if (shown === undefined) return undefined;
  if (!isWithoutKey(shown) && !ids.includes(shown)) return { unit: 'pages', overlap: 0 };
  // Where records look alike, any place may be that of the one that is shown.
  if (ids[offset] === ids[0]) return undefined;
  if (shown === ids[offset]) return { unit: 'records', overlap: offset % limit === 0 ? 0 : 1 };
  if (shown === ids[offset * limit]) return { unit: 'pages', overlap: 0 };
  if (shown === ids[0]) return 'ignored';
  return isWithoutKey(shown) ? undefined : 'changed';
}

/** The same where the second page shows nothing: some targets accept only multiples of `limit`, and any page may fail. */
async function unitElsewhere(client: ListClient, size: number, ids: string[]): Promise<Unit | undefined> {
  const half = Math.floor(ids.length / 2);
  const places = [
    { limit: size, offset: 2 },
    { limit: half, offset: half },
    { limit: half, offset: 1 },
    { limit: size, offset: 3 },
  ];
  for (const place of places.filter(({ limit, offset }) => limit > 1 && offset < ids.length)) {
    const page = idsOf(client, await client.page(place.limit, place.offset));
    const shown = shownUnit(ids, place, page);
    if (typeof shown === 'object') return shown;
  }
  return undefined;
}

/** Whether nothing is behind the first page, whatever `offset` counts: a page may also be empty, or rejected, for one of its records. */
async function isEmptyBehind(
  client: ListClient,
  size: number,
  { length }: string[],
  { failed }: PageAnswer,
): Promise<boolean> {
  if (failed === undefined && (await showsBehind(client, size))) return false;
  if (!(await acceptsOne(client))) return failed === undefined;
  for (const step of [0, ...stepsBehind(maxStep)]) {
    const { records, rejected } = await client.page(1, length + step);
    if (!rejected && records?.length !== 0) return false;
  }
  return true;
}

/** Whether there are records behind a page that is empty, whatever `offset` counts. */
async function showsBehind(client: ListClient, size: number): Promise<boolean> {
  for (const step of stepsBehind(maxStep))
    if ((await client.page(size, 1 + step)).records?.length) return true;
  return false;
}

/** How far behind a page is looked, where none is known to be there: pages, or single records. */
const maxStep = 100_000;

async function acceptsOne(client: ListClient): Promise<boolean> {
  return (await client.page(1, 0)).records?.length === 1;
}

const idsOf = ({ list }: ListClient, { records = [] }: PageAnswer) =>
  records.map((record) => identityOf(record, list.key));
