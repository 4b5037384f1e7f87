import type { Operation } from '../../schemas/contract/contract.ts';
import { counted as countOf, number } from '../../schemas/counted.ts';
import { ownValue, valueAt } from '../../schemas/json.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import type { Shard } from '../client/target.ts';
import { maxConcurrency } from '../client/target.ts';
import { offsetUnit } from '../operations/offset-unit.ts';
import type { SweptList } from '../operations/operation-file.ts';
import { type RequestContext, sendAndJudge } from '../operations/request.ts';
import { describeCode } from '../redact/describe-value.ts';
import { showsOf } from '../redact/disclosure.ts';
import type { Observation } from '../redact/observation.ts';
import { shownBy } from '../relations/shown.ts';
import { isOwn } from './shards.ts';

/** A list of a target, and what asks for its pages and judges them. */
export interface ListSource {
  context: RequestContext;
  operation: Operation;
  list: SweptList;
  /** Receives what breaks a page without a record. */
  onBroken?(observation: Observation): void;
}

/** How the pages of a list follow each other, and what is asked of it, found out before the first page: a journal keeps it. */
export interface Plan {
  /** Records of a page. */
  size: number;
  /** What `offset` counts. */
  unit: 'records' | 'pages';
  /** How many records it has, on how many pages. */
  counted: number;
  pages: number;
  /** Why it is not known whether the list goes on behind the last page. */
  open?: string;
  /** How many records, or pages of so many, are drawn out of how many. */
  sample?: { by: 'records' | 'pages'; seed: number; drawn: number; of: number; size: number };
}

type Paging = Pick<Plan, 'size' | 'unit'>;

/** A page to be requested. */
export interface PageRequest {
  number: number;
  limit: number;
  offset: number;
  /** Place of its first record in the list, from 0. */
  position: number;
}

/** A page that was requested: its records, or why there are none. */
export interface Page {
  judged?: Judged | undefined;
  observation: Observation;
  /** The list; undefined where the response holds none. */
  records?: unknown[];
  failed?: string;
  /** Whether the target says that there is no such page. */
  isRejected?: boolean;
}

/** Why a list cannot be followed; the message is for people. */
export class PagingError extends Error {
  override name = 'PagingError';
}

/** Asks for a page. Never throws. */
export async function askPage(
  source: ListSource,
  { limit, offset }: Pick<PageRequest, 'limit' | 'offset'>,
): Promise<Page> {
  const asked = await sendAndJudge(source.context, source.operation, source.list.page(limit, offset));
  const page = { ...asked, ...contentOf(asked, source) };
  if (isBroken(page)) source.onBroken?.(page.observation);
  return page;
}

const noContent = 204;

function contentOf(
  { judged, observation: { status, blocked } }: Page,
  { operation, list: { pointer }, context }: ListSource,
): Pick<Page, 'records' | 'failed' | 'isRejected'> {
  if (!judged) return { failed: blocked ?? '' };
  const { kind, code } = judged;
  const records = valueAt(shownBy(operation, judged).body, pointer);
  if (Array.isArray(records)) return { records };
  if (kind === 'success') return { failed: blocked ?? 'the response holds no list that can be judged' };
  const shown = describeCode(String(code), showsOf(context.secrets, undefined));
  const failed = `the target answered HTTP ${status}${code === status ? '' : ` with the code ${shown}`}`;
  return { failed, isRejected: kind === 'rejection' || status === noContent };
}

/** Whether a page is a success without a record which breaks something, as where no list can be read from it. */
export const isBroken = ({ judged, records }: Page): boolean =>
  judged?.kind === 'success' && (!records || (records.length === 0 && judged.broken.length > 0));

/** Whether a page shows no record: it is empty, rejected, broken (as a nil slice of Go, which is null), or fails. */
const isBare = ({ records = [] }: Page): boolean => records.length === 0;

/** The page of a number, from 0. */
export function pageAt({ size, unit }: Paging, number: number): PageRequest {
  const position = number * size;
  return { number, limit: size, offset: unit === 'records' ? position : number, position };
}

