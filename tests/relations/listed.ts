import type { Listed } from '../../schemas/contract/contract.ts';
import { type Conclusion, concludeContradiction, type Shown } from './conclude.ts';
import type { AskAgain, Doubt, RelationResult } from './doubt.ts';
import { type LookedUp, lookedUp, showsNothing } from './looked-up.ts';
import { comparePlanOf, sameOnPage } from './pages-again.ts';
import { comparedPointer, type RelationRule } from './relation-rules.ts';
import { presence } from './sightings.ts';
import { differ, type RunSightings } from './sightings-of-run.ts';
import { noLookup } from './unconfirmed.ts';

/** Holds each lookup against what lists have shown of the record. */
export function judgeListed<Source>(
  sightings: RunSightings<Source>,
  results: RelationResult<Source>[],
  isConfigured: (source: Source) => boolean,
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
      return unclear ? [] : (judgeLookup(sightings, lookup, results) ?? []);
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
): Doubt<Source> | undefined {
  const rules = sightings.relations.listed.filter(({ operation }) => operation.id === lookup.operation.id);
  for (const rule of rules) {
    const listed = sightings.find(rule, lookup.key);
    const before = listed && ('found' in rule.check ? presence.present : listed.valueOf(rule.check));
    const now = shownBy(rule.check, lookup);
    if (!listed || !before || typeof now !== 'number') continue;
    if (differ(before, now)) return listedDoubt(sightings, rule, lookup, { source: listed.source, before });
    results.push({ rule, second: lookup.source, conclusion: 'kept', count: 1 });
  }
  return undefined;
}

/** What a lookup shows of what a rule compares. */
function shownBy(check: Listed, lookup: LookedUp<unknown> | undefined): Shown {
  if (!lookup || lookup.outcome === 'other') return { nothing: noLookup };
  const pointer = comparedPointer(check);
  if (pointer === undefined) return lookup.outcome === 'success' ? presence.present : presence.absent;
  if (showsNothing(lookup)) return { nothing: noLookup };
  const value = lookup.values.get(pointer) ?? 0;
  return value === 0 ? { nothing: 'a lookup had nothing to compare' } : value;
}

/** What a list has shown of the record that was looked up. */
interface ListedBefore<Source> {
  source: Source;
  before: number;
}

function listedDoubt<Source>(
  sightings: RunSightings<Source>,
  rule: RelationRule<Listed>,
  lookup: LookedUp<Source>,
  listed: ListedBefore<Source>,
): Doubt<Source> {
  const { check } = rule;
  const [second, first] = [lookup.source, listed.source];
  const confirm = async (ask: AskAgain<Source>): Promise<RelationResult<Source>> => {
    const { conclusion, pointer, sent } = await compareAgain(sightings, check, lookup, listed, ask);
    const pointers = { first: pointer, second: comparedPointer(check) ?? 'http' };
    return { rule, second, conclusion, count: 1, contradiction: { first, pointers, sent } };
  };
  return { rule, second, cost: 2 * check.again, confirm };
}

/** Requests both sides again, the list last, as often as the rule says and for as long as they contradict each other. */
async function compareAgain<Source>(
  { relations }: RunSightings<Source>,
  check: Listed,
  { key, outcome, source: second }: LookedUp<Source>,
  { source: first, before }: ListedBefore<Source>,
  ask: AskAgain<Source>,
) {
  const plan = comparePlanOf(relations, check.listedBy, check.key);
  const sent = [first, second];
  let [conclusion, pointer]: [Conclusion, string] = ['broken', plan.key];
  for (let round = 0; round < check.again && conclusion === 'broken'; round += 1) {
    const [between] = lookedUp(await ask(second), relations);
    const page = await ask(first);
    sent.push(second, first);
    const after = sameOnPage(plan, check, { key, before }, page);
    pointer = after.pointer ?? pointer;
    // What fails in another way than the first lookup does not confirm it.
    const isOther = between && showsNothing(between) && between.outcome !== outcome;
    conclusion = concludeContradiction(before, shownBy(check, isOther ? undefined : between), after.shown);
  }
  return { conclusion, pointer, sent };
}
