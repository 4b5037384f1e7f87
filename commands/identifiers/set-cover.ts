/** A name with the places that it stands for. */
export interface NamedSet {
  name: string;
  places: ReadonlySet<string>;
}

/** Names of few sets that together have all places, by the greedy choice: each time the set with most that is new. */
export function fewest(sets: NamedSet[]): string[] {
  const missing = new Set(sets.flatMap(({ places }) => [...places]));
  const names: string[] = [];
  while (missing.size > 0) {
    const [best] = sets
      .map((one) => ({ ...one, gain: gainOf(one, missing) }))
      .sort((one, other) => other.gain - one.gain);
    if (!best) break;
    names.push(best.name);
    for (const place of best.places) missing.delete(place);
  }
  return names;
}

function gainOf({ places }: NamedSet, missing: ReadonlySet<string>): number {
  let gain = 0;
  for (const place of places) if (missing.has(place)) gain += 1;
  return gain;
}
