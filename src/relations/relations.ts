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
  /** Number of records by which a rule was exercised, keyed by address of the rule. */
  ruleCounts: Observation['exercised'];
  /** Number of records that the list has shown before with the same values. */
  duplicates: number;
  /** Records to write to a file, and to pass to `replay` later. An array for each `RecordView` of the operation. */
  records: HashedRecord[][];
}

/** Record as a file stores it: index in the list, hash of the identifier, and a number for each compared field. */
export type HashedRecord = [index: number, key: string, ...values: number[]];

type StoredRecord<Source> = Pick<ComparableRecord<Source>, 'values' | 'source' | 'index'>;

interface Options<Source> {
  /** Secret key of the hashes, the same in all workers and shards. */
  secret: string;
  /** Returns whether a recorded request came after another. Only set for a recording. */
  isLater?: IsLater<Source>;
  /** Maximum number of stored records of each list or lookup, and of the requests that they come from. Default: unlimited. */
  maxRecords?: number;
}

/**
 * Compares responses with each other by the rules of the contract. Examples: a lookup shows the values that the list has shown; a list
 * does not show two customers with one `uuid`. Stores only hashes, which take 300 MB for a million customers.
 * @typeParam Source request of a record, such as `SentRequest`
 */
export class Relations<Source> {
  readonly hashText: HashText;
  readonly contradictions: Contradictions<Source>;
  readonly #views: RecordView[];
  readonly #records: Map<RecordView, Map<string, StoredRecord<Source>>>;
  readonly #maxRecords: number;
  /** Number of requests whose records are stored. */
  #sourceCount = 0;
  #lastSource: Source | undefined;
  /** Number of records that were not stored because of `maxRecords`. */
  notCompared = 0;

  constructor(operations: Operation[], { secret, isLater, maxRecords = Infinity }: Options<Source>) {
    this.hashText = createKeyedHash(secret);
    this.#maxRecords = maxRecords;
    this.contradictions = new Contradictions(isLater);
    this.#views = createRecordViews(operations);
    this.#records = new Map(this.#views.map((view) => [view, new Map()]));
  }

  /** Compares the records of a response with those of earlier responses, and stores them for later ones. */
  compareAndStore(response: ComparableResponse<Source>): ComparedResponse {
    const views = this.#listViews(response.operation);
    return this.#addRecords(views.map((view) => listRecords(view, response, this.hashText)));
  }

  /** Compares and stores records (`ComparedResponse.records`) of an earlier worker, an earlier run or another shard. */
  replay(operation: Operation, recordsByView: HashedRecord[][], source: Source): ComparedResponse {
    const views = this.#listViews(operation);
    const restoredByView = views.map((view, viewIndex) => {
      const records = recordsByView[viewIndex] ?? [];
      return records.map(([index, key, ...values]) => ({ view, key, values, source, index }));
    });
    return this.#addRecords(restoredByView);
  }

