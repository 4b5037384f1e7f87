import type { Operation } from '../../schemas/contract/contract.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { getValue, ownValue } from '../../schemas/json.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import type { Shard } from '../client/target.ts';
import { maxConcurrency } from '../client/target.ts';
import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { type RequestContext, sendAndJudge } from '../operations/request.ts';
import { describeCode } from '../redact/describe-value.ts';
import { createDisclosureFilter } from '../redact/disclosure.ts';
import type { Observation } from '../redact/observation.ts';
import { shownBy } from '../relations/shown.ts';
import { isOwn } from './shards.ts';

/** List of a target to sweep, with all that is needed to request and judge its pages. */
export interface ListSource {
  context: RequestContext;
  operation: Operation;
  list: SweptList;
  /**
   * Receives the observation of each page that is a success without a valid record (`isBrokenPage`), while a sweep is planned. The
   * journal has no line for these pages.
   */
  onBroken?(observation: Observation): void;
}

/** Result of the requests before a sweep: how the list is paged, and which pages to request. Stored in the journal. */
export interface SweepPlan {
  /** Number of records on a full page of the list, such as 100. */
  size: number;
  /** Unit in which `offset` counts on this target. The contract leaves it open (section 4.2). */
  unit: 'records' | 'pages';
  /** Number of records of the list, as counted before the sweep. */
  counted: number;
  /** Number of pages of `size` records that hold all counted records of the list. */
  pages: number;
  /** Reason why the list may have more records after the last counted page; undefined if its end is certain. */
  open?: string;
  /**
   * Random sample that a sweep judges: `drawn` of `of` records, or `drawn` of `of` pages with `size` records each. Undefined if the
   * sweep judges the whole list.
   */
  sample?: { by: 'records' | 'pages'; seed: number; drawn: number; of: number; size: number };
}

type Paging = Pick<SweepPlan, 'size' | 'unit'>;

/** Page of a list to request. */
export interface PageRequest {
  /** Number of a page in the list, from 0, which identifies it in the journal; in a random sample, the number of the draw. */
  number: number;
  /** Value of the query parameter `limit` for a page. */
  limit: number;
  /** Value of the query parameter `offset` for a page, in the unit of the target: records or pages. */
  offset: number;
  /** Index in the list of the first record on a page, from 0. */
  position: number;
}

/** Response to the request of a page: the records of the page, or the reason why it has none. */
export interface ReceivedPage {
  /** Raw result of judging the response; undefined if there is no response. */
  judged?: Judged | undefined;
  observation: Observation;
  /** Records of a received page; undefined if the response holds no list. */
  records?: unknown[];
  /** Reason, for reports, why a response holds no list of records; undefined if it holds one. */
  failed?: string;
  /** True for a rejection or HTTP 204: there is no such page. The contract does not say how a target tells that (section 7). */
  isRejected?: boolean;
}

/** Error about a list whose pages cannot be followed to its end. The user sees its message. */
export class PagingError extends Error {
  override name = 'PagingError';
}

/**
 * Requests and judges a page of a list. Does not throw if the request fails: `failed` then has the reason. Passes the observation
 * of a success without a valid record (`isBrokenPage`) to `source.onBroken`.
 */
export async function requestPage(
  source: ListSource,
  { limit, offset }: Pick<PageRequest, 'limit' | 'offset'>,
): Promise<ReceivedPage> {
  const response = await sendAndJudge(source.context, source.operation, source.list.page(limit, offset));
  const page = { ...response, ...readPage(response, source) };
  if (isBrokenPage(page)) source.onBroken?.(page.observation);
  return page;
}

/** HTTP status of a response without a body (RFC 9110, section 15.3.5). */
const noContent = 204;

/**
 * Reads the list of records from a judged page, or else the reason why it has none, and whether it says that there is no such page.
 */
