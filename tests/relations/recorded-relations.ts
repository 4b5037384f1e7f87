import type { Listed, Operation } from '../../schemas/contract/contract.ts';
import { type Compared, contradict, heldAgainst, openResults } from './contradictions.ts';
import type { RelationResult } from './doubt.ts';
import { ListedRecords, recordLimits } from './listed-records.ts';
import type { LookedUp } from './looked-up.ts';
import { comparedIn, comparePlanOf, readerOf } from './pages-again.ts';
import { keysAt, printOf } from './prints.ts';
import { RecordedConstants } from './recorded-constants.ts';
import type { Prints } from './recorded-prints.ts';
import { directionTo, type Span } from './recorded-span.ts';
import {
  type ComparePlan,
  comparedPointer,
  parameterOf,
  type RelationRule,
  type Relations,
  type Unique,
} from './relation-rules.ts';
import { presence, type Sighting } from './sightings.ts';
import { twinResult, twinsIn } from './twins.ts';

/**
 * Judges the rules between responses of a recording: nobody can be asked again, so that a contradiction counts only where
 * the recording shows the first side again after the other one, as often as a run would ask for it.
 */
export class RecordedRelations<Source extends Span> {
  readonly #relations: Relations;
  readonly #records: Map<ComparePlan, ListedRecords<Source>>;
  readonly #constants: RecordedConstants<Source>;

  #notKept = 0;

  constructor(relations: Relations, limits = recordLimits) {
    this.#relations = relations;
    this.#records = new Map(
      relations.lists.map((plan) => [plan, new ListedRecords(plan.fields.length, limits)]),
    );
    this.#constants = new RecordedConstants(relations, limits.constant);
  }

  /** Whether a list below this address has shown the record that a request looks up. */
  isListed({ id }: Operation, parameters: Record<string, string>, base: string): boolean {
    const keyAt = keysAt(base);
    const own = this.#relations.listed.filter(({ operation }) => operation.id === id);
    return own.some(({ check }) => {
      const plan = comparePlanOf(this.#relations, check.listedBy, check.key);
      const asked = parameters[parameterOf(check)];
      return asked !== undefined && this.#recordsOf(plan).find(keyAt(printOf(asked))) !== undefined;
    });
  }

  /** How often a response showed a record that was not compared, since there was no room to keep it. */
  get notCompared(): number {
    return this.#notKept + this.#constants.notCompared;
  }

  /** Contradictions that the recording has neither confirmed nor taken back by its end. */
  open(): RelationResult<Source>[] {
    const all = [...this.#records.values()].flatMap((records) => [...records.contradictions()]);
    return all.flatMap(openResults);
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
  #onPage(plan: ComparePlan, sightings: Sighting[], source: Source): RelationResult<Source>[] {
    const rules = this.#uniqueOf(plan);
    const compared = rules.map((rule) => ({ rule, valueIn: readerOf(plan, rule.check), count: 0 }));
    const results: RelationResult<Source>[] = [];
    // Of records that were all unknown before they were read, no two are one.
    let areNew = true;
    for (const sighting of sightings) {
      const found = this.#onSighting(plan, compared, sighting, source);
      areNew &&= found === nothing;
      if (found === undefined) this.#notKept += 1;
      else {
        for (const one of compared) if (one.valueIn(sighting) !== 0) one.count += 1;
        results.push(...found);
      }
    }
    const twins = areNew ? nothing : this.#twinsOn(plan, sightings, source);
    return [...compared.flatMap(({ rule, count }) => keptResult(rule, source, count)), ...twins, ...results];
  }

  /** What a page says of its own records. */
  #twinsOn(plan: ComparePlan, sightings: Sighting[], source: Source): RelationResult<Source>[] {
    return this.#uniqueOf(plan).flatMap((rule) => {
      const twins = twinsIn(sightings, readerOf(plan, rule.check));
      return twins ? [twinResult(rule, source, twins)] : nothing;
    });
  }

  /** Undefined where a record is not compared, since there is no room for it, or for what contradicts it. */
  #onSighting(plan: ComparePlan, compared: Compared[], sighting: Sighting, source: Source) {
    const records = this.#recordsOf(plan);
    const known = records.findOrAdd(sighting, source);
    if (typeof known === 'string') return known === 'no room' ? undefined : nothing;
    const results = heldAgainst<Source>(plan, known, compared, sighting, source);
    if (directionTo(source, known.source) === 'later') records.update(sighting.key, sighting, source);
    return records.keep(sighting.key, known) ? results : undefined;
  }

  #uniqueOf = (plan: ComparePlan): RelationRule<Unique>[] =>
    this.#relations.unique.filter(
      ({ operation, check }) => operation.id === plan.operation && check.unique === plan.key,
    );

  #recordsOf(plan: ComparePlan): ListedRecords<Source> {
    const records = this.#records.get(plan);
    if (!records) throw new Error(`no rule compares what ${plan.operation} lists by ${plan.key}`);
    return records;
  }

  /** Of the rules about one record, the first that is contradicted is reported, in the order in which they are declared. */
  #onLookup(lookup: LookedUp<undefined>, source: Source): RelationResult<Source>[] {
    const results: RelationResult<Source>[] = [];
    for (const rule of this.#relations.listed) {
      if (rule.operation.id !== lookup.operation.id || lookup.outcome !== 'success') continue;
      const found = this.#heldAgainstList(rule, lookup, source);
      if (typeof found === 'object') return [...results, ...found];
      if (found === 'as listed') results.push({ rule, second: source, conclusion: 'kept', count: 1 });
    }
    return results;
  }

  /** Whether a lookup shows what the list has shown first; where not, what is confirmed by that; undefined where nothing is compared. */
  #heldAgainstList(
    rule: RelationRule<Listed>,
    lookup: LookedUp<undefined>,
    source: Source,
  ): 'as listed' | RelationResult<Source>[] | undefined {
    const { check } = rule;
    const plan = comparePlanOf(this.#relations, check.listedBy, check.key);
    const records = this.#recordsOf(plan);
    const known = records.find(lookup.key);
    if (!known) return undefined;
    const [before, now] = [comparedIn(plan, check, known), shownBy(check, lookup)];
    if (before === 0 || now === 0) return undefined;
    if (before === now) known.contradictions?.delete(rule);
    const found = before === now ? 'as listed' : contradict(known, rule, before, source);
    if (!records.keep(lookup.key, known)) this.#notKept += 1;
    return found;
  }
}

/** Most often: then nothing is made for it. */
const nothing: never[] = [];

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
  const pointer = comparedPointer(check);
  return pointer === undefined ? presence.present : (values.get(pointer) ?? 0);
}
