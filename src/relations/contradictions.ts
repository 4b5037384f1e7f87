import { type ComparableRecord, incomparable } from './comparable.ts';
import { isBetweenListAndLookup, type RecordView, type RelationRule } from './rules.ts';

/** Two different views of one record: a customer whose `reference_number` in the list is not the one in the lookup. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the first pair of fields that differ. */
  pairIndex: number;
  earlier: ComparableRecord<Source>;
  later: ComparableRecord<Source>;
  /** True if the contradiction is certain without a repeated request: one page of a list shows both values. */
  isProven: boolean;
}

/** Returns whether a recorded request began after the response to an earlier request had ended. */
export type IsLater<Source> = (source: Source, earlierSource: Source) => boolean;

/**
 * Finds the field that a rule compares in one of its views.
 * @param pairIndex index in `rule.pairs`
 * @returns index in `view.fields`
 */
export function getComparedFieldIndex(rule: RelationRule, pairIndex: number, view: RecordView): number {
  const { firstIndex, secondIndex } = rule.pairs[pairIndex] as RelationRule['pairs'][number];
  return view === rule.firstView ? firstIndex : secondIndex;
}

/**
 * Compares the fields of two records that a rule is about. Returns `same` if they are equal, or else the index in `rule.pairs` of the
 * first difference. Undefined if the records have no comparable field in common.
 */
export function compareRecords(
  rule: RelationRule,
  record: ComparableRecord<unknown>,
  otherRecord: ComparableRecord<unknown>,
): number | 'same' | undefined {
  let wasComparedOnce = false;
  for (let pairIndex = 0; pairIndex < rule.pairs.length; pairIndex += 1) {
    const value = record.values[getComparedFieldIndex(rule, pairIndex, record.view)];
    const otherValue = otherRecord.values[getComparedFieldIndex(rule, pairIndex, otherRecord.view)];
    if (!canBeCompared(value) || !canBeCompared(otherValue)) continue;
    if (value !== otherValue) return pairIndex;
    wasComparedOnce = true;
  }
  return wasComparedOnce ? 'same' : undefined;
}

const canBeCompared = (value: number | undefined) => value !== undefined && value !== incomparable;

/** Contradiction that a later response may still settle or prove. */
interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /** Number of changes of the record in a recording: 1 for the values A B, 2 for A B A. */
  changes: number;
  /** False if the two recorded responses overlap in time. */
  isOrderKnown: boolean;
  sourceOfLastChange: Source;
}

const maxOpen = 10_000;

/** Number of changes that prove a contradiction in a recording, whose requests cannot be repeated. */
const provingChanges = {
  /** The list shows A, the lookup B, the list A, the lookup B. */
  betweenListAndLookup: 3,
  /** The lookup shows A, then B, then A. */
  withinOneView: 2,
};

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

  /** Removes the contradiction of a list and a lookup that agree again. Keeps a proven contradiction. */
  settle(rule: RelationRule, key: string): void {
    // A single list or lookup that has changed its value settles nothing by showing an earlier value again.
    if (!isBetweenListAndLookup(rule) || this.isProven(rule, key)) return;
    this.#open.delete(formatId(rule, key));
  }

  /** Stores a contradiction. If the rule and record already have one, replaces it, or counts a further change of the record. */
  add(contradiction: Contradiction<Source>): void {
    const { rule, earlier, later } = contradiction;
    const id = formatId(rule, later.key);
    const open = this.#open.get(id);
    if (open && !mustReplace(open, contradiction)) {
      this.#countChange(open, later);
      return;
    }
    const isFull = this.#open.size >= maxOpen;
    if (!open && isFull) return;
    // Only responses of a recording may overlap in time.
    const isOrderKnown = !this.#isLater || this.#isLater(later.source, earlier.source);
    this.#open.set(id, { contradiction, changes: 1, isOrderKnown, sourceOfLastChange: later.source });
  }

  /** Counts a further change that a recorded response shows. Marks the contradiction as proven after enough changes (A B A). */
  #countChange(open: OpenContradiction<Source>, record: ComparableRecord<Source>): void {
    const { contradiction, sourceOfLastChange } = open;
    if (contradiction.isProven || !isNextChange(open, record)) return;
    // Without a recording there is no `isLater`. Instead of counting changes, the suite then repeats the requests.
    const isAfterLastChange = this.#isLater?.(record.source, sourceOfLastChange) ?? false;
    if (!isAfterLastChange) return;
    open.changes += 1;
    open.sourceOfLastChange = record.source;
    const { betweenListAndLookup, withinOneView } = provingChanges;
    const neededChanges = isBetweenListAndLookup(contradiction.rule) ? betweenListAndLookup : withinOneView;
    open.contradiction = { ...contradiction, isProven: open.changes >= neededChanges };
  }
}

const formatId = ({ address }: RelationRule, key: string) => `${address} ${key}`;

/** Returns whether a new contradiction replaces the stored one, which is about the same rule and record. */
function mustReplace<Source>(
  { contradiction: stored, isOrderKnown }: OpenContradiction<Source>,
  next: Contradiction<Source>,
): boolean {
  const { rule, earlier } = stored;
  if (stored.isProven) return false;
  // If the stored responses overlap in time, nobody knows which value came first.
  if (next.isProven || !isOrderKnown) return true;
  if (!isBetweenListAndLookup(rule)) return false;
  // The list showed A, the lookup B, and now the list shows C: the comparison begins again with B and C.
  const isFromViewOfEarlier = next.later.view === earlier.view;
  return isFromViewOfEarlier && compareRecords(rule, earlier, next.later) !== 'same';
}

/** Returns whether a record continues the changes of a contradiction: after the values A B, a record with the value A. */
function isNextChange<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, earlier, later } = contradiction;
  if ('unique' in rule.check) return compareRecords(rule, earlier, record) === 'same';
  // Between a list and a lookup, both must take turns: after list A and lookup B, the next record is from the list.
  // For a `constant` rule, both views are the same.
  const nextView = changes === 1 ? earlier.view : later.view;
  return record.view === nextView;
}
