import { addressOf } from '../../schemas/contract/nodes.ts';
import { counted as countOf, number } from '../../schemas/counted.ts';
import { pick } from '../../schemas/json.ts';
import type { Shard } from '../client/target.ts';
import { upperBound, upperBoundByPages } from './bounds.ts';

/** Records that break a requirement. */
export interface BrokenRecords {
  records: number;
  /** Places of the first ones in the list, or lines of the file, from 1. */
  first: number[];
  /** Pages that hold any of them. */
  pages: number;
}

/** Records that could not be looked at. */
interface BlockedRange {
  /** Places in the list, from 1; `to` is undefined where the end is not known. */
  from: number;
  to: number | undefined;
  reason: string;
}

/** What pages, lines of a file and shards add up to. Nothing in it identifies a record. */
export interface SweptCounts {
  /** Records that were judged, each once. */
  judged: number;
  /** How often a record was shown that an earlier place had shown. */
  repeated: number;
  /** Pages, or lines. */
  pages: number;
  /** The last place at which a record was shown, from 1. */
  places: number;
  /** What was not answered, or could not be judged. */
  failed: BlockedRange[];
  /** What pages lack that are shorter than requested: nothing is wrong with them where the list has ended before. */
  short: BlockedRange[];
  /** By requirement. */
  broken: Record<string, BrokenRecords>;
  /** Requests that it took: in all its runs, if it was resumed. */
  requests: number;
}

/** What a list, or a file of identifiers, was looked at for, and what that has come to. */
export interface SweepResult extends SweptCounts {
  operation: string;
  /** What the records are called, in the plural. */
  noun: string;
  /** Name of its journal. */
  journal: string;
  /** Of a list: its JSON Pointer, and the requirements that compare its records with each other. */
  list?: { pointer: string; between: string[] };
  mode: 'all' | 'sample';
  seed?: number;
  /** Which share of it was looked at. */
  shard?: Shard;
  /** How many records there were before the first page was requested; of a file, its lines. */
  counted: number;
  /** Why it ended before the end. */
  stopped?: string;
  /** Of a sample: out of how many records, or pages of so many. */
  drawn?: { by: 'records' | 'pages'; of: number; size: number };
}

/** What a sweep has looked at, as reports have it. */
export interface SweepSummary
  extends Pick<SweepResult, 'operation' | 'noun' | 'mode' | 'seed' | 'judged' | 'stopped' | 'shard'> {
  /** How many there are, where that is certain. */
  population?: number;
  /** Pages of a list that were judged. */
  pages?: number;
  /** Lines of a file whose responses show no record, where there are any. */
  withoutRecord?: number;
  blocked: BlockedRange[];
  /** Of a list that changed while it was read: how often records were shown again, and how many there were before and after. */
  moved?: { repeated: number; before: number; after: number };
}

/** How many records break a requirement. */
export interface SweptShare {
  /** Records that were judged, each counted once. */
  judged: number;
  broken: number;
  /** The share of all records that break it at most, with 95 % confidence. Of a sample only, and not of rules between records. */
  upperBound?: number;
  /** What the records are called. */
  records: string;
  /** Places of the first broken ones in the list, from 1. */
  first?: number[];
}

/** How many first places are kept. */
export const maxPlaces = 5;

/** What nothing adds. */
export const noCounts = (): SweptCounts => ({
  ...{ judged: 0, repeated: 0, pages: 0, places: 0, requests: 0 },
  ...{ failed: [], short: [], broken: {} },
});

/** Adds what a page, a line or a shard adds. */
export function addCounts(to: SweptCounts, more: Partial<SweptCounts>): void {
  for (const name of ['judged', 'repeated', 'pages', 'requests'] as const) to[name] += more[name] ?? 0;
  to.places = Math.max(to.places, more.places ?? 0);
  to.failed.push(...(more.failed ?? []));
  to.short.push(...(more.short ?? []));
  for (const [address, records] of Object.entries(more.broken ?? {}))
    to.broken[address] = sumOfBroken(to.broken[address], records);
}

/** Why a sweep of a run that was interrupted has ended. */
export const interrupted = 'the run was interrupted';

/** The broken records of two pages, or of two shards. */
export function sumOfBroken(one: BrokenRecords | undefined, more: BrokenRecords): BrokenRecords {
  if (!one) return more;
  const first = [...one.first, ...more.first].sort((a, b) => a - b).slice(0, maxPlaces);
  return { records: one.records + more.records, first, pages: one.pages + more.pages };
}

