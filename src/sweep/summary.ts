import { formatAddress } from '../../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { omitUndefined, pickDefined } from '../../schemas/json.ts';
import type { Shard } from '../client/target.ts';
import { computeUpperBound, computeUpperBoundByPages } from './bounds.ts';
import type { SweepPlan } from './paging.ts';

export interface BrokenRecords {
  records: number;
  /** Positions of the first broken records, such as `[7, 12]`. The first record of the list or file has position 1. */
  first: number[];
  /** Number of pages with a broken record. A line of a file, or a contradiction between two records, counts as a page. */
  pages: number;
}

/** Range of records that a sweep could not judge, numbered from 1. */
export interface BlockedRange {
  from: number;
  /** Number of the last record of the range. Undefined if the range goes on to the end of the list. */
  to: number | undefined;
  reason: string;
}

/** Counts of a sweep. A part of a sweep, such as a page, has counts, too. */
export interface SweptCounts {
  judged: number;
  /** Number of records that were received again without a contradiction. `judged` does not include these records. */
  duplicates: number;
  /** Number of judged pages. In a file of identifiers, each finished line counts as a page. */
  pages: number;
  /** Position of the last received record, from 1. In a file, the last finished line counts. 0 means that there is none. */
  lastReceived: number;
  failedRanges: BlockedRange[];
  /** Ranges of records that are missing at the end of a page, such as 81 to 100. */
  shortPageRanges: BlockedRange[];
  /** Broken records, keyed by requirement, such as `listCustomers/rules/uuid-is-unique`. */
  brokenRecords: Record<string, BrokenRecords>;
  requests: number;
}

export interface SweepResult extends SweptCounts {
  operation: string;
  noun: string;
  /** Name of the journal file, without extension, such as `listCustomers`. */
  journal: string;
  /**
   * Swept list, such as `{ pointer: '/data/customers', between: ['listCustomers/rules/uuid-is-unique'] }`. `between` holds the
   * requirements that compare two records. For a file of identifiers, `list` is undefined.
   */
  list?: { pointer: string; between: string[] };
  shard?: Shard;
  /** Number of records in the list. For a file of identifiers, this is the number of identifiers to request. */
  populationSize: number;
  /** Smallest number of records that a shard has counted in the list. Undefined if all shards have counted `populationSize`. */
  smallestPopulation?: number;
  /**
   * Description of the pages, records or lines that the shards of a run divide, such as `pages of 1,000`. Shards with different
   * descriptions cannot be merged. Undefined if the sweep of the list could not be planned.
   */
  division?: string;
  stopped?: string;
  /** Random sample of the list. Undefined if all records are swept, or if the sweep could not be planned. */
  sample?: SweepPlan['sample'];
}

/** Summary of a sweep in `conformance.json`. */
export interface SweepSummary
  extends Pick<SweepResult, 'operation' | 'noun' | 'judged' | 'stopped' | 'shard'> {
  mode: 'all' | 'sample';
  seed?: number;
  /** Number of records in the list or file. Undefined if the list changed, or if a range in `blocked` has no `to`. */
  population?: number;
  pages?: number;
  /** Number of identifiers whose response shows no record, such as HTTP 404. Undefined if the number is 0, and for a list. */
  withoutRecord?: number;
  blocked: BlockedRange[];
  /**
   * Change of the list during the sweep. `repeated` counts the records that were received again. `before` and `after` are the
   * numbers of records in the list. `after` is undefined if the sweep has not requested the whole list. Undefined if the list seems
   * unchanged.
   */
  moved?: { repeated: number; before: number; after?: number };
}

type ListChange = NonNullable<SweepSummary['moved']>;

export interface SweptShare {
  judged: number;
  broken: number;
  /**
   * Upper bound on the share of broken records in the whole list, from 0 to 1. The confidence is 95 %.
   * Only a complete random sample of an unchanged list has a bound. A requirement that compares records with each other has none.
   */
  upperBound?: number;
  /** Plural noun, such as `customers`. */
  records: string;
  /** Positions, from 1, of the first broken records. */
  first?: number[];
}

export const maxPlaces = 5;

export const createEmptyCounts = (): SweptCounts => ({
  judged: 0,
  duplicates: 0,
  pages: 0,
  lastReceived: 0,
  requests: 0,
  failedRanges: [],
  shortPageRanges: [],
  brokenRecords: {},
});

