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

/** Operation whose response holds the list to sweep, and the context of its requests. */
export interface ListSource {
  context: RequestContext;
  operation: Operation;
  list: SweptList;
  /** Receives each broken page (`isBrokenPage`). Only set while the sweep is planned. */
  onBrokenPage?(observation: Observation): void;
}

/** Plan of a sweep: how the target pages its list, and which pages are requested. Stored in the journal. */
export interface SweepPlan {
  /** Number of records on a full page. */
  size: number;
  /** Unit of the query parameter `offset`, pages or records: the contract does not say it (section 4.2). */
  unit: 'records' | 'pages';
  /** Number of records in the list when the sweep was planned. */
  counted: number;
  /** Number of pages with `size` records each; the last page may have fewer. */
  pages: number;
  /** Reason why the list may have more than `counted` records; undefined if the end of the list is certain. */
  open?: string;
  /**
   * Random sample: `drawn` records from a list of `of` records or, if `by` is `pages`, `drawn` pages from a list of `of` pages with
   * `size` records each. Undefined if the whole list is swept.
   */
  sample?: { by: 'records' | 'pages'; seed: number; drawn: number; of: number; size: number };
}

type Paging = Pick<SweepPlan, 'size' | 'unit'>;

export interface PageRequest {
  /** Number of the page in the journal, from 0: its index in the list or, for a random sample, its index in the sorted sample. */
  number: number;
  limit: number;
  offset: number;
  /** Index in the list, from 0, of the first record on the page. */
  position: number;
}

export interface ReceivedPage {
  judged?: JudgedResponse | undefined;
  observation: Observation;
  /** Undefined if the response has no list that can be read: see `failureReason`. */
  records?: unknown[];
  failureReason?: string;
  /** True if there is no such page: the target rejected the request, or sent HTTP 204. The contract leaves this open (section 7). */
  isNonexistent?: boolean;
}

/** Thrown if a list cannot be swept, for example because it has no end. The message is shown to the user. */
export class PagingError extends Error {
  override name = 'PagingError';
}

/** Requests and judges one page of a list. Does not throw if the response has no list (see `failureReason`). */
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

/** Status of a success without a body (RFC 9110, section 15.3.5). */
const noContentStatus = 204;

function readPage(
  { judged: judgement, observation: { status, blocked: blockedReason = '' } }: ReceivedPage,
  { operation, list: { pointer }, context }: ListSource,
): Pick<ReceivedPage, 'records' | 'failureReason' | 'isNonexistent'> {
  if (!judgement) return { failureReason: blockedReason };
  const { kind, code } = judgement;
  const records = getValue(getComparableContent(operation, judgement).body, pointer);
  if (Array.isArray(records)) return { records };
  if (kind === 'success')
    return { failureReason: blockedReason || 'the response holds no list that can be judged' };
  const shownCode = describeCode(String(code), createDisclosureFilter(context.secrets, undefined));
  const codeText = code === status ? '' : ` with the code ${shownCode}`;
  const failureReason = `the target responded with HTTP ${status}${codeText}`;
  return { failureReason, isNonexistent: kind === 'rejection' || status === noContentStatus };
}

/** Returns whether a success violates the contract without showing a record: no list, or an empty list and another violation. */
export const isBrokenPage = ({ judged: judgement, records }: ReceivedPage): boolean =>
  judgement?.kind === 'success' && (!records || (records.length === 0 && judgement.broken.length > 0));

/** Returns whether a page shows no record: its list is empty or missing, or its request failed. */
const hasNoRecord = ({ records = [] }: ReceivedPage): boolean => records.length === 0;

export function createPageRequest({ size, unit }: Paging, number: number): PageRequest {
  const position = number * size;
  return { number, limit: size, offset: unit === 'records' ? position : number, position };
}

/** Values of `limit` with which to look for the largest page. The contract names no maximum (section 8). */
const limitsToTry = [1000, 500, 200, 100, 50, 20, 10];

/**
 * Finds the number of records on the largest page (`size`), and the smallest of `limitsToTry` that gives it. A target may respond
 * to a `limit` above its maximum with the maximum, with its default, or with no record.
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
 * Finds what `offset` counts, by comparing the pages at offset 0 and 1.
 * @param declared value of `SWEEP_OFFSET`; undefined if unset
 * @throws {PagingError} if the pages contradict `declared`, or if it is undefined and the pages leave the unit unclear
 */
