import { isDeepStrictEqual } from 'node:util';
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
import { getComparableContent } from '../relations/comparable.ts';
import { belongsToShard } from './shards.ts';

export interface ListSource {
  context: RequestContext;
  operation: Operation;
  list: SweptList;
  /** Called for each broken page (`isBrokenPage`), such as a successful response without a list. */
  onBrokenPage?(observation: Observation): void;
}

export interface SweepPlan {
  size: number;
  /** Unit of `offset`, which the contract leaves open (section 4.2). */
  unit: 'records' | 'pages';
  /** Value of `offset` for the first page. Default: 0. The value is 1 for `one-indexed-parameters` of Spring Data. */
  firstOffset?: number;
  /** Number of records counted when the sweep was planned. */
  populationSize: number;
  pages: number;
  /** Reason why the list may have more records than `populationSize`. Undefined if the end of the list is known. */
  unknownEndReason?: string;
  sample?: { by: 'records' | 'pages'; seed: number; sampleSize: number; of: number; size: number };
}

type Paging = Pick<SweepPlan, 'size' | 'unit' | 'firstOffset'>;

export interface PageRequest {
  /**
   * Index of the page in the list, from 0. In a random sample, the number is the index in the sample, such as 2 for the third page
   * of the sample.
   */
  number: number;
  limit: number;
  offset: number;
  /** Index of the page's first record in the list, from 0. */
  position: number;
}

export interface ReceivedPage {
  judged?: JudgedResponse | undefined;
  observation: Observation;
  records?: unknown[];
  failureReason?: string;
  /** True if the page seems not to exist, as after HTTP 404 (contract section 7). */
  isNonexistent?: boolean;
}

/** Thrown if a list cannot be swept, for example because it has no end. */
export class PagingError extends Error {
  override name = 'PagingError';
}

export async function requestPage(
  source: ListSource,
  { limit, offset }: Pick<PageRequest, 'limit' | 'offset'>,
): Promise<ReceivedPage> {
  const { context, operation, list } = source;
  const response = await sendAndJudge(context, operation, list.createPageArguments(limit, offset));
  const page = { ...response, ...readPage(response, source) };
  if (isBrokenPage(page)) source.onBrokenPage?.(page.observation);
  return page;
}

const noContentStatus = 204;

function readPage(
  { judged: judgement, observation: { status, blocked: blockedReason = '' } }: ReceivedPage,
  { operation, list: { pointer }, context }: ListSource,
): Pick<ReceivedPage, 'records' | 'failureReason' | 'isNonexistent'> {
  if (!judgement) return { failureReason: blockedReason };
  const { kind, code } = judgement;
  const { body } = getComparableContent(operation, judgement);
  const records = getValue(body, pointer);
  if (Array.isArray(records)) return { records };
  if (kind === 'success')
    return { failureReason: blockedReason || 'the response holds no list that can be judged' };
  // For a page after the end of the list, some targets reject the request or respond with HTTP 204.
  const isNonexistent = kind === 'rejection' || status === noContentStatus;
  const statusText = `the target responded with HTTP ${status}`;
  // An error code in the body replaces the HTTP status, as in HTTP 200 with `"code": 404`.
  const hasErrorCode = code !== status;
  if (!hasErrorCode) return { failureReason: statusText, isNonexistent };
  const shownCode = describeCode(String(code), createDisclosureFilter(context.secrets, undefined));
  return { failureReason: `${statusText} with the code ${shownCode}`, isNonexistent };
}

/**
 * Returns whether a successful response holds no list that can be judged. Also returns true if the list is empty, but the response
 * violates a requirement. Returns false for a response that is no success.
 */
export function isBrokenPage({ judged: judgement, records }: ReceivedPage): boolean {
  if (judgement?.kind !== 'success') return false;
  if (!records) return true;
  // False for a page with records, because the sweep counts their violations record by record.
  return records.length === 0 && judgement.broken.length > 0;
}

const isFailedPage = ({ records, isNonexistent }: ReceivedPage): boolean =>
  records === undefined && !isNonexistent;

async function requestPageAgainAfterFailure(
  source: ListSource,
  request: Pick<PageRequest, 'limit' | 'offset'>,
): Promise<ReceivedPage> {
  const page = await requestPage(source, request);
  return isFailedPage(page) ? requestPage(source, request) : page;
}

const hasNoRecord = ({ records = [] }: ReceivedPage): boolean => records.length === 0;

export function createPageRequest({ size, unit, firstOffset = 0 }: Paging, number: number): PageRequest {
  const position = number * size;
  const offset = unit === 'records' ? position : firstOffset + number;
  return { number, limit: size, offset, position };
}