function readPage(
  { judged: judgement, observation: { status, blocked } }: ReceivedPage,
  { operation, list: { pointer }, context }: ListSource,
): Pick<ReceivedPage, 'records' | 'failed' | 'isRejected'> {
  if (!judgement) return { failed: blocked ?? '' };
  const { kind, code } = judgement;
  const records = getValue(shownBy(operation, judgement).body, pointer);
  if (Array.isArray(records)) return { records };
  if (kind === 'success') return { failed: blocked ?? 'the response holds no list that can be judged' };
  const shownCode = describeCode(String(code), createDisclosureFilter(context.secrets, undefined));
  const codeText = code === status ? '' : ` with the code ${shownCode}`;
  const failed = `the target answered HTTP ${status}${codeText}`;
  return { failed, isRejected: kind === 'rejection' || status === noContent };
}

/** Returns whether a page is a success without any record, and breaks a requirement, such as with `null` in place of the list. */
export const isBrokenPage = ({ judged: judgement, records }: ReceivedPage): boolean =>
  judgement?.kind === 'success' && (!records || (records.length === 0 && judgement.broken.length > 0));

/**
 * Returns whether a page has no record: its list is empty or missing (Go encodes a nil slice as `null`), the target rejected the
 * request, or there is no response.
 */
const hasNoRecord = ({ records = [] }: ReceivedPage): boolean => records.length === 0;

/**
 * Returns the request for a page by its number, from 0. `offset` is in the unit of the target: `number * size` records, or `number`
 * pages.
 */
export function createPageRequest({ size, unit }: Paging, number: number): PageRequest {
  const position = number * size;
  return { number, limit: size, offset: unit === 'records' ? position : number, position };
}

/** Values of `limit` to try, the largest first, because the contract names no bounds of the page size (section 8). */
const limits = [1000, 500, 200, 100, 50, 20, 10];

/**
 * Finds the largest number of records on a page (`size`), and the smallest tried `limit` that gives it. For a `limit` above its own
 * maximum, which the contract does not name (section 4.2), a target may send that many records, its default number, or none.
 * @throws {PagingError} if no response holds a list
 */
async function findLargestPage(source: ListSource): Promise<{ size: number; limit: number }> {
  let longest: { size: number; limit: number } | undefined;
  let failed = '';
  for (const limit of limits) {
    // Smaller limits cannot give a longer page.
    if (longest && longest.size > limit) break;
    const page = await requestPage(source, { limit, offset: 0 });
    const size = page.records?.length;
    if (size === undefined) failed = page.failed ?? '';
    else if (size >= (longest?.size ?? 0)) longest = { size, limit };
  }
  if (!longest) throw new PagingError(`no request at \`offset\` 0 returned a page: ${failed}`);
  return longest;
}

/**
 * Finds the unit of `offset` by comparing the pages at offset 0 and 1. If they leave the unit open, returns the declared one. If no
 * page follows the first one, returns the declared unit, or else `records`: both units then mean the same.
 * @param size number of records on a full page
 * @param declared value of `SWEEP_OFFSET`; undefined if unset
 * @throws {PagingError} if the pages contradict `declared`, or if neither they nor `declared` tell the unit
 */
async function findOffsetUnit(
  source: ListSource,
  size: number,
  declared: SweepPlan['unit'] | undefined,
): Promise<SweepPlan['unit']> {
  const first = await requestPage(source, { limit: size, offset: 0 });
  const second = await requestPage(source, { limit: size, offset: 1 });
  // A list of one page, or of one record, is the same with either unit.
  if (hasNoRecord(second) && hasNoRecord(await requestPage(source, { limit: size, offset: size })))
    return declared ?? 'records';
  const [identities, identitiesAt1] = [identifyRecords(source, first), identifyRecords(source, second)];
  const unit = detectOffsetUnit(identities, identitiesAt1);
  if (unit && declared && unit !== declared)
    throw new PagingError(
      `SWEEP_OFFSET=${declared}, and the pages at \`offset\` 0 and 1 show that it counts ${unit}`,
    );
  const declaredOrDetected = declared ?? unit;
  if (declaredOrDetected) return declaredOrDetected;
  const shared = identities.filter((identity) => identitiesAt1.includes(identity)).length;
  const reason =
    first.failed ?? second.failed ?? `both show ${shared} of ${formatCount(identities.length, 'record')}`;
  throw new PagingError(
    `what \`offset\` counts is not clear from the pages at \`offset\` 0 and 1: ${reason}; set SWEEP_OFFSET=records or SWEEP_OFFSET=pages`,
  );
}

