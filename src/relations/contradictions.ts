import { type ComparableRecord, incomparable } from './comparable.ts';
import { isBetweenListAndLookup, type RecordView, type RelationRule } from './rules.ts';

/** Two records with one identifier and different values, from two responses or from one page. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the first pair of fields that differ. */
  pairIndex: number;
  earlier: ComparableRecord<Source>;
  later: ComparableRecord<Source>;
  /** True if no request needs to be repeated, for example because one page shows both versions. */
  isProven: boolean;
}

/** Returns whether a recorded request began after the response to an earlier request had ended. */
export type IsLater<Source> = (source: Source, earlierSource: Source) => boolean;

/** Returns the index in `view.fields` of the field that belongs to the pair `rule.pairs[pairIndex]`. */
export function getComparedFieldIndex(rule: RelationRule, pairIndex: number, view: RecordView): number {
  const [firstIndex, secondIndex] = rule.pairs[pairIndex] as [first: number, second: number];
  return view === rule.firstView ? firstIndex : secondIndex;
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
  for (let pairIndex = 0; pairIndex < rule.pairs.length; pairIndex += 1) {
    const value = record.values[getComparedFieldIndex(rule, pairIndex, record.view)];
    const otherValue = otherRecord.values[getComparedFieldIndex(rule, pairIndex, otherRecord.view)];
    if (!canBeCompared(value) || !canBeCompared(otherValue)) continue;
    if (value !== otherValue) return pairIndex;
    isComparable = true;
  }
  return isComparable ? 'same' : undefined;
}

const canBeCompared = (value: number | undefined) => value !== undefined && value !== incomparable;

interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /** Number of changes: 1 if the record had the values A and then B, 2 if then A again. */
  changes: number;
  /** False if the two recorded responses overlap in time. */
  isOrderKnown: boolean;
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

  /** Removes a contradiction of a list and a lookup, which agree again. Keeps a proven one, and one within a single list or lookup. */
  settle(rule: RelationRule, key: string): void {
    if (isBetweenListAndLookup(rule) && !this.isProven(rule, key)) this.#open.delete(formatId(rule, key));
  }

  /** Stores a contradiction. If one of the same rule and record is stored, replaces it or counts a further change of it. */
  add(contradiction: Contradiction<Source>): void {
    const { rule, earlier, later } = contradiction;
    const id = formatId(rule, later.key);
    const open = this.#open.get(id);
    if (open && !mustReplace(open, contradiction)) this.#countChange(open, later);
    else if (open || this.#open.size < maxOpen) {
      // Only responses of a recording may overlap in time.
      const isOrderKnown = !this.#isLater || this.#isLater(later.source, earlier.source);
      this.#open.set(id, { contradiction, changes: 1, isOrderKnown, sourceOfLastChange: later.source });
    }
  }

  /**
   * Counts a further change that a recorded response shows. Within one list or lookup, two changes prove the contradiction: the
   * record has the values A, then B, then A. Between a list and a lookup, three changes prove it (A B A B).
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

/**
 * Returns whether the next contradiction of the same rule and record replaces the stored one: if the next one is proven, the stored
 * order is unknown, or the list or lookup of `earlier` now shows other values. A proven contradiction is never replaced.
 */
function mustReplace<Source>(
  { contradiction: stored, isOrderKnown }: OpenContradiction<Source>,
  next: Contradiction<Source>,
): boolean {
  const { rule, earlier } = stored;
  if (stored.isProven) return false;
  if (next.isProven || !isOrderKnown) return true;
  const isFromViewOfEarlier = isBetweenListAndLookup(rule) && next.later.view === earlier.view;
  return isFromViewOfEarlier && compareRecords(rule, earlier, next.later) !== 'same';
}

/**
 * Returns whether a record is a further change. For a `unique` rule, the record must show the values of `earlier` again. For a rule
 * between a list and a lookup, list and lookup must alternate.
 */
function isNextChange<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, earlier, later } = contradiction;
  if ('unique' in rule.check) return compareRecords(rule, earlier, record) === 'same';
  // After A B, the view of A is next; after A B A, the view of B. For a `constant` rule, both views are the same.
  const nextView = changes === 1 ? earlier.view : later.view;
  return record.view === nextView;
}
