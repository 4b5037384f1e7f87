import type { Listed } from '../../schemas/contract.ts';
import { contradict, heldAgainst, type Known } from './contradictions.ts';
import type { RelationResult } from './doubt.ts';
import { printIn, readerOf } from './pages-again.ts';
import type { ListPlan, RelationRule, Relations, Unique } from './plan.ts';
import { RecordedConstants } from './recorded-constants.ts';
import { presence, type Sighting, sightingsIn } from './sightings.ts';
import { type LookedUp, lookedUp, type Seen } from './sightings-of-run.ts';

/** What a response shows that rules compare: prints, and nothing of the body. */
export interface Prints {
  pages: { plan: ListPlan; sightings: Sighting[] }[];
  lookups: LookedUp<undefined>[];
}

/** What a response shows that rules compare. */
export function printsOf(relations: Relations, seen: Seen<undefined>): Prints {
  const own = relations.lists.filter(({ operation }) => operation === seen.operation.id);
  const pages = own.map((plan) => ({ plan, sightings: [...sightingsIn(seen.operation, plan, seen.body)] }));
  return { pages, lookups: lookedUp(seen, relations) };
}

/** Records that are compared; of others nothing is said. */
const maxRecords = 50_000;

/**
 * Judges the rules between responses of a recording, in its order: nobody can be asked again, so that a contradiction
 * counts only where the recording shows the first side again after the other one, as often as a run would ask for it.
 */
export class RecordedRelations<Source> {
  readonly #relations: Relations;
  readonly #known = new Map<ListPlan, Map<number, Known<Source>>>();
  #size = 0;
  readonly #constants: RecordedConstants<Source>;

  constructor(relations: Relations) {
    this.#relations = relations;
    this.#constants = new RecordedConstants(relations);
  }

  /** What is known with this response: of this one, or of an earlier one that it confirms. */
  add({ pages, lookups }: Prints, source: Source): RelationResult<Source>[] {
    return summed([
      ...pages.flatMap(({ plan, sightings }) => this.#onPage(plan, sightings, source)),
      ...lookups.flatMap((lookup) => this.#onLookup(lookup, source)),
      ...lookups.flatMap((lookup) => this.#constants.add(lookup, source)),
    ]);
  }

  /** What a page shows of its records, as one result for each rule. */
  #onPage(plan: ListPlan, sightings: Sighting[], source: Source): RelationResult<Source>[] {
    const rules = this.#uniqueOf(plan);
    const compared = rules.map((rule) => ({ rule, valueIn: readerOf(plan, rule.check), count: 0 }));
    const records = this.#recordsOf(plan);
    const results: RelationResult<Source>[] = [];
    for (const sighting of sightings) {
      const known = records.get(sighting.key);
      if (!known) this.#remember(records, { source, sighting, contradictions: undefined });
      for (const one of compared) if (one.valueIn(sighting) !== 0) one.count += 1;
      if (known) results.push(...heldAgainst(plan, known, compared, sighting, source));
    }
    return [...compared.flatMap(({ rule, count }) => keptResult(rule, source, count)), ...results];
  }

  #uniqueOf = (plan: ListPlan): RelationRule<Unique>[] =>
    this.#relations.unique.filter(
      ({ operation, check }) => operation.id === plan.operation && check.unique === plan.key,
    );

  #recordsOf(plan: ListPlan): Map<number, Known<Source>> {
    const records = this.#known.get(plan) ?? new Map<number, Known<Source>>();
    this.#known.set(plan, records);
    return records;
  }

  #remember(records: Map<number, Known<Source>>, known: Known<Source>): void {
    if (this.#size >= maxRecords) return;
    this.#size += 1;
    records.set(known.sighting.key, known);
  }

  /** Of the rules about one record, the first that is contradicted is reported, in the order in which they are declared. */
  #onLookup(lookup: LookedUp<undefined>, source: Source): RelationResult<Source>[] {
    const results: RelationResult<Source>[] = [];
    for (const rule of this.#relations.listed) {
      if (rule.operation.id !== lookup.operation.id || lookup.outcome !== 'success') continue;
      const plan = this.#relations.lists.find(
        (one) => one.operation === rule.check.listedBy && one.key === rule.check.key,
      );
      const known = plan && this.#known.get(plan)?.get(lookup.key);
      if (!plan || !known) continue;
      const [before, now] = [printIn(plan, rule.check, known.sighting), shownBy(rule.check, lookup)];
      if (before === 0 || now === 0) continue;
      if (before !== now) {
        contradict(known, rule, before, source);
        return results;
      }
      known.contradictions?.delete(rule);
      results.push({ rule, second: source, conclusion: 'kept', count: 1 });
    }
    return results;
  }
}

/** What is kept of one rule by one response, as one. */
function summed<Source>(results: RelationResult<Source>[]): RelationResult<Source>[] {
  const kept = new Map<RelationRule, RelationResult<Source>>();
  for (const result of results.filter(({ conclusion }) => conclusion === 'kept')) {
    const known = kept.get(result.rule);
    kept.set(result.rule, known ? { ...result, count: result.count + known.count } : result);
  }
  return [...kept.values(), ...results.filter(({ conclusion }) => conclusion !== 'kept')];
}

const keptResult = <Source>(rule: RelationRule, second: Source, count: number): RelationResult<Source>[] =>
  count === 0 ? [] : [{ rule, second, conclusion: 'kept', count }];

function shownBy(check: Listed, { values }: LookedUp<undefined>): number {
  if ('found' in check) return presence.present;
  return values.get('same' in check ? check.same : check.presentAs) ?? 0;
}
