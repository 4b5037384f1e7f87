import type { Operation } from '../../schemas/contract/contract.ts';
import { createKeyedHash, type HashText } from '../redact/keyed-hash.ts';
import type { Observation } from '../redact/observation.ts';
import {
  type ComparableRecord,
  type ComparableResponse,
  hashKey,
  incomparable,
  listRecords,
} from './comparable.ts';
import { Contradictions, compareRecords, getComparedFieldIndex, type IsLater } from './contradictions.ts';
import { createRecordViews, isBetweenListAndLookup, type RecordView, type RelationRule } from './rules.ts';

interface ComparedResponse {
  /** Number of compared records, keyed by address of the rule. A lookup that breaks the rule is not counted here. */
  ruleCounts: Observation['exercised'];
  /** Number of records that the list has shown before, except those that contradict an earlier record. */
  duplicates: number;
  /** Records for storage: an array for each `RecordView` of the operation. */
  records: HashedRecord[][];
}

/** Record for storage, with its hashed identifier and a number for each compared field. */
export type HashedRecord = [index: number, key: string, ...values: number[]];

type StoredRecord<Source> = Pick<ComparableRecord<Source>, 'values' | 'source' | 'index'>;

interface Options<Source> {
  /** Secret key of the hashes, the same in all workers and shards. */
  secret: string;
  /** Returns whether a recorded request came after another. Undefined if the responses are not of a recording. */
  isLater?: IsLater<Source>;
  /** Maximum number of stored records per list or lookup, and of responses that all stored records come from. Default: unlimited. */
  maxRecords?: number;
}

/**
 * Compares each response with the latest one about the same record, such as a lookup with the list. Stores only hashes, 300 MB for
 * a million customers. `Source` identifies a request, such as `SentRequest`.
 */
export class Relations<Source> {
  readonly hashText: HashText;
  readonly contradictions: Contradictions<Source>;
  readonly #views: RecordView[];
  readonly #records: Map<RecordView, Map<string, StoredRecord<Source>>>;
  readonly #maxRecords: number;
  #sourceCount = 0;
  /** Request of the last stored record, so that `#sourceCount` counts each request only once. */
  #lastSource: Source | undefined;
  /** Number of records that `maxRecords` left out. */
  notCompared = 0;

  constructor(operations: Operation[], { secret, isLater, maxRecords = Infinity }: Options<Source>) {
    this.hashText = createKeyedHash(secret);
    this.#maxRecords = maxRecords;
    this.contradictions = new Contradictions(isLater);
    this.#views = createRecordViews(operations);
    this.#records = new Map(this.#views.map((view) => [view, new Map()]));
  }

  compareAndStore(response: ComparableResponse<Source>): ComparedResponse {
    const views = this.#listViews(response.operation);
    return this.#addRecords(views.map((view) => listRecords(view, response, this.hashText)));
  }

  /** Compares and stores the records of an earlier worker, an earlier run or another shard. */
  replay(operation: Operation, stored: HashedRecord[][], source: Source): ComparedResponse {
    const restore = (view: RecordView, viewIndex: number) =>
      (stored[viewIndex] ?? []).map(([index, key, ...values]) => ({ view, key, values, source, index }));
    return this.#addRecords(this.#listViews(operation).map(restore));
  }

