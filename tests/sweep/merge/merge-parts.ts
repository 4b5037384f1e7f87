import { shortRange } from '../paging/short-pages.ts';
import { withUnseen } from '../results/ordinary-lists.ts';
import type { BlockedRange, SweepResult } from '../results/result.ts';
import { sharesOf } from '../results/shares.ts';
import { summed, type Tally, unconfirmedIn } from '../results/tally.ts';
import { wholeOf } from '../results/whole-list.ts';
import type { Across } from './across-parts.ts';
import { BrokenOnce } from './broken-once.ts';

/**
 * What the parts of one sweep come to together.
 * @param parts in the order of their numbers
 * @param tally the pages of all, in their order
 * @param once the records of these pages that break anything
 */
export function mergeParts(
  parts: SweepResult[],
  tally: Tally,
  across: Across,
  once = new BrokenOnce(),
): SweepResult {
  const [first] = parts;
  if (!first) throw new Error('there is no part of a sweep');
  const {
    part,
    population: _,
    stopped: __,
    shares: ___,
    endsAtFullPage: ____,
    endsAtPage: _____,
    unconfirmed: ______,
    ...rest
  } = first;
  const judged = tally.judged - across.repeated;
  const twins = across.twins.length + tally.twins;
  // Where no part was shown what another one has counted, each sum is one of different records.
  const broken = across.repeated > 0 ? once.atMost(tally.broken, { max: judged, twins }) : tally.broken;
  const moved = { repeated: tally.moved.repeated + across.repeated, gaps: tally.moved.gaps };
  const stopped = parts.find((one) => one.stopped !== undefined)?.stopped;
  const left = stopped !== undefined && tally.left ? [shortRange(tally.left.places)] : [];
  const blocked = [...tally.blocked, ...left, ...openEnd(parts)];
  const isEnded = stopped === undefined && parts.length === (part?.total ?? 1);
  const seen = seenOf(parts, tally, { judged, blocked, moved }, isEnded);
  const merged = withUnseen({
    ...rest,
    ...{ judged, broken, ...seen, ...placesOf(parts, tally) },
    ...(stopped === undefined ? {} : { stopped }),
    ...(isEnded && blocked.length === 0 ? fullEnd(parts, tally) : {}),
    ...unconfirmedIn(tally),
    states: summed(parts.map(({ states }) => states)),
    exercised: summed(parts.map(({ exercised }) => exercised)),
  });
  return { ...merged, shares: sharesOf(merged) };
}

/** What all parts have seen of the list, and what they have not. */
function seenOf(
  parts: SweepResult[],
  { twice, places: last }: Tally,
  seen: Pick<SweepResult, 'judged' | 'blocked' | 'moved'>,
  isEnded: boolean,
): Pick<SweepResult, 'blocked' | 'moved' | 'population'> {
  const { blocked, moved } = seen;
  const [{ mode, pointer, withoutOverlap } = {}] = parts;
  if (mode === 'sample') return { blocked, moved, ...drawnFrom(parts) };
  if (!isEnded || pointer === '') return { blocked, moved };
  const places = placesIn(parts, last);
  return wholeOf(
    { ...seen, twice, last, places, expected: places, ...(withoutOverlap ? { withoutOverlap } : {}) },
    unseen,
  );
}

const unseen =
  'the list moved while the shards read it, so that they have judged less than nine tenths of it: run all shards at the same time, or the sweep without --shard';

/** How many places any part knows of. */
const placesIn = (parts: SweepResult[], last: number): number =>
  parts.reduce((max, { places = 0 }) => Math.max(max, places), last);

/** Of how many records all parts have drawn theirs, where each has seen the end of the list. */
const drawnFrom = (parts: SweepResult[]): Pick<SweepResult, 'population'> => {
  const population = parts[0]?.population;
  const isKnown = population !== undefined && parts.every((part) => part.population !== undefined);
  return isKnown ? { population } : {};
};

/** How many records were looked at in which way, each as far as the first part says it. */
function placesOf(parts: SweepResult[], tally: Tally): Partial<SweepResult> {
  const { pointer, lookedUp, mode, places } = parts[0] ?? {};
  return {
    pages: pointer === '' ? tally.held : tally.pages,
    ...(lookedUp === undefined ? {} : { lookedUp: tally.lookedUp }),
    ...(places === undefined ? {} : { places: mode === 'sample' ? places : placesIn(parts, tally.places) }),
  };
}

/**
 * Whether only pages that show nothing say that the list ends where it does. One part that has judged a page looks across that
 * end, and says in its own result whether it has seen it.
 */
function fullEnd(parts: SweepResult[], { judged, left }: Tally): Partial<SweepResult> {
  const isOfPart = parts.some(
    ({ mode, endsAtFullPage }) => endsAtFullPage && (mode === 'sample' || !parts[1]),
  );
  const isFull = parts[1] && parts[0]?.withoutOverlap && judged > 0 && left === undefined;
  const isUnshown = parts.every((part) => part.judged === 0 || part.endsAtFullPage);
  return isOfPart || (isFull && isUnshown) ? { endsAtFullPage: true } : {};
}

/** The end of a list that several parts have not reached is said once. */
function openEnd(parts: SweepResult[]): BlockedRange[] {
  const open = parts.flatMap(({ blocked }) => blocked.filter(({ to }) => to === undefined));
  return open.toSorted((one, other) => one.from - other.from).slice(0, 1);
}
