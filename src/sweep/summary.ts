import { formatAddress } from '../../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Shard } from '../client/target.ts';
import { computeUpperBound, computeUpperBoundByPages } from './bounds.ts';

export interface BrokenRecords {
  records: number;
  /** Places of the first broken records, at most `maxPlaces`: positions in the list, or line numbers in the file, from 1. */
  first: number[];
  /** Number of pages, or of lines of a file, with a broken record. */
  pages: number;
}

/** Range of records that a sweep did not judge, as positions in the list, or line numbers in a file of identifiers, from 1. */
interface BlockedRange {
  /** First place in the list, or line of the file of identifiers, that a sweep did not judge; counted from 1. */
  from: number;
  /** Last place that was not judged; undefined if the end is unknown. */
  to: number | undefined;
  reason: string;
}

/** Counts of a swept page, line or shard, or sums of them. They identify no record. */
export interface SweptCounts {
  /** Number of judged records, without duplicates. */
  judged: number;
  /** Number of duplicates: records that an earlier place of the list has shown. */
  repeated: number;
  /** Number of received pages of a list, or of requested lines of a file of identifiers. */
  pages: number;
  /** Last position in the list that showed a record, from 1; 0 if none did, and for a file of identifiers. */
  places: number;
  /** Ranges whose request failed, or whose response could not be judged. */
  failed: BlockedRange[];
  /**
   * Ranges that are missing on pages with fewer records than planned. At the end of a list, they only mean that it became shorter.
   */
  short: BlockedRange[];
  /** Broken records, keyed by the address of the requirement, such as `listCustomers/data/customers/…`. */
  broken: Record<string, BrokenRecords>;
  requests: number;
}

export interface SweepResult extends SweptCounts {
  operation: string;
  /** Plural of the swept records, such as `customers` or `lines of CARD_IDS`. */
  noun: string;
  /** Name of the journal without extension, such as `listCustomers` or `getCard-CARD_IDS`. */
  journal: string;
  /**
   * JSON Pointer of the swept list, and the addresses of the uniqueness rules between its records. Undefined for a file of
   * identifiers.
   */
  list?: { pointer: string; between: string[] };
  mode: 'all' | 'sample';
  seed?: number;
  shard?: Shard;
  /** Number of records counted before the sweep, or of lines of a file of identifiers. */
  counted: number;
  /** Reason why the sweep ended early; undefined if it did not. */
  stopped?: string;
  /** Population of the sample: `of` records, or `of` pages of `size` records. */
  drawn?: { by: 'records' | 'pages'; of: number; size: number };
}

/** Summary of a sweep in `conformance.json`. */
export interface SweepSummary
  extends Pick<SweepResult, 'operation' | 'noun' | 'mode' | 'seed' | 'judged' | 'stopped' | 'shard'> {
  /** Number of records of the list, or of lines of a file; undefined if the list changed or has an unknown end. */
  population?: number;
  /** Number of received pages of a list; undefined for a file of identifiers. */
  pages?: number;
  /** Number of lines of a file whose response was judged and has no record, such as a rejection; omitted if 0. */
  withoutRecord?: number;
  blocked: BlockedRange[];
  /** Change of the list during its sweep: number of duplicates, and of records before and after. Undefined if it did not change. */
  moved?: { repeated: number; before: number; after: number };
}

type ListChange = NonNullable<SweepSummary['moved']>;

export interface SweptShare {
  judged: number;
  broken: number;
  /**
   * Largest share (0 to 1) of all records that may be broken, with 95 % confidence. Undefined without a sample, and for uniqueness
   * rules.
   */
  upperBound?: number;
  /** Plural of the swept records, such as `customers`. */
  records: string;
  /** Places in the list, from 1, of the first records that break the requirement; undefined if no record does. */
  first?: number[];
}

/** Maximum number of places that `BrokenRecords.first` lists. */
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

/** Adds counts to `sum`, which it changes. */
export function addCounts(sum: SweptCounts, added: Partial<SweptCounts>): void {
  for (const name of ['judged', 'repeated', 'pages', 'requests'] as const) sum[name] += added[name] ?? 0;
  sum.places = Math.max(sum.places, added.places ?? 0);
  sum.failed.push(...(added.failed ?? []));
  sum.short.push(...(added.short ?? []));
  for (const [address, records] of Object.entries(added.broken ?? {}))
    addBroken(sum.broken, address, records);
}

export const interrupted = 'the run was interrupted';

/**
 * Adds broken records to `sums`, which it changes. Keeps only the first `maxPlaces` places.
 * @param address address of the requirement
 */
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

