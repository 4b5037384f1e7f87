import { type ComparableRecord, incomparable } from './comparable.ts';
import { isBetweenListAndLookup, type RecordView, type RelationRule } from './rules.ts';

/** Two records that contradict each other. `Relations` received the record `earlier` before the record `later`. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the first pair whose fields differ. */
  pairIndex: number;
  earlier: ComparableRecord<Source>;
  later: ComparableRecord<Source>;
  /** True if the received responses prove that the rule is broken, for example because one response shows both records. */
  isProven: boolean;
}

/**
 * Returns whether a recording shows that `source` was requested after `earlierSource`. Returns false if the order is unknown, for
 * example because the two requests overlap in time.
 */
export type IsLater<Source> = (source: Source, earlierSource: Source) => boolean;

/** Returns the index in `view.fields` of the field that `rule.pairs[pairIndex]` compares. */
export function getComparedFieldIndex(rule: RelationRule, pairIndex: number, view: RecordView): number {
  const { firstIndex, secondIndex } = rule.pairs[pairIndex] as RelationRule['pairs'][number];
  return view === rule.firstView ? firstIndex : secondIndex;
}

/**
 * Compares two records by the fields in `rule.pairs`.
 * @returns index in `rule.pairs` of the first pair that differs. Returns `same` if no pair differs, and undefined if no pair can be
 *   compared.
 */
export function compareRecords(
  rule: RelationRule,
  record: ComparableRecord<unknown>,
  otherRecord: ComparableRecord<unknown>,
): number | 'same' | undefined {
  let hasComparedFields = false;
  for (const pairIndex of rule.pairs.keys()) {
    const value = getComparedValue(rule, pairIndex, record);
    const otherValue = getComparedValue(rule, pairIndex, otherRecord);
    if (value === incomparable || otherValue === incomparable) continue;
    if (value !== otherValue) return pairIndex;
    hasComparedFields = true;
  }
  return hasComparedFields ? 'same' : undefined;
}

function getComparedValue(
  rule: RelationRule,
  pairIndex: number,
  { view, values }: ComparableRecord<unknown>,
): number {
  const fieldIndex = getComparedFieldIndex(rule, pairIndex, view);
  return values[fieldIndex] ?? incomparable;
}

/** Stored contradiction, which later responses may prove or settle. */
interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /**
   * Number of changes of the compared value in a recording. The number is 2 if the value was A, then B, then A again. Without a
   * recording, the number is always 1.
   */
  changes: number;
  /**
   * True if a recording shows that `contradiction.later` was requested after `contradiction.earlier`. Otherwise false. Without a
   * recording, `isOrderKnown` is always true.
   */
  isOrderKnown: boolean;
  /** Record that showed the last change counted in `changes`. At first, this record is `contradiction.later`. */
  lastChange: ComparableRecord<Source>;
}

const maxOpenContradictions = 10_000;

/** Numbers of changes that prove a contradiction in a recording. */
// A single change may come from an edit of the record.
const provingChanges = {
  // For example, the list shows A, then the lookup shows B (change 1), the list shows A (change 2), and the lookup shows B (change 3).
  betweenListAndLookup: 3,
  // For example, the lookup shows A, then B (change 1), then A again (change 2).
  withinOneView: 2,
};

/**
 * Collects up to `maxOpenContradictions` (10,000) contradictions. Keeps only one contradiction for each rule and identifier. A
 * proven contradiction is never replaced. An unproven contradiction is replaced by a proven one, for example.
 */
export class Contradictions<Source> {
  readonly #openContradictions = new Map<string, OpenContradiction<Source>>();
  readonly #isLater: IsLater<Source> | undefined;

  constructor(isLater?: IsLater<Source>) {
    this.#isLater = isLater;
  }

