import { type ComparableRecord, incomparable } from './comparable.ts';
import { isBetweenListAndLookup, type RecordView, type RelationRule } from './rules.ts';

/** Two versions of one record that differ: the earlier one (`first`) and the later one (`second`), of two responses or of one page. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the first pair of fields that differ. */
  pair: number;
  first: ComparableRecord<Source>;
  second: ComparableRecord<Source>;
  /** True if no request needs to be repeated, for example because one page shows both versions. */
  isProven: boolean;
}

/** Returns whether a recorded request began after the response to an earlier request had ended. */
export type IsLater<Source> = (source: Source, earlierSource: Source) => boolean;

/** Returns the index in `view.fields` of the field that belongs to the pair `rule.pairs[pair]`. */
export function getComparedFieldIndex(rule: RelationRule, pair: number, view: RecordView): number {
  const [firstIndex, secondIndex] = rule.pairs[pair] as [first: number, second: number];
  return view === rule.first ? firstIndex : secondIndex;
}

/**
 * Returns the index in `rule.pairs` of the first pair of fields that differ, `same` if no pair differs, and undefined if no pair
 * can be compared.
 */
export function compareRecords(
  rule: RelationRule,
  record: ComparableRecord<unknown>,
  otherRecord: ComparableRecord<unknown>,
): number | 'same' | undefined {
  let isComparable = false;
  for (let pair = 0; pair < rule.pairs.length; pair += 1) {
    const value = record.values[getComparedFieldIndex(rule, pair, record.view)];
    const otherValue = otherRecord.values[getComparedFieldIndex(rule, pair, otherRecord.view)];
    if (!canBeCompared(value) || !canBeCompared(otherValue)) continue;
    if (value !== otherValue) return pair;
    isComparable = true;
  }
  return isComparable ? 'same' : undefined;
}

const canBeCompared = (value: number | undefined) => value !== undefined && value !== incomparable;

interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /** Number of changes: 1 if the record had the values A and then B, 2 if then A again. 0 if recorded responses overlap in time. */
  changes: number;
  sourceOfLastChange: Source;
}

const maxOpen = 10_000;

/** Stores contradictions, at most one for each rule and record, until later responses settle them. */
export class Contradictions<Source> {
  readonly #open = new Map<string, OpenContradiction<Source>>();
  readonly #isLater: IsLater<Source> | undefined;

  constructor(isLater?: IsLater<Source>) {
    this.#isLater = isLater;
  }

  all = (): Contradiction<Source>[] => [...this.#open.values()].map(({ contradiction }) => contradiction);

  isProven = (rule: RelationRule, key: string): boolean =>
    this.#open.get(formatId(rule, key))?.contradiction.isProven === true;

  /** Removes a contradiction between a list and a lookup that agree again. Keeps one that is proven, or within a list or lookup. */
  settle(rule: RelationRule, key: string): void {
    if (isBetweenListAndLookup(rule) && !this.isProven(rule, key)) this.#open.delete(formatId(rule, key));
  }

  /** Stores a contradiction. If one of the same rule and record is stored, replaces it or counts a further change of it. */
  add(contradiction: Contradiction<Source>): void {
    const { rule, first, second } = contradiction;
    const id = formatId(rule, second.key);
    const open = this.#open.get(id);
    if (open && !isReplaced(open, contradiction)) this.#countChange(open, second);
    else if (open || this.#open.size < maxOpen) {
      // Only responses of a recording may overlap in time.
      const isInOrder = !this.#isLater || this.#isLater(second.source, first.source);
      this.#open.set(id, { contradiction, changes: isInOrder ? 1 : 0, sourceOfLastChange: second.source });
    }
  }

  /**
   * Counts a further change that a recorded response shows. Two changes within a list or lookup (such as A B A) prove the
   * contradiction, and three between a list and a lookup (A B A B).
   */
  #countChange(open: OpenContradiction<Source>, record: ComparableRecord<Source>): void {
    const { contradiction, sourceOfLastChange } = open;
    if (contradiction.isProven || !isNextChange(open, record)) return;
    // Without `isLater`, the responses are of a run, which repeats requests instead.
    if (!this.#isLater?.(record.source, sourceOfLastChange)) return;
    open.changes += 1;
    open.sourceOfLastChange = record.source;
    const provingChanges = isBetweenListAndLookup(contradiction.rule) ? 3 : 2;
    open.contradiction = { ...contradiction, isProven: open.changes >= provingChanges };
  }
}

const formatId = ({ address }: RelationRule, key: string) => `${address} ${key}`;

/** Returns whether a later contradiction replaces a stored one of the same rule and record. A proven one is not replaced. */
function isReplaced<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  later: Contradiction<Source>,
): boolean {
  const { rule, first, isProven } = contradiction;
  if (isProven) return false;
  const isOrderUnknown = changes === 0;
  if (later.isProven || isOrderUnknown) return true;
  // The list or lookup that came first now shows other values.
  const isShownByFirst = isBetweenListAndLookup(rule) && later.second.view === first.view;
  return isShownByFirst && compareRecords(rule, first, later.second) !== 'same';
}

/**
 * Returns whether a later record counts as a further change. For a `unique` rule, it must show the values of `first` again. For a
 * rule between a list and a lookup, the two must take turns.
 */
function isNextChange<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, first, second } = contradiction;
  if ('unique' in rule.check) return compareRecords(rule, first, record) === 'same';
  // For a `constant` rule, both views are the same.
  const expectedView = changes === 1 ? first.view : second.view;
  return record.view === expectedView;
}
