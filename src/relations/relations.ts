import type { Operation } from '../../schemas/contract/contract.ts';
import type { Observation } from '../redact/observation.ts';
import { Contradictions, difference, type IsLater, numberOfField } from './contradictions.ts';
import { type HashOf, keyedHash } from './keyed-hash.ts';
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

/** Latest values of a record, and where a response has shown them. */
type StoredRecord<Source> = Pick<SeenRecord<Source>, 'values' | 'source' | 'index'>;

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
 * sweep, a recording, or several shards. Keeps hashes of keys and values; a million listed customers take 300 MB.
 */
export class Relations<Source> {
  /** Hashes what may not be kept as it is. */
  readonly hashOf: HashOf;
  readonly contradictions: Contradictions<Source>;
  readonly #sides: Side[];
  /** Records by the hash of their key, for each side. */
  readonly #records: Map<Side, Map<string, StoredRecord<Source>>>;
  readonly #maxRecords: number;
  /** Responses that have shown something new. */
  #sourceCount = 0;
  #lastSource: Source | undefined;
  /** How often a record was shown that there was no room to keep. */
  notCompared = 0;

  constructor(operations: Operation[], options: Options<Source>) {
    const { secret, isLater, maxRecords = Infinity } = options;
    this.hashOf = keyedHash(secret);
    this.#maxRecords = maxRecords;
    this.contradictions = new Contradictions(isLater);
    this.#sides = sidesOf(operations);
    this.#records = new Map(this.#sides.map((side) => [side, new Map()]));
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
  #recordsOf = (side: Side) => this.#records.get(side) as Map<string, StoredRecord<Source>>;
  #isKept = (side: Side, key: string) => this.#recordsOf(side).has(key);

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
    const record = this.#recordsOf(side).get(key);
    return record && { side, key, ...record };
  }

  /** Keeps what can be compared, and the response that shows something new. @returns whether there was room for it */
  #keep({ side, key, values, source, index }: SeenRecord<Source>): boolean {
    const records = this.#recordsOf(side);
    const known = records.get(key);
    const isNew = (value: number, field: number) => value !== 0 && value !== known?.values[field];
    if (known && !values.some(isNew)) return true;
    const isLast = this.#lastSource === source;
    if (!isLast && this.#sourceCount >= this.#maxRecords) return false;
    if (!known && records.size >= this.#maxRecords) return false;
    if (!isLast) this.#sourceCount += 1;
    this.#lastSource = source;
    const latest = values.map((value, field) => value || (known?.values[field] ?? 0));
    records.set(key, { values: latest, source, index });
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
