import { formatAddress } from '../../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { omitUndefined, pickDefined } from '../../schemas/json.ts';
import type { Shard } from '../client/target.ts';
import { computeUpperBound, computeUpperBoundByPages } from './bounds.ts';

/** Records of a list (or lines of a file of identifiers) that violate one requirement. */
export interface BrokenRecords {
  records: number;
  /** Positions in the list of the first broken records, from 1; at most `maxPlaces`. For a file of identifiers, line numbers. */
  first: number[];
  /** Number of pages with at least one broken record. For a file of identifiers, number of broken lines. */
  pages: number;
}

/** Range of records that a sweep did not judge, as positions in the list, or lines of the file of identifiers, from 1. */
interface BlockedRange {
  from: number;
  /** Undefined if the end of the list is unknown. */
  to: number | undefined;
  reason: string;
}

/** Counts of one swept page, of one line of a file of identifiers, or of a whole sweep. Holds no identifier. */
export interface SweptCounts {
  judged: number;
  /** Number of records that the list had already shown at an earlier position. */
  repeated: number;
  /** Number of received pages of a list, or of requested lines of a file of identifiers. */
  pages: number;
  /** Position in the list, from 1, of the last received record. 0 if none was received, and for a file of identifiers. */
  places: number;
  /** Ranges of records whose request failed, or whose response could not be judged. */
  failed: BlockedRange[];
  /** Ranges missing because a page was too short. A range after the last received record is no gap: the list became shorter. */
  short: BlockedRange[];
  /** Records that violate a requirement, keyed by its address. */
  broken: Record<string, BrokenRecords>;
  requests: number;
}

export interface SweepResult extends SweptCounts {
  operation: string;
  /** Plural noun of the swept records: `customers`, or `lines of CARD_IDS` for a file of identifiers. */
  noun: string;
  /** Name of the journal without extension, such as `listCustomers` or `getCard-CARD_IDS`. */
  journal: string;
  /**
   * Set only for a list: its JSON Pointer, such as `/data/customers`, and the addresses of the requirements that compare its
   * records with each other (`between`), such as a unique `uuid`.
   */
  list?: { pointer: string; between: string[] };
  mode: 'all' | 'sample';
  seed?: number;
  shard?: Shard;
  /** Number of records in the list when the sweep was planned; for a file of identifiers, the number of its lines. */
  counted: number;
  stopped?: string;
  /** Population from which a random sample was drawn: `of` records, or `of` pages with `size` records each. */
  drawn?: { by: 'records' | 'pages'; of: number; size: number };
}

/** Summary of a sweep in `conformance.json`. */
export interface SweepSummary
  extends Pick<SweepResult, 'operation' | 'noun' | 'mode' | 'seed' | 'judged' | 'stopped' | 'shard'> {
  /** Number of records (or lines of a file). Undefined if the list changed during its sweep, or if its end is unknown. */
  population?: number;
  /** Number of received pages of a list; undefined for a file of identifiers. */
  pages?: number;
  /** Number of lines of a file of identifiers whose response was judged and has no record, such as a rejection. Omitted if 0. */
  withoutRecord?: number;
  blocked: BlockedRange[];
  /** Change of the list during the sweep: number of records that were shown again, and length before and after. Omitted if none. */
  moved?: { repeated: number; before: number; after: number };
}

type ListChange = NonNullable<SweepSummary['moved']>;

export interface SweptShare {
  judged: number;
  broken: number;
  /**
   * Upper bound, at 95 % confidence, on the share (0 to 1) of all records that violate the requirement. Only set for a complete
   * random sample of an unchanged list, and not for a requirement that compares records with each other.
   */
  upperBound?: number;
  /** `SweepResult.noun`, such as `customers`. */
  records: string;
  /** Positions in the list, from 1, of the first broken records. Undefined if there are none. */
  first?: number[];
}

export const maxPlaces = 5;

export const createEmptyCounts = (): SweptCounts => ({
  judged: 0,
  repeated: 0,
  pages: 0,
  places: 0,
  requests: 0,
  failed: [],
  short: [],
  broken: {},
});

