import type { Operation } from '../../schemas/contract/contract.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { getOwnValue, getValue } from '../../schemas/json.ts';
import type { JudgedResponse } from '../../schemas/judge/judged.ts';
import type { Shard } from '../client/target.ts';
import { maxConcurrency } from '../client/target.ts';
import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { type RequestContext, sendAndJudge } from '../operations/request.ts';
import { describeCode } from '../redact/describe-value.ts';
import { createDisclosureFilter } from '../redact/disclosure.ts';
import type { Observation } from '../redact/observation.ts';
import { getComparableContent } from '../relations/shown.ts';
import { belongsToShard } from './shards.ts';

export interface ListSource {
  context: RequestContext;
  operation: Operation;
  list: SweptList;
  /**
   * Receives the observation of a page for which `isBrokenPage` is true. While a sweep is planned, the journal has no line for it.
   */
  onBroken?(observation: Observation): void;
}

/** Result of the requests before a sweep: how the list is paged, and which pages to request. Stored in the journal. */
export interface SweepPlan {
  /** Number of records on a full page. */
  size: number;
  /** Unit in which `offset` counts. The contract leaves it open (section 4.2). */
  unit: 'records' | 'pages';
  /** Number of records of the list, counted before the sweep. */
  counted: number;
  pages: number;
  /** Reason why there may be more records after the last counted page; undefined if the end is certain. */
  open?: string;
  /**
   * Random sample: `drawn` of `of` records, or `drawn` of `of` pages with `size` records each. Undefined if the whole list is
   * swept.
   */
  sample?: { by: 'records' | 'pages'; seed: number; drawn: number; of: number; size: number };
}

type Paging = Pick<SweepPlan, 'size' | 'unit'>;

export interface PageRequest {
  /** Number of the page in the list, from 0; in a random sample, the number of the draw. Identifies the page in the journal. */
  number: number;
  limit: number;
  /** Value of the query parameter `offset`, in the unit of the target: records or pages. */
  offset: number;
  /** Index of the first record of the page in the list, from 0. */
  position: number;
}

export interface ReceivedPage {
  /** Raw judgement; undefined if there is no response. */
  judged?: JudgedResponse | undefined;
  observation: Observation;
  records?: unknown[];
  failureReason?: string;
  /** True for a rejection or HTTP 204: the target has no such page. The contract leaves open how a target says that (section 7). */
  isNonexistent?: boolean;
}

/** Error about a list whose pages cannot be followed to its end. The user sees its message. */
export class PagingError extends Error {
  override name = 'PagingError';
}

/**
 * Requests and judges a page. Never throws for a response: `failureReason` then says why there are no records. Passes the
 * observation of a broken page (`isBrokenPage`) to `source.onBroken`.
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

function readPage(
  { judged: judgement, observation: { status, blocked } }: ReceivedPage,
  { operation, list: { pointer }, context }: ListSource,
): Pick<ReceivedPage, 'records' | 'failureReason' | 'isNonexistent'> {
  if (!judgement) return { failureReason: blocked ?? '' };
  const { kind, code } = judgement;
  const records = getValue(getComparableContent(operation, judgement).body, pointer);
  if (Array.isArray(records)) return { records };
  if (kind === 'success')
    return { failureReason: blocked ?? 'the response holds no list that can be judged' };
  const shownCode = describeCode(String(code), createDisclosureFilter(context.secrets, undefined));
  const codeText = code === status ? '' : ` with the code ${shownCode}`;
  const failureReason = `the target responded with HTTP ${status}${codeText}`;
  return { failureReason, isNonexistent: kind === 'rejection' || status === noContent };
}

/** Returns whether a success shows no record and breaks a requirement, such as with `null` in place of the list. */
export const isBrokenPage = ({ judged: judgement, records }: ReceivedPage): boolean =>
  judgement?.kind === 'success' && (!records || (records.length === 0 && judgement.broken.length > 0));

