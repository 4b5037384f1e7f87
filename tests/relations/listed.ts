import type { Doubt, RelationResult } from './doubt.ts';
import { ListedDoubt, shownBy } from './listed-doubt.ts';
import type { LookedUp } from './looked-up.ts';
import { type Longer, PagesAgain } from './pages-again.ts';
import { differ } from './prints.ts';
import { presence } from './sightings.ts';
import type { RunSightings } from './sightings-of-run.ts';

/** Holds each lookup against what lists have shown of the record. */
export function judgeListed<Source>(
  sightings: RunSightings<Source>,
  results: RelationResult<Source>[],
  isConfigured: (source: Source) => boolean,
  longer: Longer<Source>,
): Doubt<Source>[] {
  // A configured record has to be found for any list: it is the first to be requested again.
  const configuredFirst = sightings.lookups.toSorted(
    (one, other) => Number(isConfigured(other.source)) - Number(isConfigured(one.source)),
  );
  return configuredFirst
    .filter(({ outcome }) => outcome !== 'other')
    .flatMap((lookup) => {
      const unclear = unclearRejection(sightings, lookup, isConfigured);
      if (unclear) results.push(unclear);
      return unclear ? [] : (judgeLookup(sightings, lookup, results, longer) ?? []);
    });
}

/** A lookup without success that no record of a list can be held against: it says nothing of any rule. */
function unclearRejection<Source>(
  sightings: RunSightings<Source>,
  { operation, key, outcome, source }: LookedUp<Source>,
  isConfigured: (source: Source) => boolean,
): RelationResult<Source> | undefined {
  const rule = sightings.relations.listed.find((one) => one.operation === operation && 'found' in one.check);
  if (!rule || outcome === 'success') return undefined;
  const isUnknown = !isConfigured(source) && !sightings.find(rule, key);
  if (!isUnknown && !sightings.namesTwo(key)) return undefined;
  const undecided = sightings.namesTwo(key)
    ? 'the list shows two records with this identifier'
    : 'the list shows no identifier to compare it by';
  return { rule, second: source, conclusion: { undecided }, count: 1 };
}

/** Of the rules about one record, the first that is broken is reported, in the order in which they are declared. */
function judgeLookup<Source>(
  sightings: RunSightings<Source>,
  lookup: LookedUp<Source>,
  results: RelationResult<Source>[],
  longer: Longer<Source>,
): Doubt<Source> | undefined {
  const rules = sightings.relations.listed.filter(({ operation }) => operation.id === lookup.operation.id);
  for (const rule of rules) {
    const listed = sightings.find(rule, lookup.key);
    const before = listed && ('found' in rule.check ? presence.present : listed.valueOf(rule.check));
    const now = shownBy(rule.check, lookup);
    if (!listed || !before || typeof now !== 'number') continue;
    if (differ(before, now)) {
      const { source, last } = listed;
      const pages = new PagesAgain(source, longer(last));
      return new ListedDoubt(sightings.relations, rule, lookup, { source, before, now }, pages);
    }
    results.push({ rule, second: lookup.source, conclusion: 'kept', count: 1 });
  }
  return undefined;
}
