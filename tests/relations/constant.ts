import { type Conclusion, concludeConstant, type Shown } from './conclude.ts';
import type { AskAgain, Doubt, RelationResult } from './doubt.ts';
import { type LookedUp, lookedUp, showsNothing } from './looked-up.ts';
import type { RunSightings } from './sightings-of-run.ts';
import { noLookup, nothingLookedUp } from './unconfirmed.ts';

/** Asks for each configured record a second time; where it shows something else, it is requested again. */
export async function judgeConstant<Source>(
  { relations, lookups }: RunSightings<Source>,
  ask: AskAgain<Source>,
  isConfigured: (source: Source) => boolean,
  results: RelationResult<Source>[],
): Promise<Doubt<Source>[]> {
  const doubts: Doubt<Source>[] = [];
  for (const rule of relations.constant)
    for (const lookup of lookups.filter(
      ({ operation, source, outcome }) =>
        operation === rule.operation && outcome === 'success' && isConfigured(source),
    )) {
      const [again] = lookedUp(await ask(lookup.source), relations);
      if (again?.outcome !== 'success') {
        results.push({ rule, second: lookup.source, conclusion: notShownAgain, count: 1 });
        continue;
      }
      const pointers = rule.check.constant.filter(
        (pointer) => lookup.values.get(pointer) && again.values.get(pointer),
      );
      if (pointers.length === 0) continue;
      const changed = pointers.filter((pointer) => lookup.values.get(pointer) !== again.values.get(pointer));
      if (changed.length === 0) results.push({ rule, second: lookup.source, conclusion: 'kept', count: 1 });
      else doubts.push(constantDoubt(rule, relations, [lookup, again], changed));
    }
  return doubts;
}

function constantDoubt<Source>(
  rule: RunSightings<Source>['relations']['constant'][number],
  relations: RunSightings<Source>['relations'],
  shown: LookedUp<Source>[],
  changed: string[],
): Doubt<Source> {
  const source = (shown[0] as LookedUp<Source>).source;
  const all: (LookedUp<Source> | undefined)[] = [...shown];
  const due = shown.length + rule.check.again;
  const result = (): RelationResult<Source> => {
    const { pointer, conclusion } = concludeValues(changed, all);
    const pointers = { first: pointer, second: pointer };
    const contradiction = { first: source, pointers, sent: all.map(() => source) };
    return { rule, second: source, conclusion, count: 1, contradiction };
  };
  return {
    rule,
    second: source,
    cost: rule.check.again,
    isReady: false,
    get isBroken() {
      return all.length >= due && result().conclusion === 'broken';
    },
    next: () => (all.length < due ? source : undefined),
    take: ({ seen }) => {
      all.push(lookedUp(seen, relations)[0]);
    },
    result: () => (all.length < due ? undefined : result()),
  };
}

/** The value that is broken, or else the first of those that changed. */
function concludeValues(
  changed: string[],
  lookups: (LookedUp<unknown> | undefined)[],
): { pointer: string; conclusion: Conclusion } {
  const conclusions = changed.map((pointer) => {
    const values = lookups.map((one) => shownAt(one, pointer));
    return { pointer, conclusion: concludeConstant(values) };
  });
  const [first = { pointer: '', conclusion: 'kept' as const }] = conclusions;
  return conclusions.find(({ conclusion }) => conclusion === 'broken') ?? first;
}

function shownAt(lookup: LookedUp<unknown> | undefined, pointer: string): Shown {
  if (!lookup || showsNothing(lookup)) return { nothing: noLookup };
  return lookup.values.get(pointer) || nothingToCompare;
}

const notShownAgain = { undecided: 'the second one did not show the requested record' };
const nothingToCompare = { nothing: nothingLookedUp };