/**
 * Returns whether a page shows no record: the list is empty or `null` (Go encodes a nil slice so), the request was rejected, or
 * there is no response.
 */
const hasNoRecord = ({ records = [] }: ReceivedPage): boolean => records.length === 0;

export function createPageRequest({ size, unit }: Paging, number: number): PageRequest {
  const position = number * size;
  return { number, limit: size, offset: unit === 'records' ? position : number, position };
}

/** Values of `limit` to try, the largest first. The contract names no maximum (section 8). */
const limitsToTry = [1000, 500, 200, 100, 50, 20, 10];

/**
 * Finds the largest page, and the smallest tried `limit` that gives it. For a `limit` above its maximum, a target may send its
 * maximum number of records, its default number, or none.
 * @throws {PagingError} if no response holds a list
 */
async function findLargestPage(source: ListSource): Promise<{ size: number; limit: number }> {
  let longest: { size: number; limit: number } | undefined;
  let failureReason = '';
  for (const limit of limitsToTry) {
    // Smaller limits cannot give a longer page.
    if (longest && longest.size > limit) break;
    const page = await requestPage(source, { limit, offset: 0 });
    const size = page.records?.length;
    if (size === undefined) failureReason = page.failureReason ?? '';
    else if (size >= (longest?.size ?? 0)) longest = { size, limit };
  }
  if (!longest) throw new PagingError(`no request at \`offset\` 0 returned a page: ${failureReason}`);
  return longest;
}

/**
 * Finds the unit of `offset` by comparing the pages at offset 0 and 1. If they leave it open, returns `declared`. Without a second
 * page, returns `declared` or `records`, because both units then mean the same.
 * @param declared value of `SWEEP_OFFSET`; undefined if unset
 * @throws {PagingError} if the pages contradict `declared`, or if the unit remains unknown
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
  const unitOrDeclared = unit ?? declared;
  if (unitOrDeclared) return unitOrDeclared;
  const sharedCount = identities.filter((identity) => identitiesAt1.includes(identity)).length;
  const reason =
    first.failureReason ??
    second.failureReason ??
    `both show ${sharedCount} of ${formatCount(identities.length, 'record')}`;
  throw new PagingError(
    `what \`offset\` counts is not clear from the pages at \`offset\` 0 and 1: ${reason}; set SWEEP_OFFSET=records or SWEEP_OFFSET=pages`,
  );
}

const identifyRecords = ({ list }: ListSource, { records = [] }: ReceivedPage): string[] =>
  records.map((record) => {
    const identity = getOwnValue(record, list.key);
    return typeof identity === 'string' ? identity : JSON.stringify(record);
  });

/** A list with more records than this is taken for one without an end. */
const maxListLength = 1e9;

/**
 * Counts the records and pages of a list: doubles the page number until a page has no records, then bisects.
 * @param isFirstPageFull true if the first page has as many records as its limit, so that there may be a second page
 * @throws {PagingError} if the list has no end
 */
async function countRecords(
  source: ListSource,
  paging: Paging,
  { isFirstPageFull }: { isFirstPageFull: boolean },
): Promise<SweepPlan> {
  let lastPage = { number: 0, length: paging.size };
  let end: { pageNumber: number; page: ReceivedPage } | undefined;
  // Until `end` is the page right after `lastPage`.
  while (end?.pageNumber !== lastPage.number + 1) {
    const pageNumber = end
      ? Math.floor((lastPage.number + end.pageNumber) / 2)
      : Math.max(1, 2 * lastPage.number);
    const page = await requestPage(source, createPageRequest(paging, pageNumber));
    // A target that filters records after OFFSET and LIMIT may show an empty page in the middle of a list.
    const pageOrNext = hasNoRecord(page)
      ? await requestPage(source, createPageRequest(paging, pageNumber + 1))
      : page;
    if (hasNoRecord(pageOrNext)) end = { pageNumber, page };
    else if (pageNumber * paging.size > maxListLength) throw createEndlessError(paging, pageNumber);
    // A page without records in the middle of the list counts as full, because its length is not known.
    else lastPage = { number: pageNumber, length: page.records?.length || paging.size };
  }
  const plan = {
    ...paging,
    counted: lastPage.number * paging.size + lastPage.length,
    pages: lastPage.number + 1,
  };
  // The end is certain after an empty page, or a page that was not full.
  const isEndCertain =
    end.page.records || lastPage.length < paging.size || (lastPage.number === 0 && !isFirstPageFull);
  if (isEndCertain || (await isEndConfirmed(source, plan))) return plan;
  const open = 'the target does not show the page after a full one: whether the list ends there is not known';
  return { ...plan, open };
}