/** Adds each count of `added` to `sum`, in place. Only `places` is not a sum but the larger of the two values. */
export function addSweptCounts(sum: SweptCounts, added: Partial<SweptCounts>): void {
  for (const name of ['judged', 'repeated', 'pages', 'requests'] as const) sum[name] += added[name] ?? 0;
  const { places: lastPosition = 0 } = added;
  sum.places = Math.max(sum.places, lastPosition);
  sum.failed.push(...(added.failed ?? []));
  sum.short.push(...(added.short ?? []));
  for (const [address, records] of Object.entries(added.broken ?? {}))
    addBroken(sum.broken, address, records);
}

export const interrupted = 'the run was interrupted';

/** Adds the broken records of one requirement to `sums`, in place. Keeps only the first `maxPlaces` positions. */
export function addBroken(sums: SweptCounts['broken'], address: string, added: BrokenRecords): void {
  const sum = sums[address] ?? { records: 0, first: [], pages: 0 };
  sums[address] = {
    records: sum.records + added.records,
    first: [...sum.first, ...added.first].sort((a, b) => a - b).slice(0, maxPlaces),
    pages: sum.pages + added.pages,
  };
}

export const countViolations = ({ broken }: Pick<SweepResult, 'broken'>): number =>
  Object.values(broken).reduce((sum, { records }) => sum + records, 0);

/** Counts the records in ranges. A range whose end is unknown ends at `listEnd`; without `listEnd`, it counts as 0. */
const countRecordsIn = (ranges: BlockedRange[], listEnd?: number): number =>
  ranges.reduce((sum, { from, to = listEnd ?? from - 1 }) => sum + to - from + 1, 0);

export function summarizeSweep(result: SweepResult): SweepSummary {
  const { list, pages, judged, counted } = result;
  const blocked = listBlockedRanges(result);
  const change = findListChange(result);
  const isEndKnown = blocked.every(({ to }) => to !== undefined);
  // Each line of a file of identifiers counts as a page.
  const withoutRecord = list ? 0 : pages - countRecordsIn(blocked) - judged;
  return omitUndefined({
    ...pickDefined(result, ['operation', 'noun', 'mode', 'seed', 'judged', 'stopped', 'shard']),
    population: isEndKnown && !change ? counted : undefined,
    pages: list && pages,
    withoutRecord: withoutRecord > 0 ? withoutRecord : undefined,
    moved: change,
    blocked,
  });
}

const hasSweptWholeList = ({ list, mode, stopped, shard }: SweepResult): boolean =>
  list !== undefined && mode === 'all' && stopped === undefined && !shard;

/** Number of records that a complete sweep of a changing list may lack: a tenth of them, or two if that is more. */
const maxMissed = { share: 0.1, records: 2 };

const tooManyMissed =
  'the list became shorter, or changed its order, while it was read, so that less than nine tenths of it were judged: sweep it again';

/**
 * Lists the ranges that a sweep did not judge, sorted by position. If more than `maxMissed` records are missing at unknown
 * positions, adds a range for them, with the reason `tooManyMissed`.
 */
function listBlockedRanges(result: SweepResult): BlockedRange[] {
  const { failed, short, places: lastReceived, counted: total } = result;
  // A short page after the last record is the end of the list, not a gap in it.
  const gaps = [...failed, ...short.filter(({ from }) => from <= lastReceived)];
  const ranges = joinRanges(gaps.toSorted((a, b) => a.from - b.from));
  if (!hasSweptWholeList(result)) return ranges;
  const accountedCount = result.judged + countRecordsIn(ranges, total);
  const missedCount = total - accountedCount;
  const tolerableCount = Math.max(maxMissed.records, maxMissed.share * total);
  if (missedCount <= tolerableCount) return ranges;
  // Nobody knows which records were missed: only the length of this range is true.
  return [...ranges, { from: accountedCount + 1, to: total, reason: tooManyMissed }];
}

