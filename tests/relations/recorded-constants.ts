import type { RelationResult } from './doubt.ts';
import type { LookedUp } from './looked-up.ts';
import { type Direction, directionTo, type Span } from './recorded-span.ts';
import type { Relations } from './relation-rules.ts';

type ConstantRule = Relations['constant'][number];

/** Values of a record that must stay, as they were last shown. */
interface Constants<Source> {
  first: Source;
  last: Source;
  /** Which way the lookups go; undefined before the second one. */
  direction: Direction | undefined;
  values: Map<string, number>;
  changes: Map<string, number>;
}

/** Holds the lookups of each record against each other. One change may be the target's own; a second one is not. */
export class RecordedConstants<Source extends Span> {
  readonly #relations: Relations;
  readonly #known = new Map<string, Constants<Source>>();

  readonly #maxRecords: number;
  #notKept = 0;

  constructor(relations: Relations, maxRecords: number) {
    this.#relations = relations;
    this.#maxRecords = maxRecords;
  }

  /** How many lookups showed a record that was not compared, since there was no room to keep it. */
  get notCompared(): number {
    return this.#notKept;
  }

  add(lookup: LookedUp<undefined>, source: Source): RelationResult<Source>[] {
    const rules = this.#relations.constant.filter(({ operation }) => operation.id === lookup.operation.id);
    return rules.flatMap((rule) => this.#judge(rule, lookup, source));
  }

  #judge(rule: ConstantRule, lookup: LookedUp<undefined>, source: Source): RelationResult<Source>[] {
    const key = `${rule.operation.id} ${rule.rule.address} ${lookup.key}`;
    const known = this.#known.get(key) ?? {
      first: source,
      last: source,
      direction: undefined,
      values: new Map(),
      changes: new Map(),
    };
    if (this.#known.has(key) || this.#known.size < this.#maxRecords) this.#known.set(key, known);
    else this.#notKept += 1;
    const direction = directionTo(source, known.last, known.direction);
    if (!direction) return [];
    if (source !== known.last) known.direction = direction;
    known.last = source;
    const shown = rule.check.constant.map((pointer) => ({
      pointer,
      value: lookup.values.get(pointer) || 0,
    }));
    const compared = shown.filter(({ pointer, value }) => value !== 0 && known.values.has(pointer));
    const changed = compared.filter(({ pointer, value }) => known.values.get(pointer) !== value);
    for (const { pointer, value } of shown) if (value !== 0) known.values.set(pointer, value);
    for (const { pointer } of changed) known.changes.set(pointer, (known.changes.get(pointer) ?? 0) + 1);
    if (compared.length > 0 && changed.length === 0)
      return [{ rule, second: source, conclusion: 'kept', count: 1 }];
    const again = changed.find(({ pointer }) => known.changes.get(pointer) === 2);
    return again ? [brokenResult(rule, known.first, again.pointer)] : [];
  }
}

function brokenResult<Source>(rule: ConstantRule, source: Source, pointer: string): RelationResult<Source> {
  const pointers = { first: pointer, second: pointer };
  const contradiction = { first: source, pointers, sent: [source, source, source] };
  return { rule, second: source, conclusion: 'broken', count: 1, contradiction };
}