/** Records that break any requirement, at least. */
export const violationsIn = ({ broken }: Pick<SweepResult, 'broken'>): number =>
  Object.values(broken).reduce((sum, { records }) => sum + records, 0);

/** What a sweep has looked at, and what it has not. */
export function summaryOfSweep(result: SweepResult): SweepSummary {
  const blocked = blockedIn(result);
  const moved = movedIn(result);
  const lost = blocked.reduce((sum, { from, to = from - 1 }) => sum + to - from + 1, 0);
  const withoutRecord = result.list ? 0 : result.pages - lost - result.judged;
  const isCertain = !moved && blocked.every(({ to }) => to !== undefined);
  return {
    ...pick(result, ['operation', 'noun', 'mode', 'seed', 'judged', 'stopped', 'shard']),
    ...(isCertain ? { population: result.counted } : {}),
    ...(result.list ? { pages: result.pages } : {}),
    ...(withoutRecord > 0 ? { withoutRecord } : {}),
    ...(moved ? { moved } : {}),
    blocked,
  };
}

/** A sweep that has not judged a larger share of the records that were counted, and more than a few, was not shown all. */
const maxMissed = { share: 0.1, records: 2 };

const unseen =
  'the list became shorter, or changed its order, while it was read, so that less than nine tenths of it were judged: sweep it again';

/** The ranges that were not looked at, in their order; those that follow each other for one reason are one. */
function blockedIn(result: SweepResult): BlockedRange[] {
  const { failed, short, places, counted, judged, mode, list, stopped, shard } = result;
  const holes = [...failed, ...short.filter(({ from }) => from <= places)];
  const ranges = joined(holes.toSorted((one, other) => one.from - other.from));
  if (!list || mode === 'sample' || stopped !== undefined || shard) return ranges;
  const known = ranges.reduce((sum, { from, to = counted }) => sum + to - from + 1, judged);
  const isFew = counted - known <= Math.max(maxMissed.records, maxMissed.share * counted);
  return isFew ? ranges : [...ranges, { from: known + 1, to: counted, reason: unseen }];
}

function joined(ranges: BlockedRange[]): BlockedRange[] {
  const all: BlockedRange[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last?.to !== undefined && last.reason === range.reason && last.to + 1 >= range.from)
      all[all.length - 1] = { ...last, to: range.to };
    else all.push(range);
  }
  return all;
}

/** Whether a list changed while it was read, as far as a sweep, or its share, could see it. */
function movedIn({ repeated, short, places, counted, failed, mode, list, stopped, shard }: SweepResult) {
  if (!list) return undefined;
  const isShorter = short.some(({ from }) => from > places);
  const end = failed.reduce((last, { to }) => Math.max(last, to ?? counted), places);
  const isFollowed = mode === 'all' && stopped === undefined && !shard;
  const after = isFollowed ? end : counted;
  const hasMoved = repeated > 0 || isShorter || after !== counted;
  return hasMoved ? { repeated, before: counted, after } : undefined;
}

/** Whether a sweep could judge every record that it was to judge. */
export const isComplete = ({ blocked, stopped }: Pick<SweepSummary, 'blocked' | 'stopped'>): boolean =>
  blocked.length === 0 && stopped === undefined;

/**
 * What a sweep says of a requirement, if it has judged that record by record.
 * @param isExercised whether any response of the sweep was judged by it
 */
export function shareOf(result: SweepResult, address: string, isExercised: boolean): SweptShare | undefined {
  const { operation, judged, noun, list } = result;
  const ofRecords = list ? addressOf(operation, `${list.pointer}/*`) : `${operation}/`;
  const isOfRecords = address.startsWith(ofRecords) || list?.between.includes(address);
  if (!result.broken[address] && !(isExercised && isOfRecords)) return undefined;
  const broken = result.broken[address] ?? { records: 0, first: [], pages: 0 };
  const upperBound = list?.between.includes(address) ? undefined : boundOf(result, broken);
  return {
    ...{ judged, broken: broken.records, records: noun },
    ...(upperBound === undefined ? {} : { upperBound }),
    ...(broken.first.length > 0 ? { first: broken.first } : {}),
  };
}