export function summarizeSweep(result: SweepResult): SweepSummary {
  const blocked = listBlockedRanges(result);
  const change = findListChange(result);
  // A range whose end is unknown counts as empty.
  const blockedCount = blocked.reduce((sum, { from, to = from - 1 }) => sum + to - from + 1, 0);
  // Each line of a file of identifiers counts as a page.
  const requestedLines = result.pages;
  const withoutRecord = result.list ? 0 : requestedLines - blockedCount - result.judged;
  const isCertain = !change && blocked.every(({ to }) => to !== undefined);
  return {
    ...pickDefined(result, ['operation', 'noun', 'mode', 'seed', 'judged', 'stopped', 'shard']),
    ...(isCertain ? { population: result.counted } : {}),
    ...(result.list ? { pages: result.pages } : {}),
    ...(withoutRecord > 0 ? { withoutRecord } : {}),
    ...(change ? { moved: change } : {}),
    blocked,
  };
}

/** Number of records that a sweep of the whole list may miss because the list changed: a tenth, but at least two. */
const maxMissed = { share: 0.1, records: 2 };

const tooManyMissed =
  'the list became shorter, or changed its order, while it was read, so that less than nine tenths of it were judged: sweep it again';

/**
 * Lists the ranges that a sweep did not judge, in order. Adds one with the reason `tooManyMissed` if a sweep of the whole list
 * misses more records than `maxMissed`, although no request failed.
 */
function listBlockedRanges(result: SweepResult): BlockedRange[] {
  const { failed, short, places, counted: total, mode, list, stopped, shard } = result;
  // A short page after the last record is the end of the list, not a hole.
  const holes = [...failed, ...short.filter(({ from }) => from <= places)];
  const ranges = joinRanges(holes.toSorted((a, b) => a.from - b.from));
  const isWholeList = list && mode === 'all' && stopped === undefined && !shard;
  if (!isWholeList) return ranges;
  const accountedCount = ranges.reduce((sum, { from, to = total }) => sum + to - from + 1, result.judged);
  const missedCount = total - accountedCount;
  if (missedCount <= Math.max(maxMissed.records, maxMissed.share * total)) return ranges;
  return [...ranges, { from: accountedCount + 1, to: total, reason: tooManyMissed }];
}

/**
 * Joins adjacent or overlapping ranges of equal reason.
 * @param ranges ranges, sorted by `from`
 */
function joinRanges(ranges: BlockedRange[]): BlockedRange[] {
  const joined: BlockedRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last?.to !== undefined && last.reason === range.reason && last.to + 1 >= range.from)
      joined[joined.length - 1] = { ...last, to: range.to };
    else joined.push(range);
  }
  return joined;
}

/**
 * Returns how a list changed during its sweep; undefined if no change was seen. Only a complete sweep of the whole list sees its
 * length at the end. For others, `after` equals `before`.
 */
function findListChange(result: SweepResult): ListChange | undefined {
  const { repeated, short, places, counted: before, failed, mode, list, stopped, shard } = result;
  if (!list) return undefined;
  const isShorter = short.some(({ from }) => from > places);
  const lengthAtEnd = failed.reduce((last, { to }) => Math.max(last, to ?? before), places);
  const isFollowedToEnd = mode === 'all' && stopped === undefined && !shard;
  const after = isFollowedToEnd ? lengthAtEnd : before;
  return repeated > 0 || isShorter || after !== before ? { repeated, before, after } : undefined;
}

/** Returns whether a sweep judged every record that it was to judge. */
export const isComplete = ({ blocked, stopped }: Pick<SweepSummary, 'blocked' | 'stopped'>): boolean =>
  blocked.length === 0 && stopped === undefined;

/**
 * Returns the share of swept records that break a requirement. Undefined if none breaks it, and it was not judged or is not about
 * single records.
 * @param address address of the requirement
 * @param isExercised true if any response of the sweep was judged by the requirement
 */
export function computeShare(
  result: SweepResult,
  address: string,
  isExercised: boolean,
): SweptShare | undefined {
  const { operation, noun, list } = result;
  const recordAddressPrefix = list ? formatAddress(operation, `${list.pointer}/*`) : `${operation}/`;
  // In the lookups of a file, each response is one record.
  const isAboutRecords = address.startsWith(recordAddressPrefix) || list?.between.includes(address);
  const isJudgedByRecord = isExercised && isAboutRecords;
  if (!result.broken[address] && !isJudgedByRecord) return undefined;
  const broken = result.broken[address] ?? { records: 0, first: [], pages: 0 };
  const bound = list?.between.includes(address) ? undefined : computeBound(result, broken);
  return {
    judged: result.judged,
    broken: broken.records,
    records: noun,
    ...(bound === undefined ? {} : { upperBound: bound }),
    ...(broken.first.length > 0 ? { first: broken.first } : {}),
  };
}