/**
 * Returns a text for each record of a page that identifies the record: its key, such as `uuid`, or the JSON of a record without a
 * key.
 */
const identifyRecords = ({ list }: ListSource, { records = [] }: ReceivedPage): string[] =>
  records.map((record) => {
    const identity = ownValue(record, list.key);
    return typeof identity === 'string' ? identity : JSON.stringify(record);
  });

/** Maximum number of records of a list. A list that seems longer is taken for one without an end. */
const farthest = 1e9;

/**
 * Counts the records and pages of a list: doubles the page number until a page has no records, then bisects. A page without records
 * counts as part of the list if the next page has records.
 * @param isFirstPageFull true if the first page has as many records as its limit, so that there may be a second one
 * @returns the plan of a sweep without a sample; `open` is set if the end of the list is not certain
 * @throws {PagingError} if the list has no end
 */
async function countRecords(
  source: ListSource,
  paging: Paging,
  { isFirstPageFull }: { isFirstPageFull: boolean },
): Promise<SweepPlan> {
  /** Number and length of the last page known to have records. */
  let [last, length] = [0, paging.size];
  /** First page known to be after the end of the list. */
  let end: { pageNumber: number; page: ReceivedPage } | undefined;
  // Until `end` is the page right after `last`.
  while (end?.pageNumber !== last + 1) {
    const pageNumber = end ? Math.floor((last + end.pageNumber) / 2) : Math.max(1, 2 * last);
    const page = await requestPage(source, createPageRequest(paging, pageNumber));
    // A target that filters records after OFFSET and LIMIT may show an empty page in the middle of a list.
    const next = hasNoRecord(page)
      ? await requestPage(source, createPageRequest(paging, pageNumber + 1))
      : page;
    if (hasNoRecord(next)) end = { pageNumber, page };
    else if (pageNumber * paging.size > farthest) throw createEndlessError(paging, pageNumber);
    // A page without records in the middle of the list counts as full, because its length is not known.
    else [last, length] = [pageNumber, page.records?.length || paging.size];
  }
  const plan = { ...paging, counted: last * paging.size + length, pages: last + 1 };
  // The end is certain after an empty page, or a page that was not full.
  const isCertain = end.page.records || length < paging.size || (last === 0 && !isFirstPageFull);
  if (isCertain || (await isEndConfirmed(source, plan))) return plan;
  const open = 'the target does not show the page after a full one: whether the list ends there is not known';
  return { ...plan, open };
}

/** Creates the error about a list that still has records on the page with this number, beyond `farthest`. */
const createEndlessError = (paging: Paging, pageNumber: number) =>
  new PagingError(
    `the list has no end: at \`offset\` ${formatNumber(createPageRequest(paging, pageNumber).offset)} there are records, and the target may show a page again after the last one`,
  );

/**
 * Looks for records after the planned end of a list. A target that removes records from a page after SQL has applied OFFSET and
 * LIMIT, such as deleted ones, shows empty pages before the end. Requests each of the first 16 pages after the end, and then pages
 * at growing distances, so that a short rest of the list may be missed.
 * @returns `open` with the reason why the list is longer than the plan; `{}` if no record was found
 */
async function findRecordsAfterEnd(source: ListSource, plan: SweepPlan): Promise<Pick<SweepPlan, 'open'>> {
  const maxDistance = Math.max(32, 4 * plan.pages);
  for (let distance = 1; distance <= maxDistance; distance += Math.ceil(distance / 16)) {
    const { records = [] } = await requestPage(source, createPageRequest(plan, plan.pages + distance));
    if (records.length > 0) return { open: 'there are empty pages, and records after them' };
  }
  return {};
}

/**
 * Requests a page that begins before the planned end of a list and reaches beyond it, and returns whether it shows exactly the last
 * records. The rejection of a page after the end proves nothing, because a target may reject any large `offset`. False if no
 * `limit` gives such a page.
 */
