import type { RelationResult } from './doubt.ts';
import { differ } from './prints.ts';
import type { RelationRule, Unique } from './relation-rules.ts';
import type { Sighting } from './sightings.ts';

/** Where one response shows two records with one key. */
export interface Twins {
  first: string;
  second: string;
}

/** Finds the first two records of one response that share a key and are not the same. */
export class TwinFinder {
  readonly #known = new Map<number, { value: number; pointer: string }>();
  #found: Twins | undefined;

  get found(): Twins | undefined {
    return this.#found;
  }

  /** @param value what is to tell that two records are one; 0 where it cannot be compared */
  add({ key, pointer }: Sighting, value: number): void {
    if (value === 0 || this.#found) return;
    const known = this.#known.get(key);
    if (!known) this.#known.set(key, { value, pointer });
    else if (differ(known.value, value)) this.#found = { first: known.pointer, second: pointer };
  }
}

/** The first twins of a response that was read whole. */
export function twinsIn(sightings: Sighting[], valueIn: (one: Sighting) => number): Twins | undefined {
  const finder = new TwinFinder();
  for (const one of sightings) finder.add(one, valueIn(one));
  return finder.found;
}

/** A response that contradicts itself breaks the rule: no second one is needed to tell. Its records are counted as kept. */
export const twinResult = <Source>(
  rule: RelationRule<Unique>,
  source: Source,
  pointers: Twins,
): RelationResult<Source> => ({
  rule,
  second: source,
  conclusion: 'broken',
  count: 0,
  contradiction: { first: source, pointers, sent: [source] },
});
