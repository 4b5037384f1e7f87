import type { Operation } from '../../schemas/contract/contract.ts';
import type { Observation } from '../redact/observation.ts';
import { Contradictions, difference, type IsLater, numberOfField } from './contradictions.ts';
import { type HashOf, keyedHash, RecordTable } from './record-table.ts';
import { type RelationRule, type Side, sidesOf } from './rules.ts';
import { keyOf, recordsIn, type Seen, type SeenRecord } from './shown.ts';

/** What a response says beside those before it. */
interface Related {
  /** How many records kept a rule, as an observation has it. */
  kept: Observation['exercised'];
  /** How many records of a list were shown before, as they are now. */
  repeated: number;
  /** What it shows of each record, by side, for `replay`. */
  shown: ShownRecord[][];
}

/** Where a record stands in its list, the hash of what identifies it, and what is compared of it. */
export type ShownRecord = [index: number, key: string, ...values: number[]];

interface Options<Source> {
  /** Of all responses that are held against each other: those of a run, or of all its shards. */
  secret: string;
  /** Of a recording: a contradiction is broken where it shows both sides again. */
  isLater?: IsLater<Source>;
  /** What is kept at most: records on each side, and as many responses that have shown something new of them. */
  maxRecords?: number;
}

/**
 * Holds each response against the last one that has shown the same record, as the rules between responses say: in a run, a
 * sweep, a recording, or several shards. Keeps hashes of keys and values; a million listed customers take 36 MB.
 */
export class Relations<Source> {
  /** Hashes what may not be kept as it is. */
  readonly hashOf: HashOf;
  readonly contradictions: Contradictions<Source>;
  readonly #sides: Side[];
  readonly #tables: Map<Side, RecordTable>;
  /** The responses that the tables number. */
  readonly #sources: Source[] = [];
  readonly #maxRecords: number;
  /** How often a record was shown that there was no room to keep. */
  notCompared = 0;

  constructor(operations: Operation[], options: Options<Source>) {
    const { secret, isLater, maxRecords = Infinity } = options;
    this.hashOf = keyedHash(secret);
    this.#maxRecords = maxRecords;
    this.contradictions = new Contradictions(isLater);
    this.#sides = sidesOf(operations);
    this.#tables = new Map(this.#sides.map((side) => [side, new RecordTable(side.fields.length + 2)]));
  }

  /** Holds a response against those before it. */
  see(seen: Seen<Source>): Related {
    return this.#takeAll(this.#ownSides(seen.operation).map((side) => recordsIn(side, seen, this.hashOf)));
  }

  /** The same with what was seen of a response in an earlier run, or by another shard. */
  replay(operation: Operation, shown: ShownRecord[][], source: Source): Related {
    const pageOf = (side: Side, n: number) =>
      (shown[n] ?? []).map(([index, key, ...values]) => ({ side, key, values, source, index }));
    return this.#takeAll(this.#ownSides(operation).map(pageOf));
  }

  /** Whether any response has shown the record that a request looks up. */
  isShown(request: Pick<Seen<unknown>, 'operation' | 'parameters' | 'scope'>): boolean {
    return this.#ownSides(request.operation).some(({ key, rules }) => {
      const asked = request.parameters[key];
      if (asked === undefined) return false;
      const hash = keyOf(asked, request, this.hashOf);
      const sides = rules.flatMap(({ first, second }) => [first, second]);
      return sides.some((side) => this.#isKept(side, hash));
    });
  }

  /** What one more response shows of a record; it is held against nothing. */
  shownIn = (seen: Seen<Source>, side: Side, key: string): SeenRecord<Source>[] =>
    recordsIn(side, seen, this.hashOf).filter((one) => one.key === key);

  #ownSides = ({ id }: Operation) => this.#sides.filter(({ operation }) => operation.id === id);
  #tableOf = (side: Side) => this.#tables.get(side) as RecordTable;
  #isKept = (side: Side, key: string) => this.#tableOf(side).find(key) !== -1;

  #takeAll(pages: SeenRecord<Source>[][]): Related {
    const related: Related = {
      kept: {},
      repeated: 0,
      shown: pages.map((page) => page.map(({ index, key, values }) => [index, key, ...values])),
    };
    for (const page of pages)
      for (const one of page) {
        // A record of a list that has several keys is repeated once.
        const isKnown = page === pages[0] && one.side.isList && this.#isKept(one.side, one.key);
        const isContradicted = this.#compare(one, related);
        if (isKnown && !isContradicted) related.repeated += 1;
        if (this.#keep(one)) countUnique(one, related.kept);
        else this.notCompared += 1;
      }
    return related;
  }

  /**
   * Of the rules between a list and a lookup the first that is broken is told; none where the key names two records. A page that
   * contradicts itself breaks a rule at once.
   * @returns whether any is contradicted
   */
  #compare(now: SeenRecord<Source>, related: Related): boolean {
    const { side, key } = now;
    let isContradicted = false;
    for (const rule of side.rules) {
      const isOwn = rule.first === rule.second;
      if (!isOwn && (isContradicted || this.#namesTwo(rule, key))) continue;
      const before = this.#lastOf(rule.first === side ? rule.second : rule.first, key);
      const pair = before && difference(rule, before, now);
      if (!before || pair === undefined) continue;
      if (pair !== 'same') {
        isContradicted = true;
        const isBroken = before.source === now.source;
        this.contradictions.add({ rule, pair, first: before, second: now, isBroken });
        continue;
      }
      this.contradictions.settle(rule, key);
      if (!side.isList) count(related.kept, rule);
    }
    return isContradicted;
  }

  #namesTwo = ({ first }: RelationRule, key: string): boolean =>
    first.rules.some((rule) => 'unique' in rule.check && this.contradictions.isBroken(rule, key));

  /** What was shown last of a record. */
  #lastOf(side: Side, key: string): SeenRecord<Source> | undefined {
    const table = this.#tableOf(side);
    const number = table.find(key);
    if (number === -1) return undefined;
    const values = side.fields.map((_, field) => table.get(number, field));
    const [index, source] = [0, 1].map((n) => table.get(number, values.length + n)) as [number, number];
    return { side, key, values, source: this.#sources[source] as Source, index };
  }

  /** Keeps what can be compared, and the response that shows something new. @returns whether there was room for it */
  #keep({ side, key, values, source, index }: SeenRecord<Source>): boolean {
    const table = this.#tableOf(side);
    const known = table.find(key);
    const isNew = (value: number, field: number) => value !== 0 && value !== table.get(known, field);
    if (known !== -1 && !values.some(isNew)) return true;
    const isLast = this.#sources.at(-1) === source;
    if (!isLast && this.#sources.length >= this.#maxRecords) return false;
    if (known === -1 && table.size >= this.#maxRecords) return false;
    const number = known === -1 ? table.add(key) : known;
    if (!isLast) this.#sources.push(source);
    for (const [field, value] of values.entries()) if (value !== 0) table.set(number, field, value);
    table.set(number, values.length, index);
    table.set(number, values.length + 1, this.#sources.length - 1);
    return true;
  }
}

function count(kept: Related['kept'], { address }: RelationRule): void {
  kept[address] = { places: (kept[address]?.places ?? 0) + 1, requests: 1 };
}

/** All that a list shows are held to be unique. */
function countUnique({ side, values }: SeenRecord<unknown>, kept: Related['kept']): void {
  for (const rule of side.rules)
    if ('unique' in rule.check && values[numberOfField(rule, 0, side)] !== 0) count(kept, rule);
}