export function addSweptCounts(sum: SweptCounts, added: Partial<SweptCounts>): void {
  for (const name of ['judged', 'duplicates', 'pages', 'requests'] as const) sum[name] += added[name] ?? 0;
  // `lastReceived` is a position, and not a count, so it is not added up.
  const { lastReceived: lastPosition = 0 } = added;
  sum.lastReceived = Math.max(sum.lastReceived, lastPosition);
  sum.failedRanges.push(...(added.failedRanges ?? []));
  sum.shortPageRanges.push(...(added.shortPageRanges ?? []));
  for (const [address, records] of Object.entries(added.brokenRecords ?? {}))
    addBroken(sum.brokenRecords, address, records);
}

export const interrupted = 'the run was interrupted';

export function addBroken(sums: SweptCounts['brokenRecords'], address: string, added: BrokenRecords): void {
  const sum = sums[address] ?? { records: 0, first: [], pages: 0 };
  sums[address] = {
    records: sum.records + added.records,
    first: [...sum.first, ...added.first].sort((a, b) => a - b).slice(0, maxPlaces),
    pages: sum.pages + added.pages,
  };
}

export const countViolations = ({ brokenRecords }: Pick<SweepResult, 'brokenRecords'>): number =>
  Object.values(brokenRecords).reduce((sum, { records }) => sum + records, 0);

function countRecordsIn(ranges: BlockedRange[], listEnd?: number): number {
  let count = 0;
  for (const { from, to = listEnd } of ranges) {
    // A range to the end of the list may begin after `listEnd`, if the list has grown.
    if (to !== undefined) count += Math.max(0, to - from + 1);
  }
  return count;
}

export function summarizeSweep(result: SweepResult): SweepSummary {
  const { list, pages, judged, populationSize, sample } = result;
  const blocked = listBlockedRanges(result);
  const change = findListChange(result);
  const isEndKnown = blocked.every(({ to }) => to !== undefined);
  const isFile = list === undefined;
  // In a file of identifiers, each line counts as a page. A line that is neither blocked nor judged got a response without a record.
  const withoutRecord = isFile ? pages - countRecordsIn(blocked) - judged : 0;
  return omitUndefined({
    ...pickDefined(result, ['operation', 'noun', 'judged', 'stopped', 'shard']),
    mode: sample ? ('sample' as const) : ('all' as const),
    seed: sample?.seed,
    population: isEndKnown && !change ? populationSize : undefined,
    pages: isFile ? undefined : pages,
    withoutRecord: withoutRecord > 0 ? withoutRecord : undefined,
    moved: change,
    blocked,
  });
}

/**
 * Returns whether a sweep has requested a whole list. Returns false if the sweep was stopped. Also returns false for a file of
 * identifiers, for a sample and for a single shard.
 */
export const hasSweptWholeList = ({ list, sample, stopped, shard }: SweepResult): boolean =>
  list !== undefined && !sample && stopped === undefined && !shard;

/**
 * Returns the maximum number of records that a sweep may miss in a changing list. This is a tenth of the list or sample, but at
 * least 2. If the sweep misses more, all missed records count as not judged.
 */
const computeMaxMissed = (recordCount: number): number => Math.max(2, 0.1 * recordCount);

const tooManyMissed =
  'the list became shorter, or changed its order, while it was read, so that less than nine tenths of it were judged: sweep it again';

function listBlockedRanges(result: SweepResult): BlockedRange[] {
  const { failedRanges, shortPageRanges, lastReceived, populationSize: total, sample, judged } = result;
  // A short page at the end of the list is no gap: no page after it has records.
  const gapsBeforeEnd = shortPageRanges.filter(({ from }) => from <= lastReceived);
  const missedAtEnd = countRecordsIn(shortPageRanges) - countRecordsIn(gapsBeforeEnd);
  const isSampleLost = sample !== undefined && missedAtEnd > computeMaxMissed(judged + missedAtEnd);
  const gapsOfShortPages = isSampleLost ? shortPageRanges : gapsBeforeEnd;
  const gaps = [...failedRanges, ...gapsOfShortPages].sort((a, b) => a.from - b.from);
  const ranges = joinRanges(gaps);
  if (!hasSweptWholeList(result)) return ranges;
  // The records that were judged, and those of which a range says why they were not.
  const accountedCount = judged + countRecordsIn(ranges, total);
  const missedCount = total - accountedCount;
  if (missedCount <= computeMaxMissed(total)) return ranges;
  // It is unknown which records were missed. The range stands at the end of the list, and has the right length.
  return [...ranges, { from: accountedCount + 1, to: total, reason: tooManyMissed }];
}

