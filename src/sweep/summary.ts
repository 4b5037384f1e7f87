import { formatAddress } from '../../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Shard } from '../client/target.ts';
import { computeUpperBound, computeUpperBoundByPages } from './bounds.ts';

/** Records that break one requirement: their number, their pages, and where the first ones are. */
export interface BrokenRecords {
  records: number;
  /** Places of the first such records in the list, or lines of the file, from 1; at most `maxPlaces`. */
  first: number[];
  /** Number of pages that hold such a record. */
  pages: number;
}

/** Range of records of a list that were not judged, or of lines of a file. */
interface BlockedRange {
  /** First and last place in the list, or line of the file, from 1; `to` is undefined for a range up to an unknown end. */
  from: number;
  to: number | undefined;
  reason: string;
}

/** Counts of a page, a line or a shard, and sums of such counts. Holds nothing that identifies a record. */
export interface SweptCounts {
  /** Number of judged records, without duplicates. */
  judged: number;
  /** Number of duplicates: records that an earlier place of the list has shown. */
  repeated: number;
  /** Number of judged pages, or lines. */
  pages: number;
  /** Last place of the list that showed a record, from 1. */
  places: number;
  /** Ranges whose request failed, or whose response could not be judged. */
  failed: BlockedRange[];
  /** Ranges missing on pages with fewer records than planned; no gap if the list has ended there. */
  short: BlockedRange[];
  /** Broken records, keyed by the address of the requirement. */
  broken: Record<string, BrokenRecords>;
  /** Number of requests, including those of earlier runs that this run resumes. */
  requests: number;
}

/** Result of the sweep of a list, or of a file of identifiers. */
export interface SweepResult extends SweptCounts {
  operation: string;
  /** Name of the records in the plural, such as `customers`. */
  noun: string;
  /** Name of the journal file without its extension, such as `listCustomers`. */
  journal: string;
  /** JSON Pointer of the list, and addresses of its uniqueness rules (`between` records); undefined for a file of identifiers. */
  list?: { pointer: string; between: string[] };
  mode: 'all' | 'sample';
  seed?: number;
  shard?: Shard;
  /** Number of records of the list as counted before the sweep, or of lines of the file. */
  counted: number;
  /** Reason why the sweep ended early. */
  stopped?: string;
  /** Population from which a sample is drawn: `of` records, or `of` pages of `size` records; undefined without a sample. */
  drawn?: { by: 'records' | 'pages'; of: number; size: number };
}

/** Summary of a sweep, as `conformance.json` has it. */
export interface SweepSummary
  extends Pick<SweepResult, 'operation' | 'noun' | 'mode' | 'seed' | 'judged' | 'stopped' | 'shard'> {
  /** Number of records of the list, if it is certain. */
  population?: number;
  /** Number of judged pages of a list. */
  pages?: number;
  /** Number of lines of a file whose response has no record; omitted if 0. */
  withoutRecord?: number;
  blocked: BlockedRange[];
  /** Set if the list changed during the sweep: number of duplicates, and of records before and at the end. */
  moved?: { repeated: number; before: number; after: number };
}

type ListChange = NonNullable<SweepSummary['moved']>;

/** Share of the swept records that break a requirement. */
export interface SweptShare {
  /** Number of judged records, without duplicates. */
  judged: number;
  broken: number;
  /**
   * Largest share of all records that may be broken, with 95 % confidence. Undefined without a sample, and for uniqueness rules.
   */
  upperBound?: number;
  /** Name of the records in the plural. */
  records: string;
  /** Places of the first broken records in the list, from 1. */
  first?: number[];
}

/** Maximum length of `BrokenRecords.first`. */
export const maxPlaces = 5;

/** Returns counts that are 0 or empty, as the start of a sum. */
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

/** Adds the counts of a page, a line or a shard to a sum. */
export function addCounts(sum: SweptCounts, added: Partial<SweptCounts>): void {
  for (const name of ['judged', 'repeated', 'pages', 'requests'] as const) sum[name] += added[name] ?? 0;
  sum.places = Math.max(sum.places, added.places ?? 0);
  sum.failed.push(...(added.failed ?? []));
  sum.short.push(...(added.short ?? []));
  for (const [address, records] of Object.entries(added.broken ?? {}))
    addBroken(sum.broken, address, records);
}

/** Reason (`stopped`) of a sweep whose run was interrupted. */
export const interrupted = 'the run was interrupted';

