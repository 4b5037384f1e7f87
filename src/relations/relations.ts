import type { Operation } from '../../schemas/contract/contract.ts';
import { pickDefined } from '../../schemas/json.ts';
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
  /**
   * Counts of judged records, keyed by rule: `{ 'listCustomers/rules/uuid-is-unique': { places: 20, requests: 1 } }`.
   * Records of a list count only for `unique` rules. A lookup counts for a rule only if it agrees with an earlier response.
   */
  ruleCounts: Observation['exercised'];
  /**
   * Number of records in a list response whose identifiers were stored already. A record that contradicts a stored record does not
   * count. For a lookup, the number is 0.
   */
  duplicates: number;
  /** Hashed records for `replay`. Each `RecordView` of the operation has one array. */
  records: HashedRecord[][];
}

/** Record as stored in a file, with hashes in place of values. */
export type HashedRecord = [index: number, key: string, ...values: number[]];

type RecordState<Source> = Pick<ComparableRecord<Source>, 'values' | 'source' | 'index'>;

/**
 * Latest state of a record. `earlierState` is the state before the last change of its values. Only a list that the suite has
 * requested itself has an `earlierState`.
 */
type StoredRecord<Source> = RecordState<Source> & { earlierState?: RecordState<Source> };

interface Options<Source> {
  /** Key of the hashes. All workers and shards of a run use the same key. */
  secret: string;
  /** Compares the order of two requests in a recording. Undefined if the suite has sent the requests itself. */
  isLater?: IsLater<Source>;
  /**
   * Maximum number of records to store for each `RecordView`. The same maximum applies to the number of requests whose records are
   * stored. By default, both numbers are unlimited.
   */
  maxRecords?: number;
}

/**
 * Compares each response with earlier ones by the rules of the contract.
 * @typeParam Source request whose response holds a record, such as `SentRequest`
 */
export class Relations<Source> {
  readonly hashText: HashText;
  readonly contradictions: Contradictions<Source>;
  readonly #views: RecordView[];
  // Hashes in place of values: about 300 MB for a million customers.
  readonly #records: Map<RecordView, Map<string, StoredRecord<Source>>>;
  readonly #maxRecords: number;
  readonly #isRecording: boolean;
  #sourceCount = 0;
  #lastSource: Source | undefined;
  /** Number of records that were not stored because of `maxRecords`. Later responses are not compared with these records. */
  notCompared = 0;

  constructor(operations: Operation[], { secret, isLater, maxRecords = Infinity }: Options<Source>) {
    this.hashText = createKeyedHash(secret);
    this.#maxRecords = maxRecords;
    this.#isRecording = isLater !== undefined;
    this.contradictions = new Contradictions(isLater);
    this.#views = createRecordViews(operations);
    this.#records = new Map(this.#views.map((view) => [view, new Map()]));
  }

  compareAndStore(response: ComparableResponse<Source>): ComparedResponse {
    const views = this.#listViews(response.operation);
    return this.#addRecords(views.map((view) => listRecords(view, response, this.hashText)));
  }

  /** Compares and stores the hashed records of a response. A different worker, run or shard has received the response. */
  replay(operation: Operation, recordsByView: HashedRecord[][], source: Source): ComparedResponse {
    const views = this.#listViews(operation);
    const restoredByView = views.map((view, viewIndex) => {
      const records = recordsByView[viewIndex] ?? [];
      return records.map(([index, key, ...values]) => ({ view, key, values, source, index }));
    });
    return this.#addRecords(restoredByView);
  }

