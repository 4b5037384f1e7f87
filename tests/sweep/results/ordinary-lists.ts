import { valueAt } from '../../../schemas/json/read.ts';
import { ownValue } from '../../../schemas/own-value.ts';
import type { SweptList } from '../../exchanges/session.ts';
import { printOf } from '../../relations/prints.ts';
import type { Seen } from '../../relations/sightings-of-run.ts';
import type { BlockedRange, SweepResult } from './result.ts';

/** How many records ordinary requests have listed of each list that is swept: the least that a sweep must see. */
export class OrdinaryLists {
  readonly #prints = new Map<string, Set<number>>();

  /** Takes note of a response, unless its parameters narrow the list. */
  add(list: SweptList | undefined, { operation, parameters, outcome, body }: Seen<unknown>): void {
    if (!list || outcome !== 'success') return;
    const ofPages = Object.keys(list.page(1, 0));
    const records = valueAt(body, list.pointer);
    if (!Array.isArray(records) || !Object.keys(parameters).every((name) => ofPages.includes(name))) return;
    const prints = this.#prints.get(operation.id) ?? new Set();
    this.#prints.set(operation.id, prints);
    for (const record of records) {
      const identity = ownValue(record, list.key);
      if (typeof identity === 'string') prints.add(printOf(identity));
    }
  }

  /** Records of an operation's list, each counted once. */
  count(operation: string): number {
    return this.#prints.get(operation)?.size ?? 0;
  }
}

/**
 * A result that holds at least half as many records as ordinary requests of its run have listed; else the others are a range of
 * which nothing is known. A list that moves may lose some meanwhile. Parts are compared when they are merged.
 */
export function withUnseen<Result extends Omit<SweepResult, 'shares'>>(result: Result): Result {
  const { blocked, stopped, part, listed = 0 } = result;
  const seen = seenIn(result);
  const isOwn = part === undefined || part.total === 1;
  if (!isOwn || stopped !== undefined || blocked.length > 0 || 2 * seen >= listed) return result;
  const { population: _, ...rest } = result;
  return { ...rest, blocked: [unseenRange(seen, listed)] } as Result;
}

/** A sample that judged any record stands for all of which it was drawn. */
const seenIn = ({ judged, mode, population = 0, drawnPages }: Omit<SweepResult, 'shares'>): number =>
  mode === 'sample' && judged > 0
    ? Math.max(population, (drawnPages?.of ?? 0) * (drawnPages?.size ?? 0))
    : judged;

const unseenRange = (seen: number, listed: number): BlockedRange => ({
  ...{ from: seen + 1, to: listed },
  reason: 'the sweep was shown less than half of what the ordinary requests of the same run were',
});