/** Page sizes that are tried, the largest first. */
const limits = [1000, 500, 200, 100, 50, 20, 10];

/** The longest page, and the smallest limit that shows it: above its maximum, a target may show that many, its default, or nothing. */
async function largestPage(source: ListSource): Promise<{ size: number; limit: number }> {
  let longest: { size: number; limit: number } | undefined;
  let failed = '';
  for (const limit of limits) {
    if (longest && longest.size > limit) break;
    const page = await askPage(source, { limit, offset: 0 });
    const size = page.records?.length;
    if (size === undefined) failed = page.failed ?? '';
    else if (size >= (longest?.size ?? 0)) longest = { size, limit };
  }
  if (!longest) throw new PagingError(`no page at \`offset\` 0 was answered: ${failed}`);
  return longest;
}

/** What `offset` counts, by the pages at 0 and 1; where they do not say it, by what is declared. */
async function unitOf(
  source: ListSource,
  size: number,
  declared: Plan['unit'] | undefined,
): Promise<Plan['unit']> {
  const first = await askPage(source, { limit: size, offset: 0 });
  const second = await askPage(source, { limit: size, offset: 1 });
  // Of one page, or one record, both are the same.
  if (isBare(second) && isBare(await askPage(source, { limit: size, offset: size })))
    return declared ?? 'records';
  const [known, shown] = [identitiesIn(source, first), identitiesIn(source, second)];
  const unit = offsetUnit(known, shown);
  if (unit && declared && unit !== declared)
    throw new PagingError(
      `SWEEP_OFFSET=${declared}, and the pages at \`offset\` 0 and 1 show that it counts ${unit}`,
    );
  const declaredOrShown = declared ?? unit;
  if (declaredOrShown) return declaredOrShown;
  const shared = known.filter((identity) => shown.includes(identity)).length;
  const said = first.failed ?? second.failed ?? `both show ${shared} of ${countOf(known.length, 'record')}`;
  throw new PagingError(
    `what \`offset\` counts is not clear from the pages at \`offset\` 0 and 1: ${said}; set SWEEP_OFFSET=records or SWEEP_OFFSET=pages`,
  );
}

/** What identifies the records of a page: all of it, where nothing else does. */
const identitiesIn = ({ list }: ListSource, { records = [] }: Page): string[] =>
  records.map((record) => {
    const identity = ownValue(record, list.key);
    return typeof identity === 'string' ? identity : JSON.stringify(record);
  });

/** No list is longer. */
const farthest = 1e9;

/**
 * How many records a list has, by doubling and dividing over its pages. A page that fails may show some.
 * @param isFull whether the first page is as long as it was requested
 */
async function countPlaces(source: ListSource, paging: Paging, isFull: boolean): Promise<Plan> {
  let [last, length] = [0, paging.size];
  let behind: { at: number; page: Page } | undefined;
  while (behind?.at !== last + 1) {
    const at = behind ? Math.floor((last + behind.at) / 2) : Math.max(1, 2 * last);
    const page = await askPage(source, pageAt(paging, at));
    // One page that is empty may lie in the middle.
    const next = isBare(page) ? await askPage(source, pageAt(paging, at + 1)) : page;
    if (isBare(next)) behind = { at, page };
    else if (at * paging.size > farthest)
      throw new PagingError(
        `the list has no end: at \`offset\` ${number(pageAt(paging, at).offset)} there are records, and the target may show a page again behind the last one`,
      );
    else [last, length] = [at, page.records?.length || paging.size];
  }
  const counted = last * paging.size + length;
  const found = { ...paging, counted, pages: last + 1 };
  const isCertain = behind.page.records || length < paging.size || (last === 0 && !isFull);
  if (isCertain || (await isEnd(source, found))) return found;
  const open =
    'the target does not show the page behind a full one: whether the list ends there is not known';
  return { ...found, open };
}