function joinRanges(sortedRanges: BlockedRange[]): BlockedRange[] {
  const joined: BlockedRange[] = [];
  for (const range of sortedRanges) {
    const { from, to, reason } = range;
    const last = joined.at(-1);
    const lastEnd = last?.to;
    const touchesLast = last !== undefined && (lastEnd === undefined || from <= lastEnd + 1);
    const continuesLast = touchesLast && last.reason === reason;
    if (!continuesLast) joined.push({ ...range });
    // The last range may end after this one.
    else last.to = lastEnd === undefined || to === undefined ? undefined : Math.max(lastEnd, to);
  }
  return joined;
}

function findListChange(result: SweepResult): ListChange | undefined {
  const { duplicates, shortPageRanges, lastReceived, populationSize, failedRanges, list } = result;
  if (!list) return undefined;
  const { smallestPopulation } = result;
  // A sample, or a part of the list, does not show the length of the list at the end of the sweep.
  let after: number | undefined;
  if (hasSweptWholeList(result)) {
    // The list ends at the last received record, or later, if the requests for its last pages failed. A failed request for a page
    // after the planned end does not show that the list has grown.
    const failedRangesOfList = failedRanges.filter(({ from }) => from <= populationSize);
    const failedEnds = failedRangesOfList.map(({ to = populationSize }) => to);
    after = Math.max(lastReceived, ...failedEnds);
  }
  // If no page after a short one has records, the list has become shorter. A sample shows this, too.
  const hasLostItsEnd = shortPageRanges.some(({ from }) => from > lastReceived);
  const hasOtherLength = after !== undefined && after !== populationSize;
  const hasChanged = duplicates > 0 || hasLostItsEnd || hasOtherLength || smallestPopulation !== undefined;
  // If the list ends where the shard with the largest number has counted, it has grown between two shards.
  const hasGrown = after === populationSize;
  const before = hasGrown ? (smallestPopulation ?? populationSize) : populationSize;
  return hasChanged ? omitUndefined({ repeated: duplicates, before, after }) : undefined;
}

export const isComplete = ({ blocked, stopped }: Pick<SweepSummary, 'blocked' | 'stopped'>): boolean =>
  blocked.length === 0 && stopped === undefined;

/**
 * Counts the judged records, and the records that violate a requirement.
 * @param address address of the requirement, such as `listCustomers/rules/uuid-is-unique`
 * @param isExercised whether a response of the sweep was judged by the requirement
 * @returns a share if `result.brokenRecords` contains the requirement. Also returns a share if the requirement was exercised and is
 *   about the swept records. Otherwise, returns undefined.
 */
export function computeShare(
  result: SweepResult,
  address: string,
  isExercised: boolean,
): SweptShare | undefined {
  const comparesRecords = result.list?.between.includes(address) ?? false;
  const isAboutRecords = comparesRecords || address.startsWith(getRecordAddressPrefix(result));
  const wereRecordsJudged = isExercised && isAboutRecords;
  const brokenRecords = result.brokenRecords[address];
  if (!brokenRecords && !wereRecordsJudged) return undefined;
  const broken = brokenRecords ?? { records: 0, first: [], pages: 0 };
  // There is no bound if the requirement compares records with each other, because a sample contains few of the pairs.
  const bound = comparesRecords ? undefined : computeBound(result, broken);
  return {
    judged: result.judged,
    // `broken.records` counts a record again on each page that shows it again.
    broken: Math.min(broken.records, result.judged),
    records: result.noun,
    ...(bound === undefined ? {} : { upperBound: bound }),
    ...(broken.first.length > 0 ? { first: broken.first } : {}),
  };
}

const getRecordAddressPrefix = ({ operation, list }: SweepResult): string =>
  // In the sweep of a file of identifiers, each response is about one record.
  list ? formatAddress(operation, `${list.pointer}/*`) : `${operation}/`;

function computeBound(result: SweepResult, broken: BrokenRecords): number | undefined {
  const { sample, judged, pages, populationSize: listLength } = result;
  if (!sample) return undefined;
  // If records are missing or the list changed, the swept records are no random sample of the list.
  if (!isComplete(summarizeSweep(result)) || findListChange(result)) return undefined;
  const { by: drawnUnit, of: populationSize, size: pageSize } = sample;
  if (drawnUnit === 'records')
    return computeUpperBound({ sampleSize: judged, broken: broken.records, populationSize });
  const pageSample = { sampleSize: pages, broken: broken.pages, populationSize };
  return computeUpperBoundByPages(pageSample, pageSize, listLength);
}

