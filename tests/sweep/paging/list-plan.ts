import type { Target } from '../../configuration/target.ts';
import { draw } from './draw.ts';
import { findPaging } from './find-paging.ts';
import { countAcrossHoles, countBySearch, isEndless, pageIsThere, recordIsThere } from './find-total.ts';
import type { ListClient, PageAnswer } from './list-client.ts';
import {
  countOwn,
  isOwn,
  type PageRequest,
  type Paging,
  type Part,
  pageAt,
  pagesOf,
  recordAt,
} from './paging.ts';
import { unseenEnd, unseenEndOfPages } from './sample-end.ts';

/** What is asked of a list, found out before the first page. A journal keeps it. */
export interface ListPlan {
  paging: Paging;
  /** How many records there are: exactly where they are drawn, else about. */
  records: number | undefined;
  /** Whether one page holds all. */
  isOnePage: boolean;
  /** Why nothing behind that page, or those that are drawn from, can be read, where something may be there. */
  hidden?: string;
  /** Set where only pages that show nothing say that the records that are drawn from are all. */
  isEndUnseen?: true;
  /** Set where there are records at a place that no list reaches. */
  endless?: true;
  sample?: { seed: number; drawn: number; of: number; by: 'records' | 'pages' };
}

/** A plan with the page that was requested on the way, or why there is none. */
export type Planned = { plan: ListPlan; first: PageAnswer } | { problem: string };

/** How many records are to be drawn, and by which seed; undefined where all are to be judged. */
export function sampleOf({ sweep, sweepSeed }: Pick<Target, 'sweep' | 'sweepSeed'>) {
  const seed = sweepSeed ?? Math.floor(Math.random() * 2 ** 31);
  return typeof sweep === 'number' ? { size: sweep, seed } : undefined;
}

/** @param sample how many records to draw; all are judged where there are no more, or none is given */
export async function planList(
  fromZero: ListClient,
  sample: { size: number; seed: number } | undefined,
): Promise<Planned> {
  const found = await findPaging(fromZero);
  if ('problem' in found) return found;
  const { paging, first, records: known, hidden } = found;
  const client = fromZero.counting(paging);
  const whole = { paging, isOnePage: known !== undefined, ...(hidden === undefined ? {} : { hidden }) };
  if (!sample) {
    const records = known ?? (await countRecords(client, paging));
    const endless = records === undefined && (await isEndless(client, paging));
    return { plan: { ...whole, records, ...(endless ? { endless } : {}) }, first };
  }
  if (paging.singles || known !== undefined) {
    const records = known ?? (await countAcrossHoles(recordIsThere(client), paging.size));
    if (records === undefined)
      return { problem: 'how many records it has cannot be found out, so that none can be drawn' };
    if (records <= sample.size || !paging.singles) return { plan: { ...whole, records }, first };
    const drawn = { seed: sample.seed, drawn: sample.size, of: records, by: 'records' } as const;
    const end = await unseenEnd(client, paging, records, recordIsThere(client));
    return { plan: { ...whole, ...end, records, sample: drawn, isOnePage: false }, first };
  }
  return planPages(client, paging, first, sample);
}

/** About how many records a list has; where none can be requested alone, as many as its pages may hold. */
async function countRecords(client: ListClient, paging: Paging): Promise<number | undefined> {
  const { singles, size, unit, overlap } = paging;
  if (singles) return countBySearch(recordIsThere(client), size, precision);
  if (unit === 'records' && overlap > 0) return countBySearch(pageIsThere(client, size, 1), size, precision);
  const pages = await countBySearch(pageIsThere(client, size, stepOf(paging)), 1, precision);
  return pages && pages * size;
}

const precision = 0.01;

/** What `offset` of one page and of the next one differ by, where they share nothing. */
const stepOf = ({ unit, size }: Paging) => (unit === 'records' ? size : 1);

/** Where records cannot be requested one by one, whole pages are drawn. */
async function planPages(
  client: ListClient,
  found: Paging,
  first: PageAnswer,
  { size, seed }: { size: number; seed: number },
): Promise<Planned> {
  const paging: Paging = { ...found, overlap: 0 };
  const isThere = pageIsThere(client, paging.size, stepOf(paging));
  const pages = await countAcrossHoles(isThere, 1);
  if (pages === undefined)
    return { problem: 'how many pages it has cannot be found out, so that none can be drawn' };
  const drawn = Math.ceil(size / paging.size);
  const records = pages * paging.size;
  const plan = { paging, isOnePage: false, records };
  if (drawn >= pages) return { plan, first };
  const end = await unseenEndOfPages(client, found, pages, isThere);
  return { plan: { ...plan, ...end, sample: { seed, drawn, of: pages, by: 'pages' } }, first };
}

/** The pages to ask for, from a number on: without an end where all are. */
export function* requestsOf(plan: ListPlan, from: number, part: Part | undefined): Generator<PageRequest> {
  for (const request of allRequests(plan, from))
    if (request.number >= from && isOwn(part, request.number)) yield request;
}

function* allRequests({ paging, isOnePage, sample }: ListPlan, from: number): Generator<PageRequest> {
  if (sample) {
    for (const [number, place] of draw(sample.drawn, sample.of, sample.seed).entries())
      yield sample.by === 'records' ? recordAt(number, place) : { ...pageAt(paging, place), number };
  } else {
    for (let number = from; number === 0 || !isOnePage; number += 1) yield pageAt(paging, number);
  }
}

/** Records that each page shares with the one before it; of those that are drawn, none does. */
export const overlapOf = ({ sample, paging }: ListPlan): 0 | 1 => (sample ? 0 : paging.overlap);

/** How the pages that are requested follow each other. */
export const pagingOf = (plan: ListPlan): Paging => ({ ...plan.paging, overlap: overlapOf(plan) });

/** How many requests a plan takes, where that is known. */
export function requestCountOf({ paging, records, sample, isOnePage }: ListPlan): number | undefined {
  if (sample) return sample.drawn;
  if (isOnePage) return 1;
  return records === undefined ? undefined : pagesOf(paging, records);
}

/** How many records a plan, or a part of it, looks at, about; undefined where that is not known. */
export function recordCountOf(plan: ListPlan, part: Part | undefined): number | undefined {
  const { sample, paging, records = 0 } = plan;
  const { size, overlap } = paging;
  const requests = requestCountOf(plan);
  if (requests === undefined) return undefined;
  const own = countOwn(part, requests);
  if (sample) return own * (sample.by === 'records' ? 1 : size);
  // A page shares records with the one before it; the last one is not full.
  const shared = isOwn(part, 0) ? 0 : overlap;
  const missing = isOwn(part, requests - 1) ? requests * (size - overlap) + overlap - records : 0;
  return own * (size - overlap) + overlap - shared - missing;
}