/** Values of `limit` to try, because the contract names no maximum (section 8). */
const usualLimits = [1000, 500, 200, 100, 50, 20, 10];
/** Values of `limit` to try if the target returns no page for any of `usualLimits`. */
const rareLimits = [30, 25, 15, 5, 1];

/**
 * Finds the largest page that the target returns.
 * @returns `size` is the number of records on this page. `limit` is the smallest tried value that returns as many records.
 * @throws {PagingError} if no response holds a list
 */
async function findLargestPage(source: ListSource): Promise<{ size: number; limit: number }> {
  let longest: { size: number; limit: number } | undefined;
  let failureReason = '';
  // Does not stop at the first page with records: if a limit is too large, some targets return a page of default length, or an empty one.
  for (const limit of [...usualLimits, ...rareLimits]) {
    // The values of `usualLimits` become smaller, so that no later one can return a longer page.
    const isLimitTooSmall = longest !== undefined && longest.size > limit;
    const isRareLimitUnneeded = longest !== undefined && rareLimits.includes(limit);
    if (isLimitTooSmall || isRareLimitUnneeded) break;
    // Not repeated after a failure: a target that needs too long for a large page would get no response three times, and the sweep
    // would stop.
    const page = await requestPage(source, { limit, offset: 0 });
    if (!page.records) {
      failureReason = page.failureReason ?? '';
      continue;
    }
    const size = page.records.length;
    // `>=`, because a smaller limit with as many records is preferred.
    if (!longest || size >= longest.size) longest = { size, limit };
  }
  if (!longest) throw new PagingError(`no request at \`offset\` 0 returned a page: ${failureReason}`);
  return longest;
}

/**
 * Finds the unit of `offset`, records or pages, by comparing the pages at `offset` 0 and 1. If only the page at `offset` 0 has
 * records, the unit makes no difference. In that case, the unit is `declared`, or `records` if `declared` is undefined.
 * If the unit is pages, and both pages show the same records, `firstOffset` is 1.
 * @param size number of records on a full page
 * @param declared value of `SWEEP_OFFSET`, used if the pages do not show the unit
 * @throws {PagingError} if the pages contradict `declared`. Also throws if the unit makes a difference, but neither the pages nor
 *   `declared` show the unit.
 */
async function findPaging(
  source: ListSource,
  size: number,
  declared: SweepPlan['unit'] | undefined,
): Promise<Paging> {
  const pageAt0 = await requestPage(source, { limit: size, offset: 0 });
  const pageAt1 = await requestPageAgainAfterFailure(source, { limit: size, offset: 1 });
  if (hasNoRecord(pageAt1)) {
    // The list has only one page, unless `offset` must be a multiple of `limit`: then there are records at `offset=size`.
    const pageAtSize = await requestPage(source, { limit: size, offset: size });
    // If the page at `offset` 1 failed, it shows neither that the list ends, nor what `offset` counts.
    const hasOnlyOnePage = hasNoRecord(pageAtSize) && !isFailedPage(pageAt1);
    if (hasOnlyOnePage) return { size, unit: declared ?? 'records' };
  }
  const [identitiesAt0, identitiesAt1] = [listIdentities(source, pageAt0), listIdentities(source, pageAt1)];
  const detected = detectOffsetUnit(identitiesAt0, identitiesAt1);
  if (detected && declared && detected !== declared)
    throw new PagingError(
      `SWEEP_OFFSET=${declared}, and the pages at \`offset\` 0 and 1 show that it counts ${detected}`,
    );
  const unit = detected ?? declared;
  if (unit === undefined) throw createUnknownUnitError(source, pageAt0, pageAt1);
  // Spring Data with `one-indexed-parameters` counts pages from 1, and shows the first page at `offset` 0, too.
  const isPageShownTwice = !hasNoRecord(pageAt1) && isDeepStrictEqual(identitiesAt0, identitiesAt1);
  return unit === 'pages' && isPageShownTwice ? { size, unit, firstOffset: 1 } : { size, unit };
}

function createUnknownUnitError(source: ListSource, pageAt0: ReceivedPage, pageAt1: ReceivedPage) {
  const [identitiesAt0, identitiesAt1] = [listIdentities(source, pageAt0), listIdentities(source, pageAt1)];
  const sharedCount = identitiesAt0.filter((identity) => identitiesAt1.includes(identity)).length;
  const reason =
    pageAt0.failureReason ??
    pageAt1.failureReason ??
    `both show ${sharedCount} of ${formatCount(identitiesAt0.length, 'record')}`;
  return new PagingError(
    `what \`offset\` counts is not clear from the pages at \`offset\` 0 and 1: ${reason}; set SWEEP_OFFSET=records or SWEEP_OFFSET=pages`,
  );
}

