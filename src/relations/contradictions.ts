import type { RecordView, RelationRule } from './rules.ts';
import type { ComparableRecord } from './shown.ts';

/** Record that two responses, or one page twice, show with different values. `first` was received before `second`. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the first pair of fields that differ. */
  pair: number;
  first: ComparableRecord<Source>;
  second: ComparableRecord<Source>;
  /** True if no request needs to be repeated: a page contradicts itself, or a recording shows the different values again. */
  isProven: boolean;
}

/** Returns whether a recorded request (`source`) began after the response to another one (`otherSource`) had ended. */
export type IsLater<Source> = (source: Source, otherSource: Source) => boolean;

/** Returns the index in `view.fields` of the field that `rule.pairs[pair]` compares. */
export const getComparedFieldIndex = (
  { first, pairs }: RelationRule,
  pair: number,
  view: RecordView,
): number => pairs[pair]?.[view === first ? 0 : 1] as number;

/**
 * Compares two records by a rule. Returns the index in `rule.pairs` of the first pair of fields that differ, `same` if no pair
 * differs, and undefined if no pair can be compared.
 */
export function compareRecords(
  rule: RelationRule,
  record: ComparableRecord<unknown>,
  otherRecord: ComparableRecord<unknown>,
): number | 'same' | undefined {
  let result: 'same' | undefined;
  for (let pair = 0; pair < rule.pairs.length; pair += 1) {
    const value = record.values[getComparedFieldIndex(rule, pair, record.view)];
    const otherValue = otherRecord.values[getComparedFieldIndex(rule, pair, otherRecord.view)];
    // 0 stands for a value that cannot be compared.
    if (!value || !otherValue) continue;
    if (value !== otherValue) return pair;
    result = 'same';
  }
  return result;
}

interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /** Number of changes of the record: 1 if it showed the values A B, 2 for A B A. 0 if recorded responses overlap in time. */
  changes: number;
  sourceOfLastChange: Source;
}

/** Maximum number of stored contradictions, which limits memory. */
const maxOpen = 10_000;

/** Stores contradictions until later responses settle them: at most one for each rule and record. */
export class Contradictions<Source> {
  readonly #open = new Map<string, OpenContradiction<Source>>();
  readonly #isLater: IsLater<Source> | undefined;

  constructor(isLater?: IsLater<Source>) {
    this.#isLater = isLater;
  }

  all = (): Contradiction<Source>[] => [...this.#open.values()].map(({ contradiction }) => contradiction);

  /** Returns whether the target is proven to break a rule for a record. `key` is the hashed identifier of the record. */
  isProven = (rule: RelationRule, key: string): boolean =>
    this.#open.get(formatId(rule, key))?.contradiction.isProven === true;

  /**
   * Removes the contradiction between a list and a lookup, which agree again, unless it is proven. Keeps any other contradiction.
   */
  settle(rule: RelationRule, key: string): void {
    const isBetweenViews = rule.first !== rule.second;
    if (isBetweenViews && !this.isProven(rule, key)) this.#open.delete(formatId(rule, key));
  }

  /**
   * Stores a contradiction. If one of the same rule and record is stored already, replaces that one (`isReplaced`) or counts a
   * further change of the record. Stores at most `maxOpen` contradictions.
   */
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
   * Counts a further change of a record, if a recorded response shows it. Enough changes prove the contradiction, with A and B for
   * different values: A B A for a `unique` rule, A B A or A B C for a `constant` rule, which allows one change, and A B A B between
   * a list and a lookup.
   */
  #countChange(open: OpenContradiction<Source>, record: ComparableRecord<Source>): void {
    const { contradiction, sourceOfLastChange } = open;
    const { rule } = contradiction;
    if (contradiction.isProven || !isNextChange(open, record)) return;
    // Without `isLater`, the responses are of a run, which repeats requests instead.
    if (!this.#isLater?.(record.source, sourceOfLastChange)) return;
    open.changes += 1;
    open.sourceOfLastChange = record.source;
    const isWithinView = rule.first === rule.second;
    const provingChanges = isWithinView ? 2 : 3;
    open.contradiction = { ...contradiction, isProven: open.changes >= provingChanges };
  }
}

const formatId = ({ address }: RelationRule, key: string) => `${address} ${key}`;

/**
 * Returns whether a later contradiction replaces a stored one that is not proven: if the later one is proven, if the order of the
 * stored responses is unknown, or if the list or lookup that came first now shows other values.
 */
function isReplaced<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  later: Contradiction<Source>,
): boolean {
  const { rule, first, isProven } = contradiction;
  const isFirstView = rule.first !== rule.second && later.second.view === first.view;
  const hasFirstChanged = isFirstView && compareRecords(rule, first, later.second) !== 'same';
  const isOrderUnknown = changes === 0;
  return !isProven && (later.isProven || isOrderUnknown || hasFirstChanged);
}

/**
 * Returns whether a later record counts as a further change. For a `unique` rule, its values must be those of `first` again (A B
 * A). For a `constant` rule, any second change counts (A B A or A B C). A list and a lookup must alternate (A B A B).
 */
function isNextChange<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, first, second } = contradiction;
  if ('unique' in rule.check) return compareRecords(rule, first, record) === 'same';
  // A list and a lookup alternate: after A B follows the view of A, and after A B A that of B. Within one view, both are the same.
  const expectedView = changes === 1 ? first.view : second.view;
  return record.view === expectedView;
}
