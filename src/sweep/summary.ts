import { formatAddress } from '../../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Shard } from '../client/target.ts';
import { computeUpperBound, computeUpperBoundByPages } from './bounds.ts';

/** Records of a sweep that break one requirement. */
export interface BrokenRecords {
  /** Number of swept records that break one requirement. */
  records: number;
  /**
   * Places in the list (or lines of the file of identifiers), from 1, of the first records that break one requirement; at most
   * `maxPlaces`.
   */
  first: number[];
  /** Number of pages of the list (or lines of the file of identifiers) with a record that breaks one requirement. */
  pages: number;
}

/** Range of records that a sweep did not judge, in a list or in a file of identifiers. */
interface BlockedRange {
  /** First place in the list, or line of the file of identifiers, that a sweep did not judge; counted from 1. */
  from: number;
  /**
   * Last place in the list, or line of the file of identifiers, that a sweep did not judge; undefined for "up to an unknown end".
   */
  to: number | undefined;
  /** Reason why a sweep did not judge a range of records, in a sentence. */
  reason: string;
}

/** Counts of a swept page, line or shard, and sums of such counts. Holds nothing that identifies a record. */
export interface SweptCounts {
  /** Number of records that a sweep has judged, without duplicates. */
  judged: number;
  /** Number of duplicates in a swept list: records that an earlier place of the list has shown. */
  repeated: number;
  /**
   * Number of received pages of a swept list; or of requested lines of a file of identifiers, even if their responses cannot be
   * judged.
   */
  pages: number;
  /** Last place of a swept list that showed a record, from 1; 0 if none did, and for a file of identifiers. */
  places: number;
  /** Ranges of records whose request failed, or whose response could not be judged. */
  failed: BlockedRange[];
  /**
   * Ranges of records that pages lack: a page has fewer records than planned. At the end of a list that became shorter, this is no
   * gap.
   */
  short: BlockedRange[];
  /** Records that break a requirement, keyed by the address of the requirement, such as `listCustomers/data/customers/…`. */
  broken: Record<string, BrokenRecords>;
  /** Number of requests that a sweep has sent, including those of earlier runs that this run resumes. */
  requests: number;
}

/** Result of the sweep of a list, or of a file of identifiers. */
export interface SweepResult extends SweptCounts {
  /** Id of the operation that a sweep requests, such as `listCustomers`. */
  operation: string;
  /** Name of the swept records in the plural, such as `customers` or `lines of CARD_IDS`. */
  noun: string;
  /** Name of the sweep's journal file without its extension, such as `listCustomers` or `getCard-CARD_IDS`. */
  journal: string;
  /**
   * Swept list: its JSON Pointer in the body, and the addresses of its uniqueness rules (`between` records). Undefined for the
   * sweep of a file of identifiers.
   */
  list?: { pointer: string; between: string[] };
  /** Extent of a sweep: `all` records, or a random `sample`. */
  mode: 'all' | 'sample';
  /** Seed with which a random sample was drawn; undefined without a sample. */
  seed?: number;
  /** Shard that the sweep belongs to; undefined for a sweep without shards. */
  shard?: Shard;
  /** Number of records of a list as counted before its sweep, or of lines of a file of identifiers. */
  counted: number;
  /** Reason why a sweep ended early, in a sentence; undefined if it did not. */
  stopped?: string;
  /** Population from which a sample is drawn: `of` records, or `of` pages of `size` records; undefined without a sample. */
  drawn?: { by: 'records' | 'pages'; of: number; size: number };
}

/** Summary of a sweep, as `conformance.json` has it. */
export interface SweepSummary
  extends Pick<SweepResult, 'operation' | 'noun' | 'mode' | 'seed' | 'judged' | 'stopped' | 'shard'> {
  /**
   * Number of records of a swept list, or of lines of a file of identifiers; undefined if the list changed or has an unknown end.
   */
  population?: number;
  /** Number of received pages of a swept list; undefined for a file of identifiers. */
  pages?: number;
  /** Number of lines of a file of identifiers whose response was judged and has no record, such as a rejection; omitted if 0. */
  withoutRecord?: number;
  /** Ranges of records that a sweep did not judge, in the order of the list. */
  blocked: BlockedRange[];
  /**
   * Change of a list during its sweep: number of duplicates, and number of records before and at the end. Undefined if the sweep
   * saw no change.
   */
  moved?: { repeated: number; before: number; after: number };
}