async function isEndConfirmed(
  source: ListSource,
  { size, unit, counted: count, pages }: SweepPlan,
): Promise<boolean> {
  // A limit that does not divide the number of records, so that a page begins before the end and reaches beyond it.
  let limit = size - 1;
  while (limit > 1 && count % limit === 0) limit -= 1;
  if (limit <= 1) return false;
  // A list of one page leaves the unit of `offset` open.
  const units = pages === 1 ? (['records', 'pages'] as const) : [unit];
  for (const possibleUnit of units) {
    const request = createPageRequest({ size: limit, unit: possibleUnit }, Math.floor(count / limit));
    const { records } = await requestPage(source, request);
    if (records?.length === count % limit) return true;
  }
  return false;
}

/**
 * Plans the sweep of a list: requests pages to find the page size, the unit of `offset`, and the number of records. Chooses the
 * size of a random sample if `SWEEP` is a number below the number of records.
 * @throws {PagingError} if the pages of the list cannot be followed
 */
export async function planList(source: ListSource): Promise<SweepPlan> {
  const { sweep, sweepSeed, sweepOffset } = source.context.target;
  const { size, limit } = await findLargestPage(source);
  if (size === 0) {
    const empty = { size: limit, unit: sweepOffset ?? ('records' as const), counted: 0, pages: 0 };
    return { ...empty, ...(await findRecordsAfterEnd(source, empty)) };
  }
  const unit = await findOffsetUnit(source, size, sweepOffset);
  const wholeList = await countRecords(source, { size, unit }, { isFirstPageFull: size === limit });
  const plan = { ...wholeList, ...(await findRecordsAfterEnd(source, wholeList)) };
  if (typeof sweep !== 'number' || sweep >= plan.counted) return plan;
  const seed = sweepSeed ?? Math.floor(Math.random() * 2 ** 31);
  /** Returns the plan with a sample, or for the whole list if the sample would be as large. */
  const addSample = (by: 'records' | 'pages', sampleSize: number, of: number) =>
    sampleSize < of ? { ...plan, sample: { by, seed, drawn: sampleSize, of, size } } : plan;
  const { records } = await requestPage(source, { limit: 1, offset: 0 });
  // If the target does not serve single records, whole pages are drawn.
  return records?.length === 1
    ? addSample('records', sweep, plan.counted)
    : addSample('pages', Math.ceil(sweep / size), plan.pages);
}

/**
 * Yields the requests for the pages of a plan, or for the drawn records or pages of a sample. Leaves out those of other shards and
 * those that are done.
 * @param done numbers (`PageRequest.number`) of the pages that the journal holds already
 */
export function* listPageRequests(
  plan: SweepPlan,
  shard: Shard | undefined,
  done: ReadonlySet<number>,
): Generator<PageRequest> {
  const { sample } = plan;
  const places = sample && drawNumbers(sample.drawn, sample.of, sample.seed);
  for (let number = 0; number < (sample?.drawn ?? plan.pages); number += 1) {
    const place = places?.[number] ?? number;
    if (!isOwn(shard, number) || done.has(number)) continue;
    // With a limit of 1, an offset counts the same in either unit.
    yield sample?.by === 'records'
      ? { number, limit: 1, offset: place, position: place }
      : { ...createPageRequest(plan, place), number };
  }
}

/** Creates a random generator (mulberry32): numbers from 0 up to but not including 1, in the same sequence for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Draws `count` different integers from 0 up to but not including `of`, the same for the same seed, with Floyd's algorithm for
 * random samples. Returns them in ascending order.
 */
export function drawNumbers(count: number, of: number, seed: number): number[] {
  const random = createRandom(seed);
  const numbers = new Set<number>();
  for (let last = Math.max(0, of - count); last < of; last += 1) {
    const number = Math.floor(random() * (last + 1));
    numbers.add(numbers.has(number) ? last : number);
  }
  return [...numbers].sort((a, b) => a - b);
}

/**
 * Splits requests into batches of `maxConcurrency`, the requests of each to be sent in parallel. The last batch is shorter, and may
 * be empty.
 */
export function* splitIntoBatches<Request>(requests: Iterable<Request>): Generator<Request[]> {
  let batch: Request[] = [];
  for (const request of requests) {
    batch.push(request);
    if (batch.length < maxConcurrency) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