  /** Returns whether an earlier response, of a list or of a lookup, has shown the record that a lookup requests. */
  isShown(lookup: Pick<ComparableResponse<unknown>, 'operation' | 'parameters' | 'scope'>): boolean {
    return this.#listViews(lookup.operation).some(({ key, rules }) => {
      const identifier = lookup.parameters[key];
      if (identifier === undefined) return false;
      const hash = hashKey(identifier, lookup, this.hashText);
      const viewsOfLookupAndLists = rules.flatMap(({ firstView, secondView }) => [firstView, secondView]);
      return viewsOfLookupAndLists.some((view) => this.#isStored(view, hash));
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
    const ruleCounts: ComparedResponse['ruleCounts'] = {};
    const [recordsOfFirstView] = recordsByView;
    let duplicates = 0;
    for (const records of recordsByView)
      for (const record of records) {
        // A list with two identifying fields has two views, which show each record twice. Only the first one counts duplicates.
        const countsDuplicates = records === recordsOfFirstView && record.view.isList;
        const isKnown = this.#isStored(record.view, record.key);
        const isContradiction = this.#compare(record, ruleCounts);
        if (countsDuplicates && isKnown && !isContradiction) duplicates += 1;
        const isStored = this.#store(record);
        if (isStored) countForUniqueRules(record, ruleCounts);
        else this.notCompared += 1;
      }
    return { ruleCounts, duplicates, records: recordsByView.map((records) => records.map(toHashedRecord)) };
  }

  /**
   * Compares a record with earlier ones by each rule.
   * @param ruleCounts increased for each rule that the record of a lookup satisfies
   * @returns whether the record contradicts an earlier one
   */
  #compare(record: ComparableRecord<Source>, ruleCounts: ComparedResponse['ruleCounts']): boolean {
    const { view, key } = record;
    let isContradiction = false;
    for (const rule of view.rules) {
      // If a record breaks another rule, or shares its identifier, a difference between list and lookup is only a consequence of that.
      const isConsequence = isBetweenListAndLookup(rule) && (isContradiction || this.#isAmbiguous(rule, key));
      if (isConsequence) continue;
      const result = this.#compareByRule(rule, record);
      if (result === 'different') isContradiction = true;
      if (result === 'same' && !view.isList) countRecord(ruleCounts, rule);
    }
    return isContradiction;
  }

  /**
   * Compares a record with the stored one of the same identifier. If they differ, adds a contradiction. If they agree, settles an earlier
   * contradiction. Undefined if there is nothing to compare.
   */
  #compareByRule(rule: RelationRule, record: ComparableRecord<Source>): 'same' | 'different' | undefined {
    const { view, key } = record;
    const otherView = rule.firstView === view ? rule.secondView : rule.firstView;
    const stored = this.#getRecords(otherView).get(key);
    if (!stored) return undefined;
    const earlier: ComparableRecord<Source> = { view: otherView, key, ...stored };
    const result = compareRecords(rule, earlier, record);
    if (result === undefined) return undefined;
    if (result === 'same') {
      this.contradictions.settle(rule, key);
      return 'same';
    }
    // One response that contradicts itself is proof.
    const isProven = earlier.source === record.source;
    this.contradictions.add({ rule, pairIndex: result, earlier, later: record, isProven });
    return 'different';
  }

  /** Returns whether it is proven that two records of a list share an identifier, so that a lookup may show either of them. */
  #isAmbiguous = ({ firstView: list }: RelationRule, key: string): boolean =>
    list.rules.some((rule) => 'unique' in rule.check && this.contradictions.isProven(rule, key));

  /** Stores a record in place of the earlier one with the same identifier. Returns false if `maxRecords` does not allow it. */
  #store({ view, key, values, source, index }: ComparableRecord<Source>): boolean {
    const records = this.#getRecords(view);
    const stored = records.get(key);
    // A field that this response does not show keeps its earlier value.
    const latestValues = values.map((value, fieldIndex) =>
      value === incomparable ? (stored?.values[fieldIndex] ?? incomparable) : value,
    );
    const isUnchanged = latestValues.every((value, fieldIndex) => value === stored?.values[fieldIndex]);
    if (stored && isUnchanged) return true;
    const isNewSource = source !== this.#lastSource;
    if (isNewSource && this.#sourceCount >= this.#maxRecords) return false;
    if (!stored && records.size >= this.#maxRecords) return false;
    if (isNewSource) this.#sourceCount += 1;
    this.#lastSource = source;
    records.set(key, { values: latestValues, source, index });
    return true;
  }
}

const toHashedRecord = ({ index, key, values }: ComparableRecord<unknown>): HashedRecord => [
  index,
  key,
  ...values,
];

function countRecord(counts: ComparedResponse['ruleCounts'], { address }: RelationRule): void {
  const earlierCount = counts[address]?.places ?? 0;
  counts[address] = { places: earlierCount + 1, requests: 1 };
}

/** Counts a record of a list for each `unique` rule that it exercises, even if it breaks the rule. */
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