  all = (): Contradiction<Source>[] =>
    [...this.#openContradictions.values()].map(({ contradiction }) => contradiction);

  isProven = (rule: RelationRule, key: string): boolean =>
    this.#openContradictions.get(formatId(rule, key))?.contradiction.isProven === true;

  /**
   * Removes a contradiction between list and lookup after two of their records agree. A proven contradiction is not removed. A
   * contradiction between responses of one operation is not removed, either.
   * @param key hash of the identifier
   */
  settle(rule: RelationRule, key: string): void {
    // In a rule about one operation, agreement settles nothing: a lookup that shows A, B and B again has still changed its value.
    const canBeSettled = isBetweenListAndLookup(rule) && !this.isProven(rule, key);
    if (canBeSettled) this.#openContradictions.delete(formatId(rule, key));
  }

  add(contradiction: Contradiction<Source>): void {
    const { rule, earlier, later } = contradiction;
    const id = formatId(rule, later.key);
    const openContradiction = this.#openContradictions.get(id);
    if (openContradiction && !mustReplace(openContradiction, contradiction)) {
      // The open contradiction stays. Its value may have changed once more.
      this.#countChange(openContradiction, later);
      return;
    }
    if (!openContradiction && this.#openContradictions.size >= maxOpenContradictions) return;
    // `isLater` is only set for a recording. Otherwise no changes are counted, so their order does not matter.
    const isOrderKnown = this.#isLater?.(later.source, earlier.source) ?? true;
    this.#openContradictions.set(id, { contradiction, changes: 1, isOrderKnown, lastChange: later });
  }

  #countChange(openContradiction: OpenContradiction<Source>, record: ComparableRecord<Source>): void {
    const { contradiction, lastChange } = openContradiction;
    if (contradiction.isProven || !isNextChange(openContradiction, record)) return;
    // `isLater` is only set for a recording. Otherwise the suite does not count changes, but repeats the requests later.
    const isAfterLastChange = this.#isLater?.(record.source, lastChange.source) ?? false;
    if (!isAfterLastChange) return;
    openContradiction.changes += 1;
    openContradiction.lastChange = record;
    const { betweenListAndLookup, withinOneView } = provingChanges;
    const neededChanges = isBetweenListAndLookup(contradiction.rule) ? betweenListAndLookup : withinOneView;
    const isProven = openContradiction.changes >= neededChanges;
    openContradiction.contradiction = { ...contradiction, isProven };
  }
}

const formatId = ({ address }: RelationRule, key: string) => `${address} ${key}`;

function mustReplace<Source>(
  { contradiction: stored, isOrderKnown }: OpenContradiction<Source>,
  next: Contradiction<Source>,
): boolean {
  const { rule, earlier } = stored;
  if (stored.isProven) return false;
  if (next.isProven) return true;
  // The stored responses overlap in time. Changes can only be counted from a value that is known to be the first.
  if (!isOrderKnown) return true;
  // Within one view, `isNextChange` compares each later record with the stored ones, whatever its value.
  if (!isBetweenListAndLookup(rule)) return false;
  // If the list showed A, the lookup B, and now the list shows C, changes are counted again, from B and C.
  const isFromViewOfEarlier = next.later.view === earlier.view;
  return isFromViewOfEarlier && compareRecords(rule, earlier, next.later) !== 'same';
}

function isNextChange<Source>(
  { contradiction, changes, lastChange }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, earlier, later } = contradiction;
  // For a `unique` rule, only a return to the first values counts: after A and B, again A.
  if ('unique' in rule.check) return compareRecords(rule, earlier, record) === 'same';
  // A recording may be out of order: after B, the last counted change, an earlier A may follow. The next B is no change then.
  if ('constant' in rule.check) {
    const differsFromLastChange = typeof compareRecords(rule, lastChange, record) === 'number';
    return differsFromLastChange;
  }
  // After a list and a lookup, the next change must be shown by the list, and the one after it by the lookup.
  const nextView = changes === 1 ? earlier.view : later.view;
  return record.view === nextView;
}