type ListChange = NonNullable<SweepSummary['moved']>;

/** Share of the swept records that break a requirement. */
export interface SweptShare {
  /** Number of records that a sweep has judged, without duplicates. */
  judged: number;
  /** Number of judged records that break the requirement. */
  broken: number;
  /**
   * Largest share (0 to 1) of all records, also those outside the random sample, that may break the requirement, with 95 %
   * confidence. Undefined without a sample, and for uniqueness rules.
   */
  upperBound?: number;
  /** Name of the swept records in the plural, such as `customers`. */
  records: string;
  /** Places in the list, from 1, of the first records that break the requirement; undefined if no record does. */
  first?: number[];
}

/** Maximum number of places of broken records that a sweep lists for each requirement (`BrokenRecords.first`). */
export const maxPlaces = 5;

/** Returns counts of a sweep that are all 0 or empty, as the start of a sum. */
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

/** Adds the counts of a swept page, line or shard to `sum`, which it changes. */
export function addCounts(sum: SweptCounts, added: Partial<SweptCounts>): void {
  for (const name of ['judged', 'repeated', 'pages', 'requests'] as const) sum[name] += added[name] ?? 0;
  sum.places = Math.max(sum.places, added.places ?? 0);
  sum.failed.push(...(added.failed ?? []));
  sum.short.push(...(added.short ?? []));
  for (const [address, records] of Object.entries(added.broken ?? {}))
    addBroken(sum.broken, address, records);
}

/** Reason (`stopped`) why a sweep ended early if its run was interrupted. */
export const interrupted = 'the run was interrupted';

/** Adds records that break the requirement with this address to `sums`, which it changes. Keeps the first `maxPlaces` places. */
export function addBroken(sums: SweptCounts['broken'], address: string, added: BrokenRecords): void {
  const { records, first, pages } = sums[address] ?? { records: 0, first: [], pages: 0 };
  sums[address] = {
    records: records + added.records,
    first: [...first, ...added.first].sort((a, b) => a - b).slice(0, maxPlaces),
    pages: pages + added.pages,
  };
}

/** Counts the violations that a sweep has found: a record that breaks two requirements counts twice. */
export const countViolations = ({ broken }: Pick<SweepResult, 'broken'>): number =>
  Object.values(broken).reduce((sum, { records }) => sum + records, 0);

/** Summarizes the result of a sweep for reports: how many records were judged, which were not, and whether the list changed. */
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

/**
 * Number of records that a sweep of the whole list may miss without an error, because the list changed: a tenth, but at least two.
 */
const maxMissed = { share: 0.1, records: 2 };

const tooManyMissed =
  'the list became shorter, or changed its order, while it was read, so that less than nine tenths of it were judged: sweep it again';

/**
 * Lists the ranges of records that a sweep did not judge, in the order of the list. For a sweep of a whole list, adds a range with
 * the reason `tooManyMissed` if it judged fewer records than were counted, by more than `maxMissed`, although no request for them
 * failed.
 */
function listBlockedRanges(result: SweepResult): BlockedRange[] {
  const { failed, short, places, counted: total, mode, list, stopped, shard } = result;
  // A short page after the last record is the end of the list, not a hole.
  const holes = [...failed, ...short.filter(({ from }) => from <= places)];
  const ranges = joinRanges(holes.toSorted((a, b) => a.from - b.from));
  const isWholeList = list && mode === 'all' && stopped === undefined && !shard;
  if (!isWholeList) return ranges;
  /** Number of records that were judged, or are in a range. */
  const accounted = ranges.reduce((sum, { from, to = total }) => sum + to - from + 1, result.judged);
  const isFew = total - accounted <= Math.max(maxMissed.records, maxMissed.share * total);
  return isFew ? ranges : [...ranges, { from: accounted + 1, to: total, reason: tooManyMissed }];
}