const listIdentities = ({ list }: ListSource, { records = [] }: ReceivedPage): string[] =>
  records.map((record) => {
    const identity = getOwnValue(record, list.key);
    return typeof identity === 'string' ? identity : JSON.stringify(record);
  });

const maxListLength = 1e9;

/**
 * Counts the records and pages of a list, by finding its last page.
 * @param isFirstPageFull whether the first page has as many records as its `limit`. The value matters only for a list of one page.
 *   If this page is not full, the list ends with this page. If this page is full, there may be more records.
 */
async function countRecords(
  source: ListSource,
  paging: Paging,
  { isFirstPageFull }: { isFirstPageFull: boolean },
): Promise<SweepPlan> {
  const { lastPage, pageAfterLast } = await findLastPage(source, paging);
  const populationSize = lastPage.number * paging.size + lastPage.length;
  const plan = { ...paging, populationSize, pages: lastPage.number + 1 };
  const isEndShown = pageAfterLast.records !== undefined;
  if (isEndShown) return plan;
  // For the first page, `findLastPage` returns `paging.size` as the length, whether the page is full or not.
  const isLastPageFull = lastPage.number === 0 ? isFirstPageFull : lastPage.length >= paging.size;
  if (!isLastPageFull) return plan;
  // The last page is full, and the response for the next page has no list, so there may be more records.
  if (await isEndConfirmed(source, plan)) return plan;
  const openEndReason =
    'the target does not show the page after a full one: whether the list ends there is not known';
  return { ...plan, unknownEndReason: openEndReason };
}

interface ListEnd {
  lastPage: { number: number; length: number };
  pageAfterLast: ReceivedPage;
}

/**
 * Finds the last page with records, by exponential search and bisection.
 * @throws {PagingError} if a page beyond `maxListLength` has records
 */
async function findLastPage(source: ListSource, paging: Paging): Promise<ListEnd> {
  // The caller has received the first page, which has records. Its length counts as full until a later page replaces it.
  let lastKnownPage = { number: 0, length: paging.size };
  let pageAfterEnd: { number: number; page: ReceivedPage } | undefined;
  // Until the last page with records and the first page after the end are neighbours.
  while (pageAfterEnd?.number !== lastKnownPage.number + 1) {
    const number = choosePageNumber(lastKnownPage.number, pageAfterEnd?.number);
    const page = await requestPage(source, createPageRequest(paging, number));
    const isAfterEnd = hasNoRecord(page) && (await isNextPageEmpty(source, paging, number));
    if (isAfterEnd) {
      pageAfterEnd = { number, page };
      continue;
    }
    if (number * paging.size > maxListLength) throw createEndlessError(paging, number);
    // The length of an empty page in the middle of the list says nothing, so this page counts as full.
    const length = page.records?.length || paging.size;
    lastKnownPage = { number, length };
  }
  return { lastPage: lastKnownPage, pageAfterLast: pageAfterEnd.page };
}

/** Chooses the next page to try. After page 8, this is page 16. If page 16 is empty, page 12 is next. */
const choosePageNumber = (lastWithRecords: number, firstEmpty: number | undefined): number =>
  firstEmpty === undefined
    ? Math.max(1, 2 * lastWithRecords)
    : Math.floor((lastWithRecords + firstEmpty) / 2);

async function isNextPageEmpty(source: ListSource, paging: Paging, pageNumber: number): Promise<boolean> {
  const nextPage = await requestPage(source, createPageRequest(paging, pageNumber + 1));
  return hasNoRecord(nextPage);
}

const createEndlessError = (paging: Paging, pageNumber: number) =>
  new PagingError(
    `the list has no end: at \`offset\` ${formatNumber(createPageRequest(paging, pageNumber).offset)} there are records, and the target may show a page again after the last one`,
  );

async function markRecordsAfterEnd(source: ListSource, plan: SweepPlan): Promise<SweepPlan> {
  // Some targets filter the records of a page after a database query with OFFSET and LIMIT: pages in the middle of the list are empty.
  const maxDistance = Math.max(32, 4 * plan.pages);
  let distance = 1;
  while (distance <= maxDistance) {
    const request = createPageRequest(plan, plan.pages + distance);
    const { records = [] } = await requestPage(source, request);
    if (records.length > 0)
      return { ...plan, unknownEndReason: 'there are empty pages, and records after them' };
    // Requests every page near the end, then every second page, then every third page, and so on.
    distance += Math.ceil(distance / 16);
  }
  return plan;
}

/**
 * Returns whether a page that reaches beyond the end confirms the number of records. For 20 records on pages of 10, for example,
 * the page at `limit=9&offset=18` must hold 2 records.
 */