/** Joins adjacent or overlapping ranges with the same reason. Expects them sorted by `from`. */
function joinRanges(ranges: BlockedRange[]): BlockedRange[] {
  const joined: BlockedRange[] = [];
  for (const range of ranges) {
    const { from, to, reason } = range;
    const last = joined.at(-1);
    if (last?.to === undefined || last.reason !== reason || from > last.to + 1) joined.push({ ...range });
    // A range may contain the next one.
    else last.to = to === undefined ? undefined : Math.max(last.to, to);
  }
  return joined;
}

/** Returns how a list changed during its sweep; undefined if it did not. Without a sweep of the whole list, `after` equals `before`. */
function findListChange(result: SweepResult): ListChange | undefined {
  const { repeated, short, places: lastReceived, counted: before, failed, list } = result;
  if (!list) return undefined;
  const isShorter = short.some(({ from }) => from > lastReceived);
  // A page that failed may be the last one of the list.
  let lastPosition = lastReceived;
  for (const { to = before } of failed) lastPosition = Math.max(lastPosition, to);
  const after = hasSweptWholeList(result) ? lastPosition : before;
  const hasChanged = repeated > 0 || isShorter || after !== before;
  return hasChanged ? { repeated, before, after } : undefined;
}

export const isComplete = ({ blocked, stopped }: Pick<SweepSummary, 'blocked' | 'stopped'>): boolean =>
  blocked.length === 0 && stopped === undefined;

/**
 * Computes the share of swept records that violate a requirement. If no record does, the share is 0 for a requirement about records
 * that was exercised (at least one response shows whether it is met), and undefined for any other.
 */
export function computeShare(
  result: SweepResult,
  address: string,
  isExercised: boolean,
): SweptShare | undefined {
  const comparesRecords = result.list?.between.includes(address) ?? false;
  const isAboutRecords = comparesRecords || address.startsWith(formatRecordAddress(result));
  const wereRecordsJudged = isExercised && isAboutRecords;
  if (!result.broken[address] && !wereRecordsJudged) return undefined;
  const broken = result.broken[address] ?? { records: 0, first: [], pages: 0 };
  const bound = comparesRecords ? undefined : computeBound(result, broken);
  return {
    judged: result.judged,
    broken: broken.records,
    records: result.noun,
    ...(bound === undefined ? {} : { upperBound: bound }),
    ...(broken.first.length > 0 ? { first: broken.first } : {}),
  };
}

/** Formats the prefix of all addresses about a record. In a sweep of a file of identifiers, each response is a record. */
const formatRecordAddress = ({ operation, list }: SweepResult): string =>
  list ? formatAddress(operation, `${list.pointer}/*`) : `${operation}/`;

/** Computes an upper bound on the share of broken records. Undefined without a complete random sample, or if the list changed. */
function computeBound(result: SweepResult, broken: BrokenRecords): number | undefined {
  const { drawn: population, judged: judgedRecords, pages: judgedPages, counted: listLength } = result;
  if (!population || !isComplete(summarizeSweep(result)) || findListChange(result)) return undefined;
  const { by: drawnUnit, of: populationSize, size: pageSize } = population;
  if (drawnUnit === 'records')
    return computeUpperBound({ sampleSize: judgedRecords, broken: broken.records, populationSize });
  const pageSample = { sampleSize: judgedPages, broken: broken.pages, populationSize };
  return computeUpperBoundByPages(pageSample, pageSize, listLength);
}

const formatPercentage = (share: number, roundingMode: 'halfExpand' | 'ceil' = 'halfExpand'): string =>
  `${(100 * share).toLocaleString('en', { maximumSignificantDigits: 2, roundingMode })} %`;

/** Formats an upper bound as a percentage with two significant digits, rounded up: `0.00183` becomes "0.19 %". */
export function formatUpperBound(share: number): string {
  // Tolerates rounding errors of binary fractions: 100 * 0.028 is 2.8000000000000003.
  const shareWithoutRoundingError = share * (1 - 1e-12);
  return formatPercentage(shareWithoutRoundingError, 'ceil');
}

