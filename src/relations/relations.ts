import type { Operation } from '../../schemas/contract/contract.ts';
import type { Observation } from '../redact/observation.ts';
import { Contradictions, compareRecords, findComparedField, type IsLater } from './contradictions.ts';
import { createKeyedHash, type HashText } from './keyed-hash.ts';
import { createRecordViews, type RecordView, type RelationRule } from './rules.ts';
import { type ComparableRecord, type ComparableResponse, hashKey, listRecords } from './shown.ts';

interface Comparison {
  /** In `places`, the number of lookups that meet a rule, or of listed records that a `unique` rule compares; keyed by its address. */
  ruleCounts: Observation['exercised'];
  /** Number of listed records that an earlier page, or place of the page, has shown without contradiction. */
  duplicates: number;
  /** Hashed records for `replay`: a list for each `RecordView` of the operation. */
  records: HashedRecord[][];
}

/** Hashed record as stored: index in its list, hashed identifier, and a number for each compared field. */
export type HashedRecord = [index: number, key: string, ...values: number[]];

type StoredRecord<Source> = Pick<ComparableRecord<Source>, 'values' | 'source' | 'index'>;

interface Options<Source> {
  /** Key of the hashes. Only responses hashed with the same key can be compared, also between shards. */
  secret: string;
  /** Set for a recording: only the recording can then prove a contradiction, by showing the different values again. */
  isLater?: IsLater<Source>;
  /** Maximum number of stored records for each `RecordView`, and of responses to which they refer; default: unlimited. */
  maxRecords?: number;
}

/**
 * Compares each response with the latest one about the same record, by the rules between responses, such as those between a list
 * and a lookup. Stores only hashes of identifiers and values: 300 MB for a million listed customers.
 */
export class Relations<Source> {
  readonly hashText: HashText;
  readonly contradictions: Contradictions<Source>;
  readonly #views: RecordView[];
  readonly #records: Map<RecordView, Map<string, StoredRecord<Source>>>;
  readonly #maxRecords: number;
  /** Number of responses to which stored records refer, at most `maxRecords`. */
  #sourceCount = 0;
  /** Response whose record was stored last, so that its other records do not count the response again. */
  #lastSource: Source | undefined;
  /** Number of records not stored for comparison with later ones, because `maxRecords` was reached. */
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
    const views = this.#viewsOf(response.operation);
    return this.#addRecords(views.map((view) => listRecords(view, response, this.hashText)));
  }

  /** Compares and stores records that an earlier worker, an earlier run or another shard has hashed (`Comparison.records`). */
  replay(operation: Operation, stored: HashedRecord[][], source: Source): Comparison {
    const restore = (view: RecordView, viewIndex: number) =>
      (stored[viewIndex] ?? []).map(([index, key, ...values]) => ({ view, key, values, source, index }));
    return this.#addRecords(this.#viewsOf(operation).map(restore));
  }

  /** Returns whether any list or lookup so far has shown the record that a lookup requests. */
  isShown(request: Pick<ComparableResponse<unknown>, 'operation' | 'parameters' | 'scope'>): boolean {
    return this.#viewsOf(request.operation).some(({ key, rules }) => {
      const identifier = request.parameters[key];
      if (identifier === undefined) return false;
      const hash = hashKey(identifier, request, this.hashText);
      // Views of the lookup, and of the lists with which its rules compare it.
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

  #viewsOf = ({ id }: Operation) => this.#views.filter(({ operation }) => operation.id === id);
  #recordsOf = (view: RecordView) => this.#records.get(view) as Map<string, StoredRecord<Source>>;
  #isStored = (view: RecordView, key: string) => this.#recordsOf(view).has(key);

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
   * Compares a record with the stored one by each rule of its view. Adds or settles contradictions, and counts a conforming lookup
   * in `comparison.ruleCounts`. Between a list and a lookup, adds only the first broken rule, and none if the identifier stands for two
   * records.
   * @returns whether any rule is contradicted
   */
  #compare(record: ComparableRecord<Source>, comparison: Comparison): boolean {
    const { view, key } = record;
    let isContradicted = false;
    for (const rule of view.rules) {
      const isWithinView = rule.first === rule.second;
      const isLeftOut = !isWithinView && (isContradicted || this.#isAmbiguous(rule, key));
      if (isLeftOut) continue;
      const otherView = rule.first === view ? rule.second : rule.first;
      const earlier = this.#findLatest(otherView, key);
      const pair = earlier && compareRecords(rule, earlier, record);
      if (!earlier || pair === undefined) continue;
      if (pair !== 'same') {
        isContradicted = true;
        // One response that contradicts itself is proof.
        const isProven = earlier.source === record.source;
        this.contradictions.add({ rule, pair, first: earlier, second: record, isProven });
        continue;
      }
      this.contradictions.settle(rule, key);
      if (!view.isList) countRecord(comparison.ruleCounts, rule);
    }
    return isContradicted;
  }

  /** Returns whether an identifier is proven to stand for two records of the list, because a `unique` rule is broken. */
  #isAmbiguous = ({ first }: RelationRule, key: string): boolean =>
    first.rules.some((rule) => 'unique' in rule.check && this.contradictions.isProven(rule, key));

  #findLatest(view: RecordView, key: string): ComparableRecord<Source> | undefined {
    const record = this.#recordsOf(view).get(key);
    return record && { view, key, ...record };
  }

  /** Stores a record and the response that showed it, if any value is new. Returns false if `maxRecords` leaves no room. */
  #store({ view, key, values, source, index }: ComparableRecord<Source>): boolean {
    const records = this.#recordsOf(view);
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
 * Counts a listed record for each `unique` rule that can compare it, even if it contradicts another. A confirmed contradiction adds
 * its finding later.
 */
function countUnique({ view, values }: ComparableRecord<unknown>, counts: Comparison['ruleCounts']): void {
  for (const rule of view.rules)
    if ('unique' in rule.check && values[findComparedField(rule, 0, view)] !== 0) countRecord(counts, rule);
}