async function isEndConfirmed(source: ListSource, plan: SweepPlan): Promise<boolean> {
  // A page that begins after the end would prove nothing, because a target may reject any large `offset` (contract section 8).
  const { size, unit, populationSize: count, pages } = plan;
  const limit = findLimitWithRest(size, count);
  if (limit === undefined) return false;
  const lastPageNumber = Math.floor(count / limit);
  const expectedLength = count % limit;
  // If the list has only one page, it is not certain what `offset` counts.
  const possibleUnits = pages === 1 ? (['records', 'pages'] as const) : [unit];
  for (const possibleUnit of possibleUnits) {
    const lastPage = createPageRequest({ ...plan, size: limit, unit: possibleUnit }, lastPageNumber);
    const { records } = await requestPage(source, lastPage);
    // If the list ends at `count`, this page has fewer records than its `limit`.
    if (records?.length === expectedLength) return true;
  }
  return false;
}

function findLimitWithRest(size: number, count: number): number | undefined {
  for (let limit = size - 1; limit > 1; limit -= 1) {
    const lengthOfLastPage = count % limit;
    if (lengthOfLastPage !== 0) return limit;
  }
  return undefined;
}

/**
 * Plans the sweep of a list. Requests some pages to find the page size, the unit of `offset` and the number of records.
 * @throws {PagingError} if the list cannot be swept
 */
export async function planList(source: ListSource): Promise<SweepPlan> {
  const { sweep, sweepSeed, sweepOffset } = source.context.target;
  const { size, limit } = await findLargestPage(source);
  const isFirstPageEmpty = size === 0;
  if (isFirstPageEmpty) {
    const emptyPlan = { size: limit, unit: sweepOffset ?? 'records', populationSize: 0, pages: 0 };
    return markRecordsAfterEnd(source, emptyPlan);
  }
  const paging = await findPaging(source, size, sweepOffset);
  const wholeList = await countRecords(source, paging, { isFirstPageFull: size === limit });
  const plan = await markRecordsAfterEnd(source, wholeList);
  const isSampleWanted = typeof sweep === 'number' && sweep < plan.populationSize;
  if (!isSampleWanted) return plan;
  const seed = sweepSeed ?? Math.floor(Math.random() * 2 ** 31);
  return addSample(source, plan, sweep, seed);
}

async function addSample(
  source: ListSource,
  plan: SweepPlan,
  recordCount: number,
  seed: number,
): Promise<SweepPlan> {
  const { size, populationSize, pages } = plan;
  const { records } = await requestPage(source, { limit: 1, offset: 0 });
  const supportsSingleRecords = records?.length === 1;
  if (supportsSingleRecords)
    return { ...plan, sample: { by: 'records', seed, sampleSize: recordCount, of: populationSize, size } };
  const neededPages = Math.ceil(recordCount / size);
  const isWholeListNeeded = neededPages >= pages;
  if (isWholeListNeeded) return plan;
  return { ...plan, sample: { by: 'pages', seed, sampleSize: neededPages, of: pages, size } };
}

/**
 * Yields the page requests that a shard still has to send.
 * @param receivedNumbers pages that the journal already holds
 */
export function* listPageRequests(
  plan: SweepPlan,
  shard: Shard | undefined,
  receivedNumbers: ReadonlySet<number>,
): Generator<PageRequest> {
  const { sample, pages } = plan;
  const drawnIndices = sample && drawNumbers(sample.sampleSize, sample.of, sample.seed);
  // With `limit=1`, each page is one record, so it does not matter whether `offset` counts pages or records.
  const paging = sample?.by === 'records' ? { ...plan, size: 1 } : plan;
  const plannedCount = drawnIndices?.length ?? pages;
  for (let number = 0; number < plannedCount; number += 1) {
    if (!belongsToShard(shard, number) || receivedNumbers.has(number)) continue;
    const index = drawnIndices?.[number] ?? number;
    yield { ...createPageRequest(paging, index), number };
  }
}

/** Creates a random number generator like `Math.random`, but with a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  // `| 0` keeps the state a 32-bit integer.
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws up to `count` different integers from 0 to below `populationSize`, sorted. */
export function drawNumbers(count: number, populationSize: number, seed: number): number[] {
  const random = createRandom(seed);
  const drawnNumbers = new Set<number>();
  // Floyd's algorithm: draws no number twice, without a retry.
  const firstLargest = Math.max(0, populationSize - count);
  for (let largest = firstLargest; largest < populationSize; largest += 1) {
    const candidate = Math.floor(random() * (largest + 1));
    const isTaken = drawnNumbers.has(candidate);
    drawnNumbers.add(isTaken ? largest : candidate);
  }
  return [...drawnNumbers].sort((a, b) => a - b);
}

/** Splits requests into batches of at most `maxConcurrency`. The last batch may be empty. */
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
