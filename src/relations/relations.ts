import type { Operation } from '../../schemas/contract/contract.ts';
import type { Observation } from '../redact/observation.ts';
import { Contradictions, compareRecords, getComparedFieldIndex, type IsLater } from './contradictions.ts';
import { createKeyedHash, type HashText } from './keyed-hash.ts';
import { createRecordViews, type RecordView, type RelationRule } from './rules.ts';
import { type ComparableRecord, type ComparableResponse, hashKey, listRecords } from './shown.ts';

/** Result of comparing the records of one response with those of earlier responses. */
interface Comparison {
  /**
   * Number of records that each rule judged, keyed by address: `listCustomers/rules/uuid-is-unique`. Leaves out lookups that break
   * it.
   */
  ruleCounts: Observation['exercised'];
  /** Number of records that the list has shown already, on this or an earlier page, without a contradiction. */
  duplicates: number;
  /** Records of the response in the form for storage: one array for each `RecordView` of the operation. */
  records: HashedRecord[][];
}

/** Record of a response for storage: index in its list, hashed identifier, and a number for each compared field. */
export type HashedRecord = [index: number, key: string, ...values: number[]];

type StoredRecord<Source> = Pick<ComparableRecord<Source>, 'values' | 'source' | 'index'>;

interface Options<Source> {
  /** Key of the hashes. Workers and shards whose records are compared need the same key. */
  secret: string;
  /** Tells which recorded response came later. Only for recordings, where later responses prove a contradiction. */
  isLater?: IsLater<Source>;
  /** Maximum number of stored records of each list and each lookup, and of responses from which they come; default: unlimited. */
  maxRecords?: number;
}

/**
 * Compares each response with the latest one about the same record, such as a lookup with the list that shows the record. Stores
 * only hashes of identifiers and values: 300 MB for a million listed customers. `Source` is the type by which the caller knows the
 * request of a response, such as `SentRequest`.
 */
export class Relations<Source> {
  readonly hashText: HashText;
  readonly contradictions: Contradictions<Source>;
  readonly #views: RecordView[];
  readonly #records: Map<RecordView, Map<string, StoredRecord<Source>>>;
  readonly #maxRecords: number;
  /** Number of responses from which stored records come, at most `maxRecords`. */
  #sourceCount = 0;
  /** Request whose record was stored last. Further records of the same response do not increase `#sourceCount`. */
  #lastSource: Source | undefined;
  /** Number of records that later responses are not compared with, because `maxRecords` was reached. */
  notCompared = 0;

  constructor(operations: Operation[], options: Options<Source>) {
    const { secret, isLater, maxRecords = Infinity } = options;
    this.hashText = createKeyedHash(secret);
    this.#maxRecords = maxRecords;
    this.contradictions = new Contradictions(isLater);
    this.#views = createRecordViews(operations);
    this.#records = new Map(this.#views.map((view) => [view, new Map()]));
  }

  compareAndStore(response: ComparableResponse<Source>): Comparison {
    const views = this.#listViews(response.operation);
    return this.#addRecords(views.map((view) => listRecords(view, response, this.hashText)));
  }

  /** Compares and stores hashed records (`Comparison.records`) of an earlier worker, an earlier run or another shard. */
  replay(operation: Operation, stored: HashedRecord[][], source: Source): Comparison {
    const restore = (view: RecordView, viewIndex: number) =>
      (stored[viewIndex] ?? []).map(([index, key, ...values]) => ({ view, key, values, source, index }));
    return this.#addRecords(this.#listViews(operation).map(restore));
  }

