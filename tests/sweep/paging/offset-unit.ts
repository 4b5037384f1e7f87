import type { ListClient, PageAnswer } from './list-client.ts';
import type { Paging } from './paging.ts';
import { identityOf, isWithoutKey } from './record-identity.ts';

/** What `offset` counts, and whether it may be any number, so that pages may overlap. */
export type Unit = Pick<Paging, 'unit' | 'overlap'>;

/**
 * Whether pages begin with the same record wherever they are: one that was added at the beginning looks so once. Each attempt
 * takes more requests, so that a list that changes at a steady pace is met at another moment.
 */
export async function isIgnored(
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

/** Whether pages far from each other are the same one, so that `offset` has no effect; a list that moves shows something else. */
export async function isSameFarBehind(client: ListClient, { length }: string[]): Promise<boolean> {
  const [far, first] = [await client.page(length, length), await client.page(length, 0)];
  return idsOf(client, far).join() === idsOf(client, first).join();
}

/**
 * What `offset` counts, as a page shows it beside the first one; undefined where it holds nothing.
 * @param ids of the first page, which reaches beyond `offset`
 */
export async function shownUnit(
  client: ListClient,
  ids: string[],
  { limit, offset }: { limit: number; offset: number },
  [shown, ...rest]: string[],
): Promise<Unit | 'ignored' | 'changed' | undefined> {
  if (shown === undefined) return undefined;
  if (!isWithoutKey(shown) && !ids.includes(shown)) {
    // One of several that were added at the beginning is on the first page by now.
    const isAdded = idsOf(client, await client.page(ids.length, 0)).includes(shown);
    return isAdded ? 'changed' : { unit: 'pages', overlap: 0 };
  }
  // Where records look alike, any place may be that of the one that is shown.
  if (ids[offset] === ids[0]) return undefined;
  // A twin alone says nothing: of a page that begins there, the first one shows more.
  const known = new Set(ids);
  if (shown === ids[offset] && (ids.length < offset + 2 || rest.some((id) => known.has(id))))
    return { unit: 'records', overlap: offset % limit === 0 ? 0 : 1 };
  if (shown === ids[offset * limit]) return { unit: 'pages', overlap: 0 };
  if (shown === ids[0]) return 'ignored';
  return isWithoutKey(shown) ? undefined : 'changed';
}

/** The same where the second page shows nothing: some targets accept only multiples of `limit`, and any page may fail. */
export async function unitElsewhere(
  client: ListClient,
  size: number,
  ids: string[],
): Promise<Unit | 'changed' | undefined> {
  let hasChanged = false;
  const half = Math.floor(ids.length / 2);
  const places = [
    { limit: size, offset: 2 },
    { limit: half, offset: half },
    { limit: half, offset: 1 },
    { limit: size, offset: 3 },
  ];
  for (const place of places.filter(({ limit, offset }) => limit > 1 && offset < ids.length)) {
    const page = idsOf(client, await client.page(place.limit, place.offset));
    const shown = await shownUnit(client, ids, place, page);
    if (typeof shown === 'object') return shown;
    hasChanged ||= shown === 'changed';
  }
  return hasChanged ? 'changed' : await unitOfMultiples(client, ids);
}

/** The same of a list that shows pages of one length only, each at a multiple of it, and rejects any other place. */
async function unitOfMultiples(client: ListClient, ids: string[]): Promise<Unit | undefined> {
  const { length } = ids;
  const behind = idsOf(client, await client.page(length, length));
  if (behind.length === 0 || behind.some((id) => ids.includes(id))) return undefined;
  // Where `offset` counts pages, those beside are shown.
  for (const offset of [length - 1, length + 1, 2 * length - 1, 2 * length + 1])
    if (!(await client.page(length, offset)).rejected) return undefined;
  return { unit: 'records', overlap: 0 };
}

/** The same as pages of half the length show it, where those of full length begin alike: each lies within the first of these. */
export async function unitOfHalves(client: ListClient, ids: string[]): Promise<Unit | undefined> {
  const half = Math.floor(ids.length / 2);
  const isShownAt = async (offset: number) =>
    ids[half] !== ids[0] && idsOf(client, await client.page(half, offset))[0] === ids[half];
  if (await isShownAt(half)) return { unit: 'records', overlap: 0 };
  return (await isShownAt(1)) ? { unit: 'pages', overlap: 0 } : undefined;
}

/** The same of a list whose second page begins with a twin of a record of the first, and which stands still. @param pages the first two */
export async function unitOfTwins(
  client: ListClient,
  size: number,
  pages: [string[], string[]],
): Promise<Unit | undefined> {
  // A page that is shown at both places begins with itself.
  if (pages[0].join() === pages[1].join()) return undefined;
  for (const [offset, ids] of pages.entries())
    if (idsOf(client, await client.page(size, offset)).join() !== ids.join()) return undefined;
  return unitOfHalves(client, pages[0]);
}

/** What tells the records of a page apart. */
export const idsOf = ({ list }: ListClient, { records = [] }: PageAnswer) =>
  records.map((record) => identityOf(record, list.key));