/**
 * A target that leaves records out after it has cut a page, such as deleted ones (a filter behind OFFSET and LIMIT), shows empty
 * pages before the end. Looks behind it, at first at each page, then in steps of a sixteenth of the way: a shorter rest is not seen.
 */
async function emptyPagesOf(source: ListSource, plan: Plan): Promise<Pick<Plan, 'open'>> {
  for (let distance = 1; distance <= Math.max(32, 4 * plan.pages); distance += Math.ceil(distance / 16)) {
    const { records = [] } = await askPage(source, pageAt(plan, plan.pages + distance));
    if (records.length > 0) return { open: 'there are empty pages, and records behind them' };
  }
  return {};
}

/** A target may reject any large `offset`. Of another length, the page that reaches across the end shows what is there, and no more. */
async function isEnd(source: ListSource, { size, unit, counted, pages }: Plan): Promise<boolean> {
  let limit = size - 1;
  while (limit > 1 && counted % limit === 0) limit -= 1;
  // One page shows nothing of what `offset` counts.
  const units = pages === 1 ? (['records', 'pages'] as const) : [unit];
  for (const one of limit > 1 ? units : []) {
    const request = pageAt({ size: limit, unit: one }, Math.floor(counted / limit));
    const { records } = await askPage(source, request);
    if (records?.length === counted % limit) return true;
  }
  return false;
}

/** What is to be asked of a list. @throws {PagingError} where it cannot be followed. */
export async function planList(source: ListSource): Promise<Plan> {
  const { sweep, sweepSeed, sweepOffset } = source.context.target;
  const { size, limit } = await largestPage(source);
  if (size === 0) {
    const empty = { size: limit, unit: sweepOffset ?? ('records' as const), counted: 0, pages: 0 };
    return { ...empty, ...(await emptyPagesOf(source, empty)) };
  }
  const unit = await unitOf(source, size, sweepOffset);
  const found = await countPlaces(source, { size, unit }, size === limit);
  const plan = { ...found, ...(await emptyPagesOf(source, found)) };
  if (typeof sweep !== 'number' || sweep >= plan.counted) return plan;
  const seed = sweepSeed ?? Math.floor(Math.random() * 2 ** 31);
  const drawnBy = (by: 'records' | 'pages', drawn: number, of: number) =>
    drawn < of ? { ...plan, sample: { by, seed, drawn, of, size } } : plan;
  const { records } = await askPage(source, { limit: 1, offset: 0 });
  return records?.length === 1
    ? drawnBy('records', sweep, plan.counted)
    : drawnBy('pages', Math.ceil(sweep / size), plan.pages);
}

/** The pages that a plan, or the share of a shard, asks for, but for those that are done. */
export function* requestsOf(
  plan: Plan,
  shard: Shard | undefined,
  done: ReadonlySet<number>,
): Generator<PageRequest> {
  const { sample } = plan;
  const places = sample && draw(sample.drawn, sample.of, sample.seed);
  for (let number = 0; number < (sample?.drawn ?? plan.pages); number += 1) {
    const place = places?.[number] ?? number;
    if (!isOwn(shard, number) || done.has(number)) continue;
    // Of one record both units of `offset` are the same.
    yield sample?.by === 'records'
      ? { number, limit: 1, offset: place, position: place }
      : { ...pageAt(plan, place), number };
  }
}

/** The same numbers from 0 to 1 for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Different whole numbers below `of`, each as likely as any other, in their order (Floyd). The same for the same seed. */
export function draw(count: number, of: number, seed: number): number[] {
  const random = randomOf(seed);
  const drawn = new Set<number>();
  for (let last = Math.max(0, of - count); last < of; last += 1) {
    const number = Math.floor(random() * (last + 1));
    drawn.add(drawn.has(number) ? last : number);
  }
  return [...drawn].sort((one, other) => one - other);
}

/** What is asked for at the same time. */
export function* batchesOf<Item>(items: Iterable<Item>): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < maxConcurrency) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