/** Describes a share: "23 of 1,000,000 customers (0.0023 %), first at number 10,007 of the list", or "none of 950 customers". */
export function describeShare(share: SweptShare): string {
  const { judged: total, broken, records, first = [], upperBound: bound } = share;
  const positionsText =
    first.length > 0 ? `, first at number ${first.map(formatNumber).join(', ')} of the list` : '';
  const boundText =
    bound === undefined ? '' : `; with 95 % confidence at most ${formatUpperBound(bound)} of all ${records}`;
  const percentageText = broken > 0 ? ` (${formatPercentage(broken / Math.max(1, total))})` : '';
  const countText = broken > 0 ? formatNumber(broken) : 'none';
  return `${countText} of ${formatNumber(total)} ${records}${percentageText}${positionsText}${boundText}`;
}

export function describeSweep(sweep: SweepSummary): string[] {
  const { noun, mode, moved: change, blocked } = sweep;
  const sentences = [describeExtent(sweep)];
  if (change) sentences.push(describeChange(noun, change));
  sentences.push(...describeBlockedRanges(noun, blocked));
  const isBoundMissing = mode === 'sample' && (change || !isComplete(sweep));
  const reason = change ? 'their list changed' : 'the sample lacks some of those that were drawn';
  if (isBoundMissing) sentences.push(`no bound is stated for all ${noun}: ${reason}`);
  return sentences;
}

function describeChange(noun: string, { repeated, before, after }: ListChange): string {
  const repeatedText = repeated > 0 ? `showed ${formatCount(repeated, 'record')} again` : '';
  if (before === after && repeated === 0)
    return `the list of ${noun} became shorter while it was read, so that some may not have been seen`;
  if (before === after)
    return `the list of ${noun} ${repeatedText}: it changed while it was read, so that some may not have been seen, or its pages repeat records or overlap`;
  const counts = `had ${formatNumber(before)} before and ${formatNumber(after)} at the end`;
  const changes = repeatedText ? `${repeatedText}, and ${counts}` : counts;
  return `the list of ${noun} changed while it was read, so that some may not have been seen: it ${changes}`;
}

const maxDescribedRanges = 20;

function describeBlockedRanges(noun: string, blocked: BlockedRange[]): string[] {
  const sentences = blocked.slice(0, maxDescribedRanges).map(({ from, to, reason }) => {
    const end = to === undefined ? 'the end' : formatNumber(to);
    return `not judged: ${noun} ${formatNumber(from)} to ${end} of the list: ${reason}`;
  });
  const unnamed = blocked.length - sentences.length;
  if (unnamed > 0)
    sentences.push(`not judged: ${formatCount(unnamed, 'range')} more, all in conformance.json`);
  return sentences;
}

export const formatShard = (shard: Shard | undefined): string =>
  shard ? `, shard ${shard.current} of ${shard.total}` : '';

/**
 * Describes how much a sweep judged: "5,000 of 1,000,000 customers, drawn at random (seed 42), were judged". If responses lack a
 * record: "950 of 950 lines of CARD_IDS got a response, 940 of them with a record".
 */
function describeExtent(sweep: SweepSummary): string {
  const { noun, mode, judged, pages, seed, withoutRecord = 0 } = sweep;
  const ofTotal = describeTotal(sweep);
  const shardText = formatShard(sweep.shard);
  if (withoutRecord > 0) {
    const withRecordText = judged > 0 ? formatNumber(judged) : 'none';
    return `${formatNumber(judged + withoutRecord)}${ofTotal} ${noun} got a response, ${withRecordText} of them with a record${shardText}`;
  }
  const sampleText = mode === 'sample' ? `, drawn at random (seed ${seed}),` : '';
  const pagesText = mode === 'all' && pages !== undefined ? `, on ${formatCount(pages, 'page')}` : '';
  return `${formatNumber(judged)}${ofTotal} ${noun}${sampleText} were judged${pagesText}${shardText}`;
}

/** Formats " of 1,000,000", or " of at least 950" if the list changed. Empty if the end of the list is unknown. */
function describeTotal({ judged, population, moved: change }: SweepSummary): string {
  if (population !== undefined) return ` of ${formatNumber(population)}`;
  return change ? ` of at least ${formatNumber(Math.max(judged, change.after))}` : '';
}
