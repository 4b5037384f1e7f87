import type { ComparableRecord } from './comparable.ts';
import type { RecordView, RelationRule } from './rules.ts';

/** Record that two responses, or one page twice, show with different values, `first` before `second`. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the first pair of fields that differ. */
  pair: number;
  first: ComparableRecord<Source>;
  second: ComparableRecord<Source>;
  /** True if nothing needs to be repeated: a page contradicts itself, or a recording shows the different values again. */
  isProven: boolean;
}

/** Returns whether a recorded request began after the response to another one had ended. */
export type IsLater<Source> = (source: Source, otherSource: Source) => boolean;

/** Returns the index in `view.fields` of the field in `rule.pairs[pair]`. */
export const getComparedFieldIndex = (
  { first, pairs }: RelationRule,
  pair: number,
  view: RecordView,
): number => pairs[pair]?.[view === first ? 0 : 1] as number;

/**
 * Returns the index in `rule.pairs` of the first pair of fields that differ, `same` if no pair differs, and undefined if no pair
 * can be compared.
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
    // 0 (`incomparable`) stands for a value that cannot be compared.
    if (!value || !otherValue) continue;
    if (value !== otherValue) return pair;
    result = 'same';
  }
  return result;
}

interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /** Number of changes: 1 for the values A B, 2 for A B A; 0 if recorded responses overlap in time. */
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

  /** Removes the contradiction between a list and a lookup that agree again, unless it is proven. Keeps any other contradiction. */
  settle(rule: RelationRule, key: string): void {
    const isBetweenViews = rule.first !== rule.second;
    if (isBetweenViews && !this.isProven(rule, key)) this.#open.delete(formatId(rule, key));
  }

  /**
   * Stores a contradiction. One that is stored already for rule and record is replaced (`isReplaced`), or counts a further change.
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
   * Counts a further change of a record, if a recorded response shows it. With A and B for different values, A B A proves the
   * contradiction for a `unique` rule, A B A or A B C for a `constant` rule, which allows one change, and A B A B between a list
   * and a lookup.
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
 * Returns whether a later contradiction replaces a stored one: if it is proven, if the order of the stored responses is unknown, or
 * if the list or lookup that came first now shows other values. A proven one stays.
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
 * Returns whether a later record is a further change: back to the values of `first` for a `unique` rule (A B A), to any others for
 * a `constant` rule, and in turns of list and lookup otherwise (A B A B).
 */
function isNextChange<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, first, second } = contradiction;
  if ('unique' in rule.check) return compareRecords(rule, first, record) === 'same';
  // List and lookup take turns: after one change the view of `first` must follow, after two that of `second`. For a `constant` rule,
  // both views are the same.
  const expectedView = changes === 1 ? first.view : second.view;
  return record.view === expectedView;
}
