import type { Operation } from '../../schemas/contract/contract.ts';
import type { Observation } from '../redact/observation.ts';
import { Contradictions, compareRecords, findComparedField, type IsLater } from './contradictions.ts';
import { createKeyedHash, type HashOf } from './keyed-hash.ts';
import { createRecordViews, type RecordView, type RelationRule } from './rules.ts';
import { type ComparableRecord, hashKey, listRecords, type Seen } from './shown.ts';

/** Result of the comparison of one response with earlier responses. */
interface Related {
  /** Number of records that conform to each rule, in the form of an `Observation`. */
  kept: Observation['exercised'];
  /** Number of records of a list that an earlier place or page has shown with the same values. */
  repeated: number;
  /** Records of the response for each view, as `replay` takes them. */
  shown: ShownRecord[][];
}

/** Stored form of a record: index in its list, keyed hash of its identifier, and the compared values. */
export type ShownRecord = [index: number, key: string, ...values: number[]];

/** Latest values of a record, with the response that showed them. */
type StoredRecord<Source> = Pick<ComparableRecord<Source>, 'values' | 'source' | 'index'>;

interface Options<Source> {
  /** Key of the hashes; the same for all responses that are compared: those of a run, or of all its shards. */
  secret: string;
  /** Order of recorded responses. With it, a contradiction is broken only if the recording shows both sides again. */
  isLater?: IsLater<Source>;
  /** Maximum of stored records in each view, and of responses that have shown a new value; unlimited by default. */
  maxRecords?: number;
}

/**
 * Compares each response with the latest response about the same record, by the rules between responses: of a run, a sweep, a
 * recording, or several shards. Stores hashes of keys and values; a million listed customers take 300 MB.
 */
export class Relations<Source> {
  /** Hashes a text that must not be stored. */
  readonly hashOf: HashOf;
  readonly contradictions: Contradictions<Source>;
  readonly #views: RecordView[];
  /** Stored records of each view, by the hash of their key. */
  readonly #records: Map<RecordView, Map<string, StoredRecord<Source>>>;
  readonly #maxRecords: number;
  /** Number of responses that have shown a new value. */
  #sourceCount = 0;
  #lastSource: Source | undefined;
  /** Number of records that were not stored because of `maxRecords`. */
  notCompared = 0;

  constructor(operations: Operation[], options: Options<Source>) {
    const { secret, isLater, maxRecords = Infinity } = options;
    this.hashOf = createKeyedHash(secret);
    this.#maxRecords = maxRecords;
    this.contradictions = new Contradictions(isLater);
    this.#views = createRecordViews(operations);
    this.#records = new Map(this.#views.map((view) => [view, new Map()]));
  }

  /** Compares a response with earlier responses, and stores its records. */
  see(response: Seen<Source>): Related {
    const views = this.#viewsOf(response.operation);
    return this.#addRecords(views.map((view) => listRecords(view, response, this.hashOf)));
  }

  /** Adds the stored records of a response of an earlier run or of another shard, like `see`. */
  replay(operation: Operation, stored: ShownRecord[][], source: Source): Related {
    const restore = (view: RecordView, viewIndex: number) =>
      (stored[viewIndex] ?? []).map(([index, key, ...values]) => ({ view, key, values, source, index }));
    return this.#addRecords(this.#viewsOf(operation).map(restore));
  }