/** Creates the error for a list that still has records beyond `maxListLength`. */
const createEndlessError = (paging: Paging, pageNumber: number) =>
  new PagingError(
    `the list has no end: at \`offset\` ${formatNumber(createPageRequest(paging, pageNumber).offset)} there are records, and the target may show a page again after the last one`,
  );

/**
 * Looks for records after the counted end of a list, because a target that removes records after SQL has applied OFFSET and LIMIT
 * shows empty pages in the middle. Requests the 16 pages after the end, and then pages at growing distances.
 * @returns the reason in `open` if there are records; else `{}`
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
 * Requests a page that reaches beyond the counted end, and returns whether it shows exactly the last records. Requesting the page
 * after the end would prove nothing, because a target may reject any large `offset`.
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
 * Finds the page size, the unit of `offset` and the number of records of a list. If `SWEEP` is a smaller number than that, plans a
 * random sample.
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
  const addSample = (by: 'records' | 'pages', sampleSize: number, populationSize: number): SweepPlan => {
    if (sampleSize >= populationSize) return plan;
    return { ...plan, sample: { by, seed, drawn: sampleSize, of: populationSize, size } };
  };
  const { records } = await requestPage(source, { limit: 1, offset: 0 });
  // If the target does not serve single records, whole pages are drawn.
  return records?.length === 1
    ? addSample('records', sweep, plan.counted)
    : addSample('pages', Math.ceil(sweep / size), plan.pages);
}

/**
 * Yields the requests of a plan, or of its sample, that belong to the shard and are not done.
 * @param done numbers (`PageRequest.number`) of the pages in the journal
 */
export function* listPageRequests(
  plan: SweepPlan,
  shard: Shard | undefined,
  done: ReadonlySet<number>,
): Generator<PageRequest> {
  const { sample } = plan;
  const drawnPlaces = sample && drawNumbers(sample.drawn, sample.of, sample.seed);
  for (let number = 0; number < (sample?.drawn ?? plan.pages); number += 1) {
    const place = drawnPlaces?.[number] ?? number;
    if (!belongsToShard(shard, number) || done.has(number)) continue;
    // With a limit of 1, an offset counts the same in either unit.
    yield sample?.by === 'records'
      ? { number, limit: 1, offset: place, position: place }
      : { ...createPageRequest(plan, place), number };
  }
}

/** Creates a random generator (mulberry32) of numbers from 0 to below 1. The same seed gives the same sequence. */
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
 * Draws `count` different integers from 0 to below `populationSize` with Floyd's algorithm, in ascending order. The same seed draws
 * the same numbers.
 */
export function drawNumbers(count: number, populationSize: number, seed: number): number[] {
  const random = createRandom(seed);
  const numbers = new Set<number>();
  for (let last = Math.max(0, populationSize - count); last < populationSize; last += 1) {
    const number = Math.floor(random() * (last + 1));
    numbers.add(numbers.has(number) ? last : number);
  }
  return [...numbers].sort((a, b) => a - b);
}

/** Splits requests into batches of `maxConcurrency`, to be sent in parallel. The last batch may be shorter or empty. */
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