  isShown(request: Pick<ComparableResponse<unknown>, 'operation' | 'parameters' | 'scope'>): boolean {
    return this.#listViews(request.operation).some(({ key, rules }) => {
      const identifier = request.parameters[key];
      if (identifier === undefined) return false;
      const hash = hashKey(identifier, request, this.hashText);
      // Views of the lookup itself, and of the lists with which its rules compare it.
      const views = rules.flatMap(({ firstView, secondView }) => [firstView, secondView]);
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

  #addRecords(recordsByView: ComparableRecord<Source>[][]): ComparedResponse {
    const comparison: ComparedResponse = {
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
        const isContradicted = this.#compare(record, comparison.ruleCounts);
        if (isKnown && !isContradicted) comparison.duplicates += 1;
        if (this.#store(record)) countForUniqueRules(record, comparison.ruleCounts);
        else this.notCompared += 1;
      }
    return comparison;
  }

  /**
   * Compares a record with earlier ones by each rule. Skips the rules between a list and a lookup if the record has broken another
   * rule, or if two records share its identifier.
   * @param ruleCounts counts to increase for each rule that the record of a lookup satisfies
   * @returns whether the record contradicts an earlier one
   */
  #compare(record: ComparableRecord<Source>, ruleCounts: ComparedResponse['ruleCounts']): boolean {
    const { view, key } = record;
    let isContradicted = false;
    for (const rule of view.rules) {
      const isSkipped = isBetweenListAndLookup(rule) && (isContradicted || this.#isAmbiguous(rule, key));
      if (isSkipped) continue;
      const result = this.#compareByRule(rule, record);
      if (result === 'different') isContradicted = true;
      if (result === 'same' && !view.isList) countRecord(ruleCounts, rule);
    }
    return isContradicted;
  }

  /** Compares a record with an earlier one, and adds or settles their contradiction. Undefined if nothing is comparable. */
  #compareByRule(rule: RelationRule, record: ComparableRecord<Source>): 'same' | 'different' | undefined {
    const { view, key } = record;
    const otherView = rule.firstView === view ? rule.secondView : rule.firstView;
    const stored = this.#getRecords(otherView).get(key);
    const earlier = stored && { view: otherView, key, ...stored };
    const result = earlier && compareRecords(rule, earlier, record);
    if (!earlier || result === undefined) return undefined;
    if (result === 'same') {
      this.contradictions.settle(rule, key);
      return 'same';
    }
    // One response that contradicts itself is proof.
    const isProven = earlier.source === record.source;
    this.contradictions.add({ rule, pairIndex: result, earlier, later: record, isProven });
    return 'different';
  }

  /** Returns whether two listed records share an identifier, because a contradiction of a `unique` rule of the list is proven. */
  #isAmbiguous = ({ firstView: list }: RelationRule, key: string): boolean =>
    list.rules.some((rule) => 'unique' in rule.check && this.contradictions.isProven(rule, key));

  /** Stores a record. Returns false if `maxRecords` leaves it out. */
  #store({ view, key, values, source, index }: ComparableRecord<Source>): boolean {
    const records = this.#getRecords(view);
    const stored = records.get(key);
    const isNew = (value: number, field: number) => value !== incomparable && value !== stored?.values[field];
    const isUnchanged = stored !== undefined && !values.some(isNew);
    if (isUnchanged) return true;
    const isSameSource = this.#lastSource === source;
    if (!isSameSource && this.#sourceCount >= this.#maxRecords) return false;
    if (!stored && records.size >= this.#maxRecords) return false;
    if (!isSameSource) this.#sourceCount += 1;
    this.#lastSource = source;
    // A field that this response does not show keeps its earlier value.
    const latest = values.map((value, field) => value || (stored?.values[field] ?? incomparable));
    records.set(key, { values: latest, source, index });
    return true;
  }
}

function countRecord(counts: ComparedResponse['ruleCounts'], { address }: RelationRule): void {
  counts[address] = { places: (counts[address]?.places ?? 0) + 1, requests: 1 };
}

/** Counts a listed record for each `unique` rule that can compare it, even if the record breaks the rule. */
function countForUniqueRules(
  { view, values }: ComparableRecord<unknown>,
  ruleCounts: ComparedResponse['ruleCounts'],
): void {
  for (const rule of view.rules) {
    if (!('unique' in rule.check)) continue;
    // A `unique` rule compares one field.
    const value = values[getComparedFieldIndex(rule, 0, view)];
    if (value !== incomparable) countRecord(ruleCounts, rule);
  }
}
