import type { Listed, Operation } from '../../schemas/contract/contract.ts';
import { type LookedUp, lookedUp } from './looked-up.ts';
import { PrintTable } from './print-table.ts';
import { differ, halvesOf } from './prints.ts';
import {
  type ComparePlan,
  comparedField,
  isSameField,
  type RelationRule,
  type Relations,
  type Unique,
} from './relation-rules.ts';
import { type Sighting, sightingsIn } from './sightings.ts';
import { TwinFinder, type Twins } from './twins.ts';

/** A response, with where it comes from; nothing of the body is kept. */
export interface Seen<Source> {
  operation: Operation;
  parameters: Record<string, string>;
  /** `error` where the record is said not to be there; `denied` for 401 and 403, `failure` for 5xx, in HTTP or in the code of a body. */
  outcome: 'success' | 'error' | 'denied' | 'failure' | 'other';
  body: unknown;
  source: Source;
}

/** Two records with one key, and what is to tell that they are one. */
export interface Conflict<Source> {
  rule: RelationRule<Unique>;
  key: number;
  before: number;
  first: Source;
  second: Source;
}

/** A record that a list has shown: where first, where last, and what. */
export interface ShownRecord<Source> {
  source: Source;
  last: Source;
  valueOf(check: Listed): number;
}

interface ListTable<Source> {
  plan: ComparePlan;
  table: PrintTable;
  sources: Source[];
}

/**
 * What a list has shown of a record first: values, and where, and where last. The numbers of these responses stand behind the
 * values.
 */
function shownOf<Source>({ plan, table, sources }: ListTable<Source>, key: number) {
  const place = table.find(halvesOf(key));
  if (place === -1) return undefined;
  const values = table.numbersAt(place);
  const { length } = plan.fields;
  const source = sources[values[length] ?? -1];
  return source === undefined
    ? undefined
    : { values, source, place, last: sources[values[length + 1] ?? -1] ?? source };
}

/** What the responses of a run show of the records that rules relate, as far as it can be kept for any number of them. */
export class RunSightings<Source> {
  readonly relations: Relations;
  readonly lookups: LookedUp<Source>[] = [];
  readonly conflicts: Conflict<Source>[] = [];
  /** Responses that show two records with one key by themselves. */
  readonly twins: { rule: RelationRule<Unique>; source: Source; twins: Twins }[] = [];
  /** Records that were held against one of the same key, by source. */
  readonly compared = new Map<Source, Map<RelationRule, number>>();
  readonly #lists: ListTable<Source>[];
  readonly #conflicting = new PrintTable(0, 10_000);

  constructor(relations: Relations) {
    this.relations = relations;
    this.#lists = relations.lists.map((plan) => ({
      plan,
      table: new PrintTable(plan.fields.length + 2),
      sources: [],
    }));
  }

  add(seen: Seen<Source>): void {
    const { operation, outcome, body, source } = seen;
    const lists = this.#lists.filter(({ plan }) => outcome === 'success' && plan.operation === operation.id);
    for (const list of lists) this.#addPage(list, sightingsIn(operation, list.plan, body), source);
    if (this.#isLookup(operation)) this.lookups.push(...lookedUp(seen, this.relations));
  }

  /** Whether a key was shown with what names two records. */
  namesTwo = (key: number): boolean => this.#conflicting.find(halvesOf(key)) !== -1;

  /** What a list that a rule names has shown of a record, unless its key names two. */
  find({ check }: RelationRule<Listed>, key: number): ShownRecord<Source> | undefined {
    const list = this.#lists.find(({ plan }) => plan.operation === check.listedBy && plan.key === check.key);
    const found = list && shownOf(list, key);
    if (!found || this.namesTwo(key)) return undefined;
    const { source, last } = found;
    return { source, last, valueOf: (check) => found.values[indexOf(list.plan, check)] ?? 0 };
  }

  #isLookup = ({ id }: Operation) =>
    [...this.relations.listed, ...this.relations.constant].some(({ operation }) => operation.id === id);

  #addPage(list: ListTable<Source>, page: Iterable<Sighting>, source: Source): void {
    const { plan, table, sources } = list;
    const place = sources.push(source) - 1;
    const rules = this.#uniqueOf(plan);
    for (const sighting of page) {
      const known = shownOf(list, sighting.key);
      if (known) table.setNumber(known.place, plan.fields.length + 1, place);
      else table.add(halvesOf(sighting.key), [...sighting.values, place, place]);
      for (const one of rules) {
        const now = sighting.values[one.at] ?? 0;
        if (now !== 0) this.#count(source, one.rule);
        one.finder.add(sighting, now);
        if (known) this.#compare(one, known, sighting, source);
      }
    }
    for (const { rule, finder } of rules)
      if (finder.found) this.twins.push({ rule, source, twins: finder.found });
  }

  #compare(
    { rule, at }: { rule: RelationRule<Unique>; at: number },
    { values, source: first }: { values: number[]; source: Source },
    { key, values: shown }: Sighting,
    second: Source,
  ): void {
    const before = values[at] ?? 0;
    if (differ(before, shown[at] ?? 0)) this.#conflict({ rule, key, before, first, second });
  }

  /** The rules that no two records of a list share a key, each with what finds those of one page. */
  #uniqueOf = (plan: ComparePlan) =>
    this.relations.unique
      .filter((rule) => rule.operation.id === plan.operation && rule.check.unique === plan.key)
      .map((rule) => ({ rule, at: indexOf(plan, rule.check), finder: new TwinFinder() }));

  #count(source: Source, rule: RelationRule): void {
    const counts = this.compared.get(source) ?? new Map<RelationRule, number>();
    this.compared.set(source, counts.set(rule, (counts.get(rule) ?? 0) + 1));
  }

  #conflict(conflict: Conflict<Source>): void {
    const isNew = this.#conflicting.add(halvesOf(conflict.key), []);
    // Twins of one page are reported by themselves.
    if (isNew && conflict.first !== conflict.second) this.conflicts.push(conflict);
  }
}

const indexOf = ({ fields }: ComparePlan, check: Parameters<typeof comparedField>[0]) => {
  const field = comparedField(check);
  return field ? fields.findIndex((one) => isSameField(one, field)) : -1;
};