  /** Checks that any response has shown the record that a request looks up. */
  isShown(request: Pick<Seen<unknown>, 'operation' | 'parameters' | 'scope'>): boolean {
    return this.#viewsOf(request.operation).some(({ key, rules }) => {
      const identifier = request.parameters[key];
      if (identifier === undefined) return false;
      const hash = hashKey(identifier, request, this.hashOf);
      const views = rules.flatMap(({ first, second }) => [first, second]);
      return views.some((view) => this.#isStored(view, hash));
    });
  }

  /** Finds the records of a key in a response, without comparing or storing them. */
  findRecords = (response: Seen<Source>, view: RecordView, key: string): ComparableRecord<Source>[] =>
    listRecords(view, response, this.hashOf).filter((record) => record.key === key);

  #viewsOf = ({ id }: Operation) => this.#views.filter(({ operation }) => operation.id === id);
  #recordsOf = (view: RecordView) => this.#records.get(view) as Map<string, StoredRecord<Source>>;
  #isStored = (view: RecordView, key: string) => this.#recordsOf(view).has(key);

  #addRecords(recordsByView: ComparableRecord<Source>[][]): Related {
    const related: Related = {
      kept: {},
      repeated: 0,
      shown: recordsByView.map((records) => records.map(({ index, key, values }) => [index, key, ...values])),
    };
    for (const records of recordsByView)
      for (const record of records) {
        const { view, key } = record;
        // A record that several views of the list hold, because it has several keys, is repeated only once.
        const isKnown = records === recordsByView[0] && view.isList && this.#isStored(view, key);
        const isContradicted = this.#compare(record, related);
        if (isKnown && !isContradicted) related.repeated += 1;
        if (this.#store(record)) countUnique(record, related.kept);
        else this.notCompared += 1;
      }
    return related;
  }

  /**
   * Compares a record by the rules of its view. Reports only the first broken rule between a list and a lookup, and no such rule
   * if the key names two records. A page that contradicts itself breaks a rule at once.
   * @returns true if any rule is contradicted
   */
  #compare(record: ComparableRecord<Source>, related: Related): boolean {
    const { view, key } = record;
    let isContradicted = false;
    for (const rule of view.rules) {
      const isWithinView = rule.first === rule.second;
      if (!isWithinView && (isContradicted || this.#isAmbiguous(rule, key))) continue;
      const earlier = this.#findLatest(rule.first === view ? rule.second : rule.first, key);
      const pair = earlier && compareRecords(rule, earlier, record);
      if (!earlier || pair === undefined) continue;
      if (pair !== 'same') {
        isContradicted = true;
        const isBroken = earlier.source === record.source;
        this.contradictions.add({ rule, pair, first: earlier, second: record, isBroken });
        continue;
      }
      this.contradictions.settle(rule, key);
      if (!view.isList) countRecord(related.kept, rule);
    }
    return isContradicted;
  }

  /** Checks that a key of a list is known to name two records. */
  #isAmbiguous = ({ first }: RelationRule, key: string): boolean =>
    first.rules.some((rule) => 'unique' in rule.check && this.contradictions.isBroken(rule, key));

  #findLatest(view: RecordView, key: string): ComparableRecord<Source> | undefined {
    const record = this.#recordsOf(view).get(key);
    return record && { view, key, ...record };
  }

  /** Stores the comparable values of a record, and its response if a value is new. @returns false if there is no room left */
  #store({ view, key, values, source, index }: ComparableRecord<Source>): boolean {
    const records = this.#recordsOf(view);
    const stored = records.get(key);
    const isNew = (value: number, field: number) => value !== 0 && value !== stored?.values[field];
    if (stored && !values.some(isNew)) return true;
    const isSameSource = this.#lastSource === source;
    if (!isSameSource && this.#sourceCount >= this.#maxRecords) return false;
    if (!stored && records.size >= this.#maxRecords) return false;
    if (!isSameSource) this.#sourceCount += 1;
    this.#lastSource = source;
    const latest = values.map((value, field) => value || (stored?.values[field] ?? 0));
    records.set(key, { values: latest, source, index });
    return true;
  }
}

function countRecord(counts: Related['kept'], { address }: RelationRule): void {
  counts[address] = { places: (counts[address]?.places ?? 0) + 1, requests: 1 };
}

/** Counts a record for each rule of uniqueness, which conforms until a contradiction is confirmed. */
function countUnique({ view, values }: ComparableRecord<unknown>, counts: Related['kept']): void {
  for (const rule of view.rules)
    if ('unique' in rule.check && values[findComparedField(rule, 0, view)] !== 0) countRecord(counts, rule);
}