/** Of a sample that lacks nothing of what was drawn, of a list that stands still. */
function boundOf(result: SweepResult, broken: BrokenRecords): number | undefined {
  const { judged, pages, drawn, counted } = result;
  if (!drawn || !isComplete(summaryOfSweep(result)) || movedIn(result)) return undefined;
  return drawn.by === 'pages'
    ? upperBoundByPages({ drawn: pages, broken: broken.pages, of: drawn.of }, drawn.size, counted)
    : upperBound({ drawn: judged, broken: broken.records, of: drawn.of });
}

/** "0.0023 %": two digits that say something. */
const percentage = (share: number): string =>
  `${(100 * share).toLocaleString('en', { maximumSignificantDigits: 2 })} %`;

/** A bound, never less than it is: "0.19 %" for 0.00183. */
export function percentageAbove(share: number): string {
  const nearest = Number((100 * share).toPrecision(2));
  const step = 10 ** (Math.floor(Math.log10(nearest)) - 1);
  // 100 * 0.028 is 2.8000000000000003.
  return percentage(nearest < 100 * share * (1 - 1e-12) ? (nearest + step) / 100 : share);
}

/** "23 of 1,000,000 customers (0.0023 %), first at number 10,007 of the list". */
export function sweptText({ judged, broken, records, first = [], upperBound }: SweptShare): string {
  const places = first.length > 0 ? `, first at number ${first.map(number).join(', ')} of the list` : '';
  const bound =
    upperBound === undefined
      ? ''
      : `; with 95 % confidence at most ${percentageAbove(upperBound)} of all ${records}`;
  const share = broken > 0 ? ` (${percentage(broken / Math.max(1, judged))})` : '';
  return `${broken > 0 ? number(broken) : 'none'} of ${number(judged)} ${records}${share}${places}${bound}`;
}

/** What a sweep has looked at, in sentences. */
export function sweepSentences(sweep: SweepSummary): string[] {
  const { noun, mode, moved, blocked } = sweep;
  const sentences = [extentSentence(sweep)];
  if (moved) sentences.push(changeSentence(noun, moved));
  for (const { from, to, reason } of blocked.slice(0, maxRanges)) {
    const end = to === undefined ? 'the end' : number(to);
    sentences.push(`not looked at: ${noun} ${number(from)} to ${end} of the list: ${reason}`);
  }
  const others = blocked.length - maxRanges;
  if (others > 0) sentences.push(`not looked at: ${countOf(others, 'range')} more, all in conformance.json`);
  const lack = moved ? 'their list changed' : 'the sample lacks some of those that were drawn';
  if (mode === 'sample' && (moved || !isComplete(sweep)))
    sentences.push(`no bound is stated for all ${noun}: ${lack}`);
  return sentences;
}

/** Names both causes of repeated records if the number of records stayed: bugs of paging look like a list that changes. */
function changeSentence(
  noun: string,
  { repeated, before, after }: NonNullable<SweepSummary['moved']>,
): string {
  const again = repeated > 0 ? `showed ${countOf(repeated, 'record')} again` : '';
  if (before === after)
    return `the list of ${noun} ${again}: it changed while it was read, so that some may not have been seen, or its pages repeat records or overlap`;
  const counts = `had ${number(before)} before and ${number(after)} at the end`;
  return `the list of ${noun} changed while it was read, so that some may not have been seen: it ${again && `${again}, and `}${counts}`;
}

/** How many ranges are named: of a sample each may be one of many. */
const maxRanges = 20;

/** ", shard 2 of 4"; empty where nothing is divided. */
export const shardText = (shard: Shard | undefined): string =>
  shard ? `, shard ${shard.current} of ${shard.total}` : '';

function extentSentence(sweep: SweepSummary): string {
  const { noun, mode, judged, population, pages, seed, shard, moved, withoutRecord = 0 } = sweep;
  const atLeast = moved ? ` of at least ${number(Math.max(judged, moved.after))}` : '';
  const of = population === undefined ? atLeast : ` of ${number(population)}`;
  if (withoutRecord > 0)
    return `${number(judged + withoutRecord)}${of} ${noun} were answered, ${judged > 0 ? number(judged) : 'none'} of them with a record${shardText(shard)}`;
  const drawn = mode === 'sample' ? `, drawn at random (seed ${seed}),` : '';
  const on = mode === 'all' && pages !== undefined ? `, on ${countOf(pages, 'page')}` : '';
  return `${number(judged)}${of} ${noun}${drawn} were judged${on}${shardText(shard)}`;
}
