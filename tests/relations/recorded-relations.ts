import type { Listed } from '../../schemas/contract.ts';
import type { RelationResult } from './doubt.ts';
import { printIn } from './pages-again.ts';
import type { ListPlan, RelationRule, Relations, Unique } from './plan.ts';
import { RecordedConstants } from './recorded-constants.ts';
import { presence, type Sighting, sightingsIn } from './sightings.ts';
import { differ, type LookedUp, lookedUp, type Seen } from './sightings-of-run.ts';

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

/** A record as it was last shown, and what contradicts it so far. */
interface Known<Source> {
  source: Source;
  sighting: Sighting;
  contradictions: Map<RelationRule, Contradiction<Source>>;
}

/** Another value than the first one, and how often the first one came back after it. */
interface Contradiction<Source> {
  before: bigint;
  first: Source;
  second: Source;
  /** Whether the other value was shown since the first one was shown. */
  isOpen: boolean;
  /** How often the other value was shown, and how often the first one after it. */
  times: number;
  rounds: number;
  isTold: boolean;
}

/** Records that are compared; of others nothing is said. */
const mostRecords = 50_000;

/**
 * Judges the rules between responses of a recording, in its order: nobody can be asked again, so that a contradiction
 * counts only where the recording shows the first side again after the other one, as often as a run would ask for it.
 */
export class RecordedRelations<Source> {
  readonly #relations: Relations;
  readonly #known = new Map<string, Known<Source>>();
  readonly #constants: RecordedConstants<Source>;

  constructor(relations: Relations) {
    this.#relations = relations;
    this.#constants = new RecordedConstants(relations);
  }

  /** What is known with this response: of this one, or of an earlier one that it confirms. */
  add({ pages, lookups }: Prints, source: Source): RelationResult<Source>[] {
    return summed([
      ...pages.flatMap(({ plan, sightings }) => sightings.flatMap((one) => this.#onPage(plan, one, source))),
      ...lookups.flatMap((lookup) => this.#onLookup(lookup, source)),
      ...lookups.flatMap((lookup) => this.#constants.add(lookup, source)),
    ]);
  }

  #onPage(plan: ListPlan, sighting: Sighting, source: Source): RelationResult<Source>[] {
    const key = keyOf(plan, sighting.key);
    const known = this.#known.get(key);
    const kept = this.#uniqueOf(plan)
      .filter((rule) => printIn(plan, rule.check, sighting) !== 0n)
      .map((rule) => ({ rule, second: source, conclusion: 'kept' as const, count: 1 }));
    if (!known) {
      const room = this.#known.size < mostRecords;
      if (room) this.#known.set(key, { source, sighting, contradictions: new Map() });
      return kept;
    }
    this.#contradictUnique(plan, known, sighting, source);
    return [...kept, ...confirmed(plan, known, sighting)];
  }

  #uniqueOf = (plan: ListPlan): RelationRule<Unique>[] =>
    this.#relations.unique.filter(
      ({ operation, check }) => operation.id === plan.operation && check.unique === plan.key,
    );

  #contradictUnique(plan: ListPlan, known: Known<Source>, sighting: Sighting, source: Source): void {
    for (const rule of this.#uniqueOf(plan)) {
      const before = printIn(plan, rule.check, known.sighting);
      if (differ(before, printIn(plan, rule.check, sighting))) contradict(known, rule, before, source);
    }
  }

  /** Of the rules about one record, the first that is contradicted is blamed, in the order in which they are declared. */
  #onLookup(lookup: LookedUp<undefined>, source: Source): RelationResult<Source>[] {
    const results: RelationResult<Source>[] = [];
    for (const rule of this.#relations.listed) {
      if (rule.operation.id !== lookup.operation.id || lookup.outcome !== 'success') continue;
      const plan = this.#relations.lists.find(
        (one) => one.operation === rule.check.listedBy && one.key === rule.check.key,
      );
      const known = plan && this.#known.get(keyOf(plan, lookup.key));
      if (!plan || !known) continue;
      const [before, now] = [printIn(plan, rule.check, known.sighting), shownBy(rule.check, lookup)];
      if (before === 0n || now === 0n) continue;
      if (before !== now) {
        contradict(known, rule, before, source);
        return results;
      }
      known.contradictions.delete(rule);
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
    kept.set(result.rule, { ...result, count: result.count + (known?.count ?? 0) });
  }
  return [...kept.values(), ...results.filter(({ conclusion }) => conclusion !== 'kept')];
}

const keyOf = ({ operation, key }: ListPlan, print: bigint) => `${operation} ${key} ${print}`;

function shownBy(check: Listed, { values }: LookedUp<undefined>): bigint {
  if ('found' in check) return presence.present;
  return values.get('same' in check ? check.same : check.presentAs) ?? 0n;
}

function contradict<Source>(known: Known<Source>, rule: RelationRule, before: bigint, second: Source): void {
  const open = known.contradictions.get(rule);
  const found = open ?? {
    before,
    first: known.source,
    second,
    isOpen: true,
    times: 0,
    rounds: 0,
    isTold: false,
  };
  known.contradictions.set(rule, Object.assign(found, { isOpen: true, times: found.times + 1 }));
}

/** What the list says again of a record: it confirms contradictions, or takes them back. */
function confirmed<Source>(
  plan: ListPlan,
  known: Known<Source>,
  sighting: Sighting,
): RelationResult<Source>[] {
  return [...known.contradictions].flatMap(([rule, contradiction]) => {
    const { check } = rule;
    if ('constant' in check) return [];
    const now = printIn(plan, check, sighting);
    if (now !== contradiction.before) {
      if ('listedBy' in check) known.contradictions.delete(rule);
      return [];
    }
    if (!contradiction.isOpen) return [];
    contradiction.isOpen = false;
    contradiction.rounds += 1;
    if (contradiction.isTold || !isConfirmed(check, contradiction)) return [];
    contradiction.isTold = true;
    return [brokenResult(rule, contradiction, sighting)];
  });
}

/** As often as a run would have asked: a lookup has to show the other value again, too. */
const isConfirmed = (check: Listed | Unique, { times, rounds }: Contradiction<unknown>): boolean =>
  'listedBy' in check ? rounds >= check.again && times > check.again : rounds > 0;

function brokenResult<Source>(
  rule: RelationRule,
  { first, second }: Contradiction<Source>,
  { pointer }: Sighting,
): RelationResult<Source> {
  const { check } = rule;
  const other = 'same' in check ? check.same : 'presentAs' in check ? check.presentAs : pointer;
  const contradiction = { first, pointers: { first: pointer, second: other }, sent: [first, second, first] };
  return { rule, second, conclusion: 'broken', count: 1, contradiction };
}