  /** Returns whether a record with the requested identifier is stored. A record that was reported as missing counts, too. */
  isRecordStored(lookup: Pick<ComparableResponse<unknown>, 'operation' | 'parameters' | 'scope'>): boolean {
    return this.#listViews(lookup.operation).some(({ key, rules }) => {
      const identifier = lookup.parameters[key];
      if (identifier === undefined) return false;
      const hashedIdentifier = hashKey(identifier, lookup, this.hashText);
      const viewsOfListsAndLookup = rules.flatMap(({ firstView, secondView }) => [firstView, secondView]);
      return viewsOfListsAndLookup.some((view) => this.#isStored(view, hashedIdentifier));
    });
  }

  #listViews = ({ id }: Operation) => this.#views.filter(({ operation }) => operation.id === id);
  #getRecords = (view: RecordView) => this.#records.get(view) as Map<string, StoredRecord<Source>>;
  #isStored = (view: RecordView, key: string) => this.#getRecords(view).has(key);

  #addRecords(recordsByView: ComparableRecord<Source>[][]): ComparedResponse {
    const ruleCounts: ComparedResponse['ruleCounts'] = {};
    let duplicates = 0;
    for (const [viewIndex, records] of recordsByView.entries())
      for (const record of records) {
        const isDuplicate = this.#addRecord(record, ruleCounts);
        // A list with two identifying fields has two views, which both hold each record. Only the first view counts its duplicates.
        if (isDuplicate && viewIndex === 0) duplicates += 1;
      }
    return { ruleCounts, duplicates, records: recordsByView.map((records) => records.map(toHashedRecord)) };
  }

  #addRecord(record: ComparableRecord<Source>, ruleCounts: ComparedResponse['ruleCounts']): boolean {
    const { view, key } = record;
    const isStoredAlready = this.#isStored(view, key);
    const isContradiction = this.#compare(record, ruleCounts);
    const isStoredNow = this.#store(record);
    if (isStoredNow) countForUniqueRules(record, ruleCounts);
    else this.notCompared += 1;
    const isDuplicate = view.isList && isStoredAlready && !isContradiction;
    return isDuplicate;
  }

  #compare(record: ComparableRecord<Source>, ruleCounts: ComparedResponse['ruleCounts']): boolean {
    const { view, key } = record;
    let isContradiction = false;
    for (const rule of view.rules) {
      // A list and a lookup need not agree if the record has broken another rule, or if two records share its identifier. The first
      // defect is then the cause of the second.
      const hasKnownDefect = isContradiction || this.#isAmbiguous(rule, key);
      if (isBetweenListAndLookup(rule) && hasKnownDefect) continue;
      const result = this.#compareByRule(rule, record);
      if (result === 'different') isContradiction = true;
      // The contract declares such a rule for the lookup. For a list, only `unique` rules count (`countForUniqueRules`).
      if (result === 'same' && !view.isList) countRecord(ruleCounts, rule);
    }
    return isContradiction;
  }

  #compareByRule(rule: RelationRule, record: ComparableRecord<Source>): 'same' | 'different' | undefined {
    const { view, key } = record;
    const otherView = rule.firstView === view ? rule.secondView : rule.firstView;
    const stored = this.#getRecords(otherView).get(key);
    if (!stored) return undefined;
    const { earlierState } = stored;
    // Two pages of a list may show two states of a record. The lookup must agree with both.
    if (earlierState && isBetweenListAndLookup(rule)) {
      const earlier: ComparableRecord<Source> = { view: otherView, key, ...earlierState };
      if (this.#compareAs(rule, earlier, record) === 'different') return 'different';
    }
    return this.#compareAs(rule, { view: otherView, key, ...stored }, record);
  }

  #compareAs(
    rule: RelationRule,
    earlier: ComparableRecord<Source>,
    later: ComparableRecord<Source>,
  ): 'same' | 'different' | undefined {
    const result = compareRecords(rule, earlier, later);
    if (result === undefined) return undefined;
    if (result === 'same') {
      this.contradictions.settle(rule, later.key);
      return 'same';
    }
    // A response that contradicts itself is proof enough.
    const isProven = earlier.source === later.source;
    this.contradictions.add({ rule, pairIndex: result, earlier, later, isProven });
    return 'different';
  }

  #isAmbiguous = ({ firstView: list }: RelationRule, key: string): boolean =>
    list.rules.some((rule) => 'unique' in rule.check && this.contradictions.isProven(rule, key));

  #store({ view, key, values, source, index }: ComparableRecord<Source>): boolean {
    const records = this.#getRecords(view);
    const stored = records.get(key);
    const latestValues = stored ? mergeValues(stored.values, values) : values;
    const isUnchanged = latestValues.every((value, fieldIndex) => value === stored?.values[fieldIndex]);
    if (stored && isUnchanged) return true;
    const isNewRecord = stored === undefined;
    if (isNewRecord && records.size >= this.#maxRecords) return false;
    // All records of one request are stored in a row.
    const isNewSource = source !== this.#lastSource;
    if (isNewSource && this.#sourceCount >= this.#maxRecords) return false;
    if (isNewSource) this.#sourceCount += 1;
    this.#lastSource = source;
    const latest: StoredRecord<Source> = { values: latestValues, source, index };
    // A recorded request cannot be repeated to find out whether the record was edited between two pages.
    const keepsEarlierState = stored && view.isList && !this.#isRecording;
    if (keepsEarlierState) latest.earlierState = pickDefined(stored, ['values', 'source', 'index']);
    records.set(key, latest);
    return true;
  }
}

const mergeValues = (earlierValues: number[], newValues: number[]): number[] =>
  newValues.map((newValue, fieldIndex) =>
    newValue === incomparable ? (earlierValues[fieldIndex] ?? incomparable) : newValue,
  );

const toHashedRecord = ({ index, key, values }: ComparableRecord<unknown>): HashedRecord => [
  index,
  key,
  ...values,
];

function countRecord(counts: ComparedResponse['ruleCounts'], { address }: RelationRule): void {
  const earlierCount = counts[address]?.places ?? 0;
  counts[address] = { places: earlierCount + 1, requests: 1 };
}

function countForUniqueRules(
  { view, values }: ComparableRecord<unknown>,
  ruleCounts: ComparedResponse['ruleCounts'],
): void {
  for (const rule of view.rules) {
    if (!('unique' in rule.check)) continue;
    // A `unique` rule compares only one pair of fields.
    const fieldIndex = getComparedFieldIndex(rule, 0, view);
    const value = values[fieldIndex];
    if (value !== incomparable) countRecord(ruleCounts, rule);
  }
}
