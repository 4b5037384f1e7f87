import type { Operation } from '../../../schemas/contract/contract.ts';
import type { Visits } from '../../../schemas/judge/visits.ts';
import type { Observation } from '../../redaction/observation.ts';
import { FoldedObservations } from '../../verdict/folded-observations.ts';
import type { EdgeRecord } from '../pages/identity.ts';
import { numbersOfTwin } from '../pages/sightings.ts';
import { type Places, shortRange } from '../paging/short-pages.ts';
import type { BlockedRange, BrokenRecords, Moved } from './result.ts';

/** What one page has added to a sweep: a line of the journal. It holds no value and no identifier. */
export interface PageResult {
  number: number;
  /** Place of its first record in the list, from 0. */
  position?: number;
  /** Requests that were sent for it, and since the page before it, repetitions included. */
  requests?: number;
  /** Records that the page holds, and those of them that were judged. */
  held: number;
  judged: number;
  /** Of the page, and of the lookups of records that it was the first to show. Their words are settled. */
  observations: Observation[];
  broken: Record<string, BrokenRecords>;
  moved: Moved;
  /** Records with an earlier place on the same page: each has two. */
  twice?: number;
  blocked?: BlockedRange[];
  /** Of a page that is not full: the places that it leaves out, if the list goes on behind it. */
  leaves?: Places;
  /** High and low half of the print of each record that breaks a requirement. */
  brokenPrints?: number[];
  /** Of each record that shares its identity with an earlier one: high and low half of the print, and what it names. */
  twinPrints?: number[];
  /** How many of these are not counted as broken: the same was not shown when they were requested again. */
  unconfirmed?: number;
  /** How many of its records were looked up singly. */
  lookedUp?: number;
  /** Shapes of records that were met for the first time. */
  shapes?: number[];
  /** The record with which the page begins, where another shard has the page before it; and with which it ends. */
  first?: EdgeRecord | undefined;
  last?: EdgeRecord | undefined;
}

/** Of a page of which nothing is known. */
export const nothingOf = (number: number): PageResult => ({
  number,
  ...{ held: 0, judged: 0, observations: [], broken: {}, moved: { repeated: 0, gaps: 0 } },
});

/** Of a requirement that no record breaks. */
export const nothingBroken: BrokenRecords = { records: 0, first: [], states: {}, pages: 0 };

/** How many first places are kept. */
export const maxPlaces = 5;

/** The sums of a sweep. Memory does not grow with the number of pages. */
export class Tally {
  readonly #folded: FoldedObservations;
  readonly broken: Record<string, BrokenRecords> = {};
  readonly moved: Moved = { repeated: 0, gaps: 0 };
  readonly blocked: BlockedRange[] = [];
  readonly shapes = new Set<number>();
  held = 0;
  /** The last place at which a record was shown, from 1. */
  places = 0;
  judged = 0;
  lookedUp = 0;
  pages = 0;
  requests = 0;
  /** Records with an earlier place on the same page. */
  twice = 0;
  /** Records that seemed to share their identity. */
  twins = 0;
  /** Those of them of which that was not confirmed. */
  unconfirmed = 0;
  /** The number after that of the last page, and how that has ended. */
  next = 0;
  last: { number: number; print: EdgeRecord } | undefined;
  /** Whether a page has said that it is gone, since the list has become shorter. */
  isShorter = false;
  /** What the last page that shows records leaves out, if the list goes on behind it. */
  left: { number: number; places: Places } | undefined;

  constructor(operations: Operation[]) {
    this.#folded = new FoldedObservations(operations);
  }

  add(page: PageResult): void {
    this.next = page.number + 1;
    if (page.last) this.last = { number: page.number, print: page.last };
    this.held += page.held;
    this.judged += page.judged;
    this.lookedUp += page.lookedUp ?? 0;
    this.requests += page.requests ?? 0;
    this.#addDoubles(page);
    if (page.judged > 0) this.pages += 1;
    for (const observation of page.observations) this.#folded.add(observation);
    for (const [address, records] of Object.entries(page.broken))
      this.broken[address] = addedUp(this.broken[address], records);
    this.moved.repeated += page.moved.repeated;
    // Behind records that were left out, another record is no sign that the list moved.
    if (this.left?.number !== page.number - 1 || isOne(this.left.places)) this.moved.gaps += page.moved.gaps;
    if (page.held > 0) this.#goOn(page);
    this.isShorter ||= page.held === 0 && page.moved.gaps > 0;
    for (const range of page.blocked ?? []) addRange(this.blocked, range);
    for (const shape of page.shapes ?? []) this.shapes.add(shape);
  }

  #addDoubles({ twice = 0, twinPrints = [], unconfirmed = 0 }: PageResult): void {
    this.twice += twice;
    this.twins += twinPrints.length / numbersOfTwin;
    this.unconfirmed += unconfirmed;
  }

  #goOn({ number, position = 0, held, leaves, moved, first }: PageResult): void {
    this.places = Math.max(this.places, position + held);
    // Of the page of another shard the record that both show is not counted.
    if (this.left) this.#leave(this.left.places, moved.gaps > 0 && first === undefined);
    this.left = leaves && { number, places: leaves };
  }

  /** @param isLastShown whether the page behind begins with a record that the page before it should have ended with */
  #leave({ from, to }: Places, isLastShown: boolean): void {
    const places = { from, to: isLastShown ? to - 1 : to };
    if (places.from <= places.to) addRange(this.blocked, shortRange(places));
  }

  observations(): Observation[] {
    return this.#folded.list();
  }

  /** Records that break any requirement, at least. */
  get violations(): number {
    return Object.values(this.broken).reduce((sum, { records }) => sum + records, 0);
  }
}

const isOne = ({ from, to }: Places) => from === to;

/** How many records were not confirmed to share their identity, if any were not. */
export const unconfirmedIn = ({ unconfirmed }: Pick<Tally, 'unconfirmed'>) =>
  unconfirmed > 0 ? { unconfirmed } : {};

/** The broken records of two parts, the first one listed before the other. */
export function addedUp(one: BrokenRecords | undefined, other: BrokenRecords): BrokenRecords {
  if (!one) return other;
  const first = [...one.first, ...other.first].sort((a, b) => a - b).slice(0, maxPlaces);
  const states = summed([one.states, other.states]);
  return { records: one.records + other.records, first, states, pages: one.pages + other.pages };
}

/** The sums of counts by name. */
export function summed(all: Visits[]): Visits {
  const sums: Visits = {};
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** Ranges that follow each other for the same reason are one. */
function addRange(ranges: BlockedRange[], range: BlockedRange): void {
  const last = ranges.at(-1);
  if (last?.to !== undefined && last.reason === range.reason && last.to + 1 >= range.from) last.to = range.to;
  else ranges.push({ ...range });
}