async function findOffsetUnit(
  source: ListSource,
  size: number,
  declared: SweepPlan['unit'] | undefined,
): Promise<SweepPlan['unit']> {
  const pageAt0 = await requestPage(source, { limit: size, offset: 0 });
  const pageAt1 = await requestPage(source, { limit: size, offset: 1 });
  // The second page is at offset 1 if `offset` counts pages, and at offset `size` if it counts records.
  const isSinglePage =
    hasNoRecord(pageAt1) && hasNoRecord(await requestPage(source, { limit: size, offset: size }));
  if (isSinglePage) return declared ?? 'records';
  const detected = detectOffsetUnit(listIdentities(source, pageAt0), listIdentities(source, pageAt1));
  if (detected && declared && detected !== declared)
    throw new PagingError(
      `SWEEP_OFFSET=${declared}, and the pages at \`offset\` 0 and 1 show that it counts ${detected}`,
    );
  const unit = detected ?? declared;
  if (unit === undefined) throw createUnknownUnitError(source, pageAt0, pageAt1);
  return unit;
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
 * Counts the records and pages of a list by finding its last page. Confirms the end if no page shows it.
 * @param isFirstPageFull whether the first page has as many records as its `limit`; read only if the list has one page
 */
async function countRecords(
  source: ListSource,
  paging: Paging,
  { isFirstPageFull }: { isFirstPageFull: boolean },
): Promise<SweepPlan> {
  const { lastPage, pageAfterLast } = await findLastPage(source, paging);
  const counted = lastPage.number * paging.size + lastPage.length;
  const plan = { ...paging, counted, pages: lastPage.number + 1 };
  const isEmptyPageShownAfterEnd = pageAfterLast.records !== undefined;
  const isLastPageFull = lastPage.number === 0 ? isFirstPageFull : lastPage.length >= paging.size;
  if (isEmptyPageShownAfterEnd || !isLastPageFull || (await isEndConfirmed(source, plan))) return plan;
  const openEndReason =
    'the target does not show the page after a full one: whether the list ends there is not known';
  return { ...plan, open: openEndReason };
}

/**
 * Finds the last page with records, and the empty page after it: doubles the page number until two pages in a row are empty, and
 * then bisects (`choosePageToRequest`).
 * @throws {PagingError} if a page beyond `maxListLength` has records
 */
async function findLastPage(source: ListSource, paging: Paging) {
  let lastKnownPage = { number: 0, length: paging.size };
  let pageAfterEnd: { number: number; page: ReceivedPage } | undefined;
  while (pageAfterEnd?.number !== lastKnownPage.number + 1) {
    const number = choosePageToRequest(lastKnownPage.number, pageAfterEnd?.number);
    const page = await requestPage(source, createPageRequest(paging, number));
    if (await areTwoPagesEmpty(source, paging, number, page)) {
      pageAfterEnd = { number, page };
      continue;
    }
    if (number * paging.size > maxListLength) throw createEndlessError(paging, number);
    // A page without records in the middle of the list counts as full, because its length is not known.
    lastKnownPage = { number, length: page.records?.length || paging.size };
  }
  return { lastPage: lastKnownPage, pageAfterLast: pageAfterEnd.page };
}

/** Doubles the page number until a page after the end of the list is known, and then takes the middle of both pages (bisection). */
const choosePageToRequest = (lastKnown: number, afterEnd: number | undefined): number =>
  afterEnd === undefined ? Math.max(1, 2 * lastKnown) : Math.floor((lastKnown + afterEnd) / 2);

/** Returns whether a page and the next one are empty. One empty page may be in mid-list, if a target filters records after OFFSET and LIMIT. */
async function areTwoPagesEmpty(source: ListSource, paging: Paging, pageNumber: number, page: ReceivedPage) {
  if (!hasNoRecord(page)) return false;
  return hasNoRecord(await requestPage(source, createPageRequest(paging, pageNumber + 1)));
}

const createEndlessError = (paging: Paging, pageNumber: number) =>
  new PagingError(
    `the list has no end: at \`offset\` ${formatNumber(createPageRequest(paging, pageNumber).offset)} there are records, and the target may show a page again after the last one`,
  );

/**
 * Adds the reason `open` to a plan if there are records after several empty pages, which seemed to be the end of the list. Some
 * targets filter records after SQL has applied OFFSET and LIMIT, and so have empty pages in the middle of a list.
 */
async function markOpenEnd(source: ListSource, plan: SweepPlan): Promise<SweepPlan> {
  // Looks up to 4 times the length of the list beyond its end. Requests each of the first 16 pages, and then ever fewer.
  const maxDistance = Math.max(32, 4 * plan.pages);
  for (let distance = 1; distance <= maxDistance; distance += Math.ceil(distance / 16)) {
    const { records = [] } = await requestPage(source, createPageRequest(plan, plan.pages + distance));
    if (records.length > 0) return { ...plan, open: 'there are empty pages, and records after them' };
  }
  return plan;
}

/**
 * Confirms the counted end of a list: requests a page that begins before this end and reaches beyond it, and returns whether the
 * page ends there. A page after the end would prove nothing, because a target may reject any large `offset`.
 */
async function isEndConfirmed(source: ListSource, plan: SweepPlan): Promise<boolean> {
  const { size, unit, counted: count, pages } = plan;
  const limit = findLimitWithRest(size, count);
  if (limit === undefined) return false;
  const lastPageIndex = Math.floor(count / limit);
  const expectedLength = count % limit;
  // With a list of one page, `unit` is not known for sure.
  const possibleUnits = pages === 1 ? (['records', 'pages'] as const) : [unit];
  for (const possibleUnit of possibleUnits) {
    const lastPage = createPageRequest({ size: limit, unit: possibleUnit }, lastPageIndex);
    const { records } = await requestPage(source, lastPage);
    if (records?.length === expectedLength) return true;
  }
  return false;
}

/** Finds the largest limit below `size` that does not divide `count`, so that the last page is not full. Undefined if there is none. */
function findLimitWithRest(size: number, count: number): number | undefined {
  for (let limit = size - 1; limit > 1; limit -= 1) if (count % limit !== 0) return limit;
  return undefined;
}

/**
 * Plans the sweep of a list: finds its page size, what `offset` counts, and the number of records. Draws a random sample if `SWEEP`
 * is smaller than the number of records.
 * @throws {PagingError} if the list cannot be swept
 */
export async function planList(source: ListSource): Promise<SweepPlan> {
  const { sweep, sweepSeed, sweepOffset } = source.context.target;
  const { size, limit } = await findLargestPage(source);
  const isListEmpty = size === 0;
  if (isListEmpty)
    return markOpenEnd(source, { size: limit, unit: sweepOffset ?? 'records', counted: 0, pages: 0 });
  const unit = await findOffsetUnit(source, size, sweepOffset);
  const wholeList = await countRecords(source, { size, unit }, { isFirstPageFull: size === limit });
  const plan = await markOpenEnd(source, wholeList);
  if (typeof sweep !== 'number' || sweep >= plan.counted) return plan;
  return addSample(source, plan, sweep, sweepSeed ?? Math.floor(Math.random() * 2 ** 31));
}

/** Adds a random sample to a plan. Draws records if the target supports `limit=1`, otherwise whole pages. */
async function addSample(
  source: ListSource,
  plan: SweepPlan,
  recordCount: number,
  seed: number,
): Promise<SweepPlan> {
  const { size, counted, pages } = plan;
  const { records } = await requestPage(source, { limit: 1, offset: 0 });
  if (records?.length === 1)
    return { ...plan, sample: { by: 'records', seed, drawn: recordCount, of: counted, size } };
  const pageCount = Math.ceil(recordCount / size);
  if (pageCount >= pages) return plan;
  return { ...plan, sample: { by: 'pages', seed, drawn: pageCount, of: pages, size } };
}

/** Yields the planned requests of a shard, except those whose `PageRequest.number` is in `receivedNumbers` (from the journal). */
export function* listPageRequests(
  plan: SweepPlan,
  shard: Shard | undefined,
  receivedNumbers: ReadonlySet<number>,
): Generator<PageRequest> {
  const { sample, pages } = plan;
  const drawnIndices = sample && drawNumbers(sample.drawn, sample.of, sample.seed);
  const plannedCount = drawnIndices ? drawnIndices.length : pages;
  for (let number = 0; number < plannedCount; number += 1) {
    const isMissing = belongsToShard(shard, number) && !receivedNumbers.has(number);
    if (!isMissing) continue;
    const indexInList = drawnIndices?.[number] ?? number;
    // With a limit of 1, an offset counts records and pages alike.
    if (sample?.by === 'records') yield { number, limit: 1, offset: indexInList, position: indexInList };
    else yield { ...createPageRequest(plan, indexInList), number };
  }
}

/** Creates a pseudorandom generator (mulberry32) of numbers from 0 to below 1. The same seed gives the same sequence. */
export function createRandom(seed: number): () => number {
  // `| 0` keeps the state a 32-bit integer.
  let state = seed | 0;
  return () => {
    state = (state + mulberry32Step) | 0;
    return scrambleBits(state) / 2 ** 32;
  };
}

const mulberry32Step = 0x6d2b79f5;

/** Scrambles the bits of a 32-bit integer as mulberry32 does. Returns an integer from 0 to below 2 ** 32. */
function scrambleBits(bits: number): number {
  const scrambledOnce = Math.imul(bits ^ (bits >>> 15), bits | 1);
  const product = Math.imul(scrambledOnce ^ (scrambledOnce >>> 7), scrambledOnce | 61);
  const scrambledTwice = (scrambledOnce + product) ^ scrambledOnce;
  const scrambled = scrambledTwice ^ (scrambledTwice >>> 14);
  return scrambled >>> 0;
}

/** Draws `count` different integers below `populationSize`, sorted. The same seed draws the same. */
export function drawNumbers(count: number, populationSize: number, seed: number): number[] {
  const random = createRandom(seed);
  const drawnNumbers = new Set<number>();
  // Floyd's algorithm: draws no number twice, without a retry.
  for (let largest = Math.max(0, populationSize - count); largest < populationSize; largest += 1) {
    const candidate = Math.floor(random() * (largest + 1));
    drawnNumbers.add(drawnNumbers.has(candidate) ? largest : candidate);
  }
  return [...drawnNumbers].sort((a, b) => a - b);
}

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