/**
 * Computes the upper bound for all records from a random sample. Undefined without a sample, if the sample is incomplete, or if the
 * list changed.
 */
function computeBound(result: SweepResult, broken: BrokenRecords): number | undefined {
  const { drawn: population, pages, counted: total } = result;
  if (!population || !isComplete(summarizeSweep(result)) || findListChange(result)) return undefined;
  return population.by === 'pages'
    ? computeUpperBoundByPages(
        { sampleSize: pages, broken: broken.pages, populationSize: population.of },
        population.size,
        total,
      )
    : computeUpperBound({ sampleSize: result.judged, broken: broken.records, populationSize: population.of });
}

const formatPercentage = (share: number): string =>
  `${(100 * share).toLocaleString('en', { maximumSignificantDigits: 2 })} %`;

/** Formats an upper bound such as 0.00183 as "0.19 %", with two significant digits, rounded up. */
export function formatUpperBound(share: number): string {
  const nearest = Number((100 * share).toPrecision(2));
  const step = 10 ** (Math.floor(Math.log10(nearest)) - 1);
  // Tolerates rounding errors of binary fractions: 100 * 0.028 is 2.8000000000000003.
  return formatPercentage(nearest < 100 * share * (1 - 1e-12) ? (nearest + step) / 100 : share);
}

/**
 * Formats the share of broken records: "23 of 1,000,000 customers (0.0023 %), first at number 10,007 of the list", or "none of 950
 * customers".
 */
export function describeShare(share: SweptShare): string {
  const { judged: total, broken, records, first = [], upperBound: bound } = share;
  const places =
    first.length > 0 ? `, first at number ${first.map(formatNumber).join(', ')} of the list` : '';
  const boundText =
    bound === undefined ? '' : `; with 95 % confidence at most ${formatUpperBound(bound)} of all ${records}`;
  const percent = broken > 0 ? ` (${formatPercentage(broken / Math.max(1, total))})` : '';
  const count = broken > 0 ? formatNumber(broken) : 'none';
  return `${count} of ${formatNumber(total)} ${records}${percent}${places}${boundText}`;
}

export function describeSweep(sweep: SweepSummary): string[] {
  const { noun, mode, moved: change, blocked } = sweep;
  const isWithoutBound = mode === 'sample' && (change || !isComplete(sweep));
  const boundReason = change ? 'their list changed' : 'the sample lacks some of those that were drawn';
  return [
    describeExtent(sweep),
    ...(change ? [describeChange(noun, change)] : []),
    ...describeBlockedRanges(noun, blocked),
    ...(isWithoutBound ? [`no bound is stated for all ${noun}: ${boundReason}`] : []),
  ];
}

function describeChange(noun: string, { repeated, before, after }: ListChange): string {
  const duplicates = repeated > 0 ? `showed ${formatCount(repeated, 'record')} again` : '';
  if (before === after)
    return `the list of ${noun} ${duplicates}: it changed while it was read, so that some may not have been seen, or its pages repeat records or overlap`;
  const counts = `had ${formatNumber(before)} before and ${formatNumber(after)} at the end`;
  const changes = duplicates ? `${duplicates}, and ${counts}` : counts;
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

/** Formats ", shard 2 of 4"; empty without shards. */
export const formatShard = (shard: Shard | undefined): string =>
  shard ? `, shard ${shard.current} of ${shard.total}` : '';

/**
 * Describes how many records were judged: "5,000 of 1,000,000 customers, drawn at random (seed 42), were judged". For a file of
 * identifiers: "950 of 950 lines of CARD_IDS were answered, 940 of them with a record".
 */
function describeExtent(sweep: SweepSummary): string {
  const { noun, mode, population, pages, seed, moved: change, withoutRecord = 0 } = sweep;
  const [judgedCount, shard] = [formatNumber(sweep.judged), formatShard(sweep.shard)];
  const atLeast = change ? ` of at least ${formatNumber(Math.max(sweep.judged, change.after))}` : '';
  const total = population === undefined ? atLeast : ` of ${formatNumber(population)}`;
  if (withoutRecord > 0) {
    const withRecord = sweep.judged > 0 ? judgedCount : 'none';
    return `${formatNumber(sweep.judged + withoutRecord)}${total} ${noun} got a response, ${withRecord} of them with a record${shard}`;
  }
  const sample = mode === 'sample' ? `, drawn at random (seed ${seed}),` : '';
  const extent = mode === 'all' && pages !== undefined ? `, on ${formatCount(pages, 'page')}` : '';
  return `${judgedCount}${total} ${noun}${sample} were judged${extent}${shard}`;
}