  /** Returns whether any list or lookup has shown the record that a lookup requests. */
  isShown(request: Pick<ComparableResponse<unknown>, 'operation' | 'parameters' | 'scope'>): boolean {
    return this.#listViews(request.operation).some(({ key, rules }) => {
      const identifier = request.parameters[key];
      if (identifier === undefined) return false;
      const hash = hashKey(identifier, request, this.hashText);
      // Views of the lookup itself, and of the lists with which its rules compare it.
      const views = rules.flatMap(({ first, second }) => [first, second]);
      return views.some((view) => this.#isStored(view, hash));
    });
  }

  findRecords = (
    response: ComparableResponse<Source>,
    view: RecordView,
    key: string,
  ): ComparableRecord<Source>[] =>
    listRecords(view, response, this.hashText).filter((record) => record.key === key);

  #listViews = ({ id }: Operation) => this.#views.filter(({ operation }) => operation.id === id);
  #getRecords = (view: RecordView) => this.#records.get(view) as Map<string, StoredRecord<Source>>;
  #isStored = (view: RecordView, key: string) => this.#getRecords(view).has(key);

  #addRecords(recordsByView: ComparableRecord<Source>[][]): Comparison {
    const comparison: Comparison = {
      ruleCounts: {},
      duplicates: 0,
      records: recordsByView.map((records) =>
        records.map(({ index, key, values }) => [index, key, ...values]),
      ),
    };
    for (const records of recordsByView)
      for (const record of records) {
        const { view, key } = record;
        // A record has a place in each view of a list with several keys: only the first view counts it as repeated.
        const isFirstView = records === recordsByView[0];
        const isKnown = isFirstView && view.isList && this.#isStored(view, key);
        const isContradicted = this.#compare(record, comparison);
        if (isKnown && !isContradicted) comparison.duplicates += 1;
        if (this.#store(record)) countUnique(record, comparison.ruleCounts);
        else this.notCompared += 1;
      }
    return comparison;
  }

  /**
   * Compares a record with earlier ones by each rule about its list or lookup. Adds or settles contradictions, and counts each rule
   * that a lookup meets. Between a list and a lookup, adds only the first contradiction, and none if two records share the
   * identifier.
   * @returns whether the record contradicts an earlier one
   */
  #compare(record: ComparableRecord<Source>, comparison: Comparison): boolean {
    const { view, key } = record;
    let isContradicted = false;
    for (const rule of view.rules) {
      const isWithinView = rule.first === rule.second;
      const isLeftOut = !isWithinView && (isContradicted || this.#isAmbiguous(rule, key));
      if (isLeftOut) continue;
      const result = this.#compareByRule(rule, record);
      if (result === 'different') isContradicted = true;
      if (result === 'same' && !view.isList) countRecord(comparison.ruleCounts, rule);
    }
    return isContradicted;
  }

  /**
   * Compares a record with an earlier one by one rule, and adds or settles their contradiction. Undefined if nothing is comparable.
   */
  #compareByRule(rule: RelationRule, record: ComparableRecord<Source>): 'same' | 'different' | undefined {
    const { view, key } = record;
    const otherView = rule.first === view ? rule.second : rule.first;
    const earlier = this.#findLatest(otherView, key);
    const result = earlier && compareRecords(rule, earlier, record);
    if (!earlier || result === undefined) return undefined;
    if (result === 'same') {
      this.contradictions.settle(rule, key);
      return 'same';
    }
    // One response that contradicts itself is proof.
    const isProven = earlier.source === record.source;
    this.contradictions.add({ rule, pair: result, first: earlier, second: record, isProven });
    return 'different';
  }

  /** Returns whether two records of a list share an identifier, because a `unique` rule is proven to be broken. */
  #isAmbiguous = ({ first }: RelationRule, key: string): boolean =>
    first.rules.some((rule) => 'unique' in rule.check && this.contradictions.isProven(rule, key));

  #findLatest(view: RecordView, key: string): ComparableRecord<Source> | undefined {
    const record = this.#getRecords(view).get(key);
    return record && { view, key, ...record };
  }

  /** Stores a record, unless it has no new value. Returns false if the record is left out because of `maxRecords`. */
  #store({ view, key, values, source, index }: ComparableRecord<Source>): boolean {
    const records = this.#getRecords(view);
    const stored = records.get(key);
    const isNew = (value: number, field: number) => value !== 0 && value !== stored?.values[field];
    const isUnchanged = stored !== undefined && !values.some(isNew);
    if (isUnchanged) return true;
    const isSameSource = this.#lastSource === source;
    if (!isSameSource && this.#sourceCount >= this.#maxRecords) return false;
    if (!stored && records.size >= this.#maxRecords) return false;
    if (!isSameSource) this.#sourceCount += 1;
    this.#lastSource = source;
    // A field that this response does not show (0) keeps its earlier value.
    const latest = values.map((value, field) => value || (stored?.values[field] ?? 0));
    records.set(key, { values: latest, source, index });
    return true;
  }
}

function countRecord(counts: Comparison['ruleCounts'], { address }: RelationRule): void {
  counts[address] = { places: (counts[address]?.places ?? 0) + 1, requests: 1 };
}

/**
 * Counts a listed record for each `unique` rule that can compare it, even if it contradicts another record: the finding of a
 * contradiction is added later.
 */
function countUnique({ view, values }: ComparableRecord<unknown>, counts: Comparison['ruleCounts']): void {
  for (const rule of view.rules) {
    if (!('unique' in rule.check)) continue;
    // A `unique` rule compares one field. 0 stands for a value that cannot be compared.
    const value = values[getComparedFieldIndex(rule, 0, view)];
    if (value !== 0) countRecord(counts, rule);
  }
}