const formatPercentage = (share: number, roundingMode: 'halfExpand' | 'ceil' = 'halfExpand'): string =>
  `${(100 * share).toLocaleString('en', { maximumSignificantDigits: 2, roundingMode })} %`;

/** Formats an upper bound as a percentage, rounded up: `0.00183` becomes "0.19 %". */
export function formatUpperBound(share: number): string {
  // The rounding error of binary fractions must not be rounded up: 100 * 0.028 is 2.8000000000000003.
  const shareWithoutRoundingError = share * (1 - 1e-12);
  return formatPercentage(shareWithoutRoundingError, 'ceil');
}

/** Describes a share: "23 of 1,000,000 customers (0.0023 %), first at number 10,007". */
export function describeShare(share: SweptShare): string {
  const { judged: total, broken, records: noun, first = [], upperBound: bound } = share;
  const totalText = `of ${formatNumber(total)} ${noun}`;
  const percentage = formatPercentage(broken / Math.max(1, total));
  let text = broken === 0 ? `none ${totalText}` : `${formatNumber(broken)} ${totalText} (${percentage})`;
  if (first.length > 0) text += `, first at number ${first.map(formatNumber).join(', ')}`;
  if (bound !== undefined) text += `; with 95 % confidence at most ${formatUpperBound(bound)} of all ${noun}`;
  return text;
}

export function describeSweep(sweep: SweepSummary): string[] {
  const { noun, mode, moved: change, blocked } = sweep;
  const sentences = [describeExtent(sweep)];
  if (change) sentences.push(describeChange(noun, change));
  sentences.push(...describeBlockedRanges(noun, blocked));
  const isSampleUnreliable = mode === 'sample' && (change || !isComplete(sweep));
  if (isSampleUnreliable) {
    const reason = change ? 'their list changed' : 'the sample lacks some of those that were drawn';
    sentences.push(`no bound is stated for all ${noun}: ${reason}`);
  }
  return sentences;
}

function describeChange(noun: string, { repeated, before, after }: ListChange): string {
  const signs: string[] = [];
  if (repeated > 0) signs.push(`showed ${formatCount(repeated, 'record')} again`);
  if (after !== undefined && after !== before)
    signs.push(`had ${formatNumber(before)} before and ${formatNumber(after)} at the end`);
  const consequence = 'so that some may not have been seen';
  if (signs.length === 0) return `the list of ${noun} changed while it was read, ${consequence}`;
  return `the list of ${noun} ${signs.join(', and ')}: it changed while it was read, or its pages overlap, ${consequence}`;
}

const maxDescribedRanges = 20;

function describeBlockedRanges(noun: string, blocked: BlockedRange[]): string[] {
  const sentences = blocked.slice(0, maxDescribedRanges).map(({ from, to, reason }) => {
    const end = to === undefined ? 'the end' : formatNumber(to);
    const numbers = from === to ? `number ${end}` : `numbers ${formatNumber(from)} to ${end}`;
    return `not judged: ${noun}, ${numbers}: ${reason}`;
  });
  const undescribedCount = blocked.length - sentences.length;
  if (undescribedCount > 0)
    sentences.push(`not judged: ${formatCount(undescribedCount, 'range')} more, all in conformance.json`);
  return sentences;
}

export const formatShard = (shard: Shard | undefined): string =>
  shard ? `, shard ${shard.current} of ${shard.total}` : '';

/** Formats "5,000 of 1,000,000 customers, drawn at random (seed 42), were judged". */
function describeExtent(sweep: SweepSummary): string {
  const { noun, mode, judged, pages, seed, withoutRecord, shard } = sweep;
  const sampleText = mode === 'sample' ? `, drawn at random (seed ${seed}),` : '';
  const pagesText = mode === 'all' && pages !== undefined ? `, on ${formatCount(pages, 'page')}` : '';
  // A response without a record is judged, too, for example by its HTTP status.
  const outcomeText = withoutRecord
    ? `have a record; for ${formatNumber(withoutRecord)}, the response shows none`
    : 'were judged';
  return `${formatNumber(judged)}${describeTotal(sweep)} ${noun}${sampleText} ${outcomeText}${pagesText}${formatShard(shard)}`;
}

function describeTotal({ judged, population, moved: listChange }: SweepSummary): string {
  if (population !== undefined) return ` of ${formatNumber(population)}`;
  if (listChange?.after === undefined) return '';
  const minimum = Math.max(judged, listChange.after);
  return ` of at least ${formatNumber(minimum)}`;
}
