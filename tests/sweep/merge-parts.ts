import { PrintTable } from './print-table.ts';
import type { BlockedRange, BrokenRecords, SweepResult } from './result.ts';
import { sharesOf } from './shares.ts';
import { isOther, numbersOfRecord } from './sightings.ts';
import { addedUp, summed } from './tally.ts';

/** What the parts of one sweep come to together, in the order of their numbers. */
export function mergeParts(parts: SweepResult[], prints: Uint32Array[]): SweepResult {
  const [first] = parts;
  if (!first) throw new Error('there is no part of a sweep');
  const { part, population: _, stopped: __, shares: ___, ...rest } = first;
  const { repeated } = acrossParts(prints);
  const judged = sum(parts.map((one) => one.judged)) - repeated;
  const stopped = parts.find((one) => one.stopped !== undefined)?.stopped;
  const blocked = inOrder(parts.flatMap((one) => one.blocked));
  const isWhole = blocked.length === 0 && stopped === undefined && parts.length === (part?.total ?? 1);
  const population =
    first.mode === 'sample' ? first.population : isWhole && first.pointer !== '' ? judged : undefined;
  const broken = parts.map((one) => one.broken).reduce(addBroken, {});
  const merged = {
    ...rest,
    ...{ judged, blocked, broken, pages: sum(parts.map((one) => one.pages)) },
    ...(first.lookedUp === undefined ? {} : { lookedUp: sum(parts.map((one) => one.lookedUp ?? 0)) }),
    ...(population === undefined ? {} : { population }),
    ...(stopped === undefined ? {} : { stopped }),
    moved: {
      repeated: sum(parts.map(({ moved }) => moved.repeated)) + repeated,
      gaps: sum(parts.map(({ moved }) => moved.gaps)),
    },
    states: summed(parts.map(({ states }) => states)),
    exercised: summed(parts.map(({ exercised }) => exercised)),
  };
  return { ...merged, shares: sharesOf(merged) };
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

function addBroken(
  all: Record<string, BrokenRecords>,
  more: Record<string, BrokenRecords>,
): Record<string, BrokenRecords> {
  const sums = { ...all };
  for (const [address, records] of Object.entries(more)) sums[address] = addedUp(sums[address], records);
  return sums;
}

/** The end of a list that several parts have not reached is said once. */
function inOrder(ranges: BlockedRange[]): BlockedRange[] {
  const sorted = ranges.toSorted((one, other) => one.from - other.from);
  const [open] = sorted.filter(({ to }) => to === undefined);
  return [...sorted.filter(({ to }) => to !== undefined), ...(open ? [open] : [])];
}

/** Records that more than one part has seen. */
export interface Across {
  /** The list moved from one part to the other. */
  repeated: number;
  /** Places, from 0, of records whose identity names another one in another part. */
  twins: number[];
}

/** What the prints of several parts say together. */
export function acrossParts(prints: Uint32Array[]): Across {
  const table = new PrintTable();
  const across: Across = { repeated: 0, twins: [] };
  for (const part of prints)
    for (let at = 0; at + numbersOfRecord <= part.length; at += numbersOfRecord) {
      const [high = 0, low = 0, position = 0, named = 0] = part.subarray(at, at + numbersOfRecord);
      const known = table.add({ high, low }, { position, named });
      if (known && isOther(known.named, named)) across.twins.push(position);
      else if (known) across.repeated += 1;
    }
  return across;
}