/** Joins adjacent or overlapping ranges that have the same reason. @param ranges ranges, sorted by their first place */
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
 * Returns the change of a list during its sweep: number of duplicates, and length before and at the end. Undefined if the sweep saw
 * no change, and for a file of identifiers. Only a complete sweep of the whole list sees the length at the end; for others, `after`
 * is equal to `before`.
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

/** Returns whether a sweep judged every record that it was to judge: it did not end early, and no request failed. */
export const isComplete = ({ blocked, stopped }: Pick<SweepSummary, 'blocked' | 'stopped'>): boolean =>
  blocked.length === 0 && stopped === undefined;

/**
 * Returns the share of swept records that break a requirement. Undefined if no record breaks it and it is not about single records,
 * or was not judged.
 * @param address address of the requirement
 * @param isExercised true if any response of the sweep was judged by the requirement
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

/**
 * Computes the largest share of all records that may break a requirement, by the broken ones in a random sample. Undefined without
 * a sample, if drawn records were not judged, or if the list changed.
 */
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

/** Formats a share from 0 to 1 as a percentage with two significant digits: "0.0023 %" for 0.000023. */
const percentage = (share: number): string =>
  `${(100 * share).toLocaleString('en', { maximumSignificantDigits: 2 })} %`;

/** Formats an upper bound from 0 to 1 as a percentage with two significant digits, rounded up: "0.19 %" for 0.00183. */
export function percentageAbove(share: number): string {
  const nearest = Number((100 * share).toPrecision(2));
  /** Unit of the second significant digit. */
  const step = 10 ** (Math.floor(Math.log10(nearest)) - 1);
  // Tolerates rounding errors of binary fractions: 100 * 0.028 is 2.8000000000000003.
  return percentage(nearest < 100 * share * (1 - 1e-12) ? (nearest + step) / 100 : share);
}

/**
 * Formats the share of swept records that break a requirement: "23 of 1,000,000 customers (0.0023 %), first at number 10,007 of the
 * list", and the upper bound if there is one; "none of 950 customers".
 */
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

/**
 * Describes a sweep in sentences: how many records it judged, whether the list changed, and which records it did not judge and why.
 */
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

/**
 * Describes in a sentence how a list changed during its sweep. If its length is unchanged, also names another explanation of
 * duplicates: pages that overlap.
 */
function describeChange(noun: string, { repeated, before, after }: ListChange): string {
  const duplicates = repeated > 0 ? `showed ${formatCount(repeated, 'record')} again` : '';
  if (before === after)
    return `the list of ${noun} ${duplicates}: it changed while it was read, so that some may not have been seen, or its pages repeat records or overlap`;
  const counts = `had ${formatNumber(before)} before and ${formatNumber(after)} at the end`;
  const changes = duplicates ? `${duplicates}, and ${counts}` : counts;
  return `the list of ${noun} changed while it was read, so that some may not have been seen: it ${changes}`;
}

/** Maximum number of ranges without judgement to describe. In a sample, each range may be a single record. */
const maxRanges = 20;

/**
 * Describes in a sentence each range of records that a sweep did not judge. A last sentence counts the ranges beyond `maxRanges`.
 */
function describeBlockedRanges(noun: string, blocked: BlockedRange[]): string[] {
  const sentences = blocked.slice(0, maxRanges).map(({ from, to, reason }) => {
    const end = to === undefined ? 'the end' : formatNumber(to);
    return `not judged: ${noun} ${formatNumber(from)} to ${end} of the list: ${reason}`;
  });
  const unnamed = blocked.length - sentences.length;
  if (unnamed > 0)
    sentences.push(`not judged: ${formatCount(unnamed, 'range')} more, all in conformance.json`);
  return sentences;
}

/** Formats a shard as the end of a sentence: ", shard 2 of 4"; empty without shards. */
export const formatShard = (shard: Shard | undefined): string =>
  shard ? `, shard ${shard.current} of ${shard.total}` : '';

/**
 * Describes in a sentence how many records a sweep judged: "5,000 of 1,000,000 customers, drawn at random (seed 42), were judged".
 * For a file of identifiers with responses without a record: "950 of 950 lines of CARD_IDS were answered, 940 of them with a
 * record".
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