/** Adds broken records to the sum of a requirement. */
export function addBroken(sums: SweptCounts['broken'], address: string, added: BrokenRecords): void {
  const { records, first, pages } = sums[address] ?? { records: 0, first: [], pages: 0 };
  sums[address] = {
    records: records + added.records,
    first: [...first, ...added.first].sort((a, b) => a - b).slice(0, maxPlaces),
    pages: pages + added.pages,
  };
}

/** Counts broken records; a record that breaks several requirements counts for each. */
export const countViolations = ({ broken }: Pick<SweepResult, 'broken'>): number =>
  Object.values(broken).reduce((sum, { records }) => sum + records, 0);

/** Summarizes a sweep: how many records were judged, and which were not. */
export function summarizeSweep(result: SweepResult): SweepSummary {
  const blocked = listBlockedRanges(result);
  const change = findListChange(result);
  // A range whose end is unknown counts as empty.
  const blockedCount = blocked.reduce((sum, { from, to = from - 1 }) => sum + to - from + 1, 0);
  const withoutRecord = result.list ? 0 : result.pages - blockedCount - result.judged;
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

/** How many records a sweep of the whole list may miss without an error, because the list changed: a tenth, but at least two. */
const maxMissed = { share: 0.1, records: 2 };

const tooManyMissed =
  'the list became shorter, or changed its order, while it was read, so that less than nine tenths of it were judged: sweep it again';

/**
 * Lists the ranges that were not judged, in the order of the list. After a sweep of the whole list, adds one range if more records
 * than `maxMissed` are missing without a failed request.
 */
function listBlockedRanges(result: SweepResult): BlockedRange[] {
  const { failed, short, places, counted: total, mode, list, stopped, shard } = result;
  // A short page after the last record is the end of the list, not a hole.
  const holes = [...failed, ...short.filter(({ from }) => from <= places)];
  const ranges = joinRanges(holes.toSorted((a, b) => a.from - b.from));
  if (!list || mode === 'sample' || stopped !== undefined || shard) return ranges;
  /** Number of records that were judged, or are in a range. */
  const accounted = ranges.reduce((sum, { from, to = total }) => sum + to - from + 1, result.judged);
  const isFew = total - accounted <= Math.max(maxMissed.records, maxMissed.share * total);
  return isFew ? ranges : [...ranges, { from: accounted + 1, to: total, reason: tooManyMissed }];
}

/** Joins adjacent ranges that have the same reason. */
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
 * Returns duplicates, and lengths before and after, if a list changed during its sweep; undefined if the sweep saw no change. Only
 * a sweep of the whole list in one shard sees how long the list is at the end.
 */
function findListChange(result: SweepResult): ListChange | undefined {
  const { repeated, short, places, counted: before, failed, mode, list, stopped, shard } = result;
  if (!list) return undefined;
  const isShorter = short.some(({ from }) => from > places);
  const end = failed.reduce((last, { to }) => Math.max(last, to ?? before), places);
  const isFollowedToEnd = mode === 'all' && stopped === undefined && !shard;
  const after = isFollowedToEnd ? end : before;
  return repeated > 0 || isShorter || after !== before ? { repeated, before, after } : undefined;
}

/** Returns whether a sweep judged every record that it set out to judge. */
export const isComplete = ({ blocked, stopped }: Pick<SweepSummary, 'blocked' | 'stopped'>): boolean =>
  blocked.length === 0 && stopped === undefined;

/**
 * Returns the share of swept records that break a requirement; undefined if the requirement is not about single records, or was not
 * judged.
 * @param isExercised true if any response of the sweep exercised the requirement
 */
export function computeShare(
  result: SweepResult,
  address: string,
  isExercised: boolean,
): SweptShare | undefined {
  const { operation, noun, list } = result;
  const recordAddress = list ? formatAddress(operation, `${list.pointer}/*`) : `${operation}/`;
  // In the lookups of a file, each response is one record.
  const isAboutRecords = address.startsWith(recordAddress) || list?.between.includes(address);
  if (!result.broken[address] && !(isExercised && isAboutRecords)) return undefined;
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

/** Computes the upper bound of broken records; undefined without a sample, if drawn records are missing, or if the list changed. */
function computeBound(result: SweepResult, broken: BrokenRecords): number | undefined {
  const { drawn: population, pages, counted: total } = result;
  if (!population || !isComplete(summarizeSweep(result)) || findListChange(result)) return undefined;
  return population.by === 'pages'
    ? computeUpperBoundByPages(
        { drawn: pages, broken: broken.pages, of: population.of },
        population.size,
        total,
      )
    : computeUpperBound({ drawn: result.judged, broken: broken.records, of: population.of });
}

/** Formats a share with two significant digits: "0.0023 %". */
const percentage = (share: number): string =>
  `${(100 * share).toLocaleString('en', { maximumSignificantDigits: 2 })} %`;

/** Formats an upper bound, rounded up: "0.19 %" for 0.00183. */
export function percentageAbove(share: number): string {
  const nearest = Number((100 * share).toPrecision(2));
  /** Unit of the second significant digit. */
  const step = 10 ** (Math.floor(Math.log10(nearest)) - 1);
  // Tolerates rounding errors of binary fractions: 100 * 0.028 is 2.8000000000000003.
  return percentage(nearest < 100 * share * (1 - 1e-12) ? (nearest + step) / 100 : share);
}

/** Formats a share: "23 of 1,000,000 customers (0.0023 %), first at number 10,007 of the list". */
export function describeShare(share: SweptShare): string {
  const { judged: total, broken, records, first = [], upperBound: bound } = share;
  const places =
    first.length > 0 ? `, first at number ${first.map(formatNumber).join(', ')} of the list` : '';
  const boundText =
    bound === undefined ? '' : `; with 95 % confidence at most ${percentageAbove(bound)} of all ${records}`;
  const percent = broken > 0 ? ` (${percentage(broken / Math.max(1, total))})` : '';
  const count = broken > 0 ? formatNumber(broken) : 'none';
  return `${count} of ${formatNumber(total)} ${records}${percent}${places}${boundText}`;
}

/** Describes in sentences how many records a sweep judged, which it did not judge, and whether the list changed. */
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

/** Describes how a list changed. Duplicates in a list of unchanged length may also come from pages that overlap. */
function describeChange(noun: string, { repeated, before, after }: ListChange): string {
  const duplicates = repeated > 0 ? `showed ${formatCount(repeated, 'record')} again` : '';
  if (before === after)
    return `the list of ${noun} ${duplicates}: it changed while it was read, so that some may not have been seen, or its pages repeat records or overlap`;
  const counts = `had ${formatNumber(before)} before and ${formatNumber(after)} at the end`;
  const changes = duplicates ? `${duplicates}, and ${counts}` : counts;
  return `the list of ${noun} changed while it was read, so that some may not have been seen: it ${changes}`;
}

/** Maximum of blocked ranges to name: in a sample, each range may be a single record. */
const maxRanges = 20;

/** Describes each range in a sentence, and counts those beyond `maxRanges` in a last one. */
function describeBlockedRanges(noun: string, blocked: BlockedRange[]): string[] {
  const sentences = blocked.slice(0, maxRanges).map(({ from, to, reason }) => {
    const end = to === undefined ? 'the end' : formatNumber(to);
    return `not looked at: ${noun} ${formatNumber(from)} to ${end} of the list: ${reason}`;
  });
  const unnamed = blocked.length - sentences.length;
  if (unnamed > 0)
    sentences.push(`not looked at: ${formatCount(unnamed, 'range')} more, all in conformance.json`);
  return sentences;
}

/** Formats a shard: ", shard 2 of 4"; empty without shards. */
export const formatShard = (shard: Shard | undefined): string =>
  shard ? `, shard ${shard.current} of ${shard.total}` : '';

/**
 * Describes how many records were judged: "5,000 of 1,000,000 customers, drawn at random (seed 42), were judged". For a file of
 * identifiers with responses that lack a record, describes how many lines were answered.
 */
function describeExtent(sweep: SweepSummary): string {
  const { noun, mode, population, pages, seed, moved: change, withoutRecord = 0 } = sweep;
  const [judgedCount, shard] = [formatNumber(sweep.judged), formatShard(sweep.shard)];
  const atLeast = change ? ` of at least ${formatNumber(Math.max(sweep.judged, change.after))}` : '';
  const total = population === undefined ? atLeast : ` of ${formatNumber(population)}`;
  if (withoutRecord > 0) {
    const withRecord = sweep.judged > 0 ? judgedCount : 'none';
    return `${formatNumber(sweep.judged + withoutRecord)}${total} ${noun} were answered, ${withRecord} of them with a record${shard}`;
  }
  const sample = mode === 'sample' ? `, drawn at random (seed ${seed}),` : '';
  const extent = mode === 'all' && pages !== undefined ? `, on ${formatCount(pages, 'page')}` : '';
  return `${judgedCount}${total} ${noun}${sample} were judged${extent}${shard}`;
}
