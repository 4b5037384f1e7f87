import { type LookedUp, lookedUp } from './looked-up.ts';
import { keysAt } from './prints.ts';
import type { ComparePlan, Relations } from './relation-rules.ts';
import { type Sighting, sightingsIn } from './sightings.ts';
import type { Seen } from './sightings-of-run.ts';

/** What a response shows that rules compare: prints, and nothing of the body. */
export interface Prints {
  pages: { plan: ComparePlan; sightings: Sighting[] }[];
  lookups: LookedUp<undefined>[];
}

/** What a response shows that rules compare. @param base the address below which its records are distinguished */
export function printsOf(relations: Relations, seen: Seen<undefined>, base: string): Prints {
  const keyAt = keysAt(base);
  const own = relations.lists.filter(({ operation }) => operation === seen.operation.id);
  const pages = own.map((plan) => ({ plan, sightings: [...sightingsIn(seen.operation, plan, seen.body)] }));
  const lookups = lookedUp(seen, relations);
  for (const { sightings } of pages) for (const sighting of sightings) sighting.key = keyAt(sighting.key);
  for (const lookup of lookups) lookup.key = keyAt(lookup.key);
  return { pages, lookups };
}
