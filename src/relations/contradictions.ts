import type { RecordView, RelationRule } from './rules.ts';
import type { ComparableRecord } from './shown.ts';

/** Two responses, or two places of one page, that show a record with different values. `first` was received before `second`. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the first fields that differ. */
  pair: number;
  first: ComparableRecord<Source>;
  second: ComparableRecord<Source>;
  /** True if no request needs to be repeated: one page contradicts itself, or a recording shows the different values again. */
  isProven: boolean;
}

/** Returns whether the request of `source`, in a recording, began after the response of `otherSource` had ended. */
export type IsLater<Source> = (source: Source, otherSource: Source) => boolean;

/** Returns the index in `view.fields` of the field that `rule.pairs[pair]` compares. */
export const findComparedField = ({ first, pairs }: RelationRule, pair: number, view: RecordView): number =>
  pairs[pair]?.[view === first ? 0 : 1] as number;

/**
 * Compares two records by a rule. Returns the index in `rule.pairs` of the first fields that differ, `same` if none differ, and
 * undefined if none can be compared.
 */
export function compareRecords(
  rule: RelationRule,
  record: ComparableRecord<unknown>,
  otherRecord: ComparableRecord<unknown>,
): number | 'same' | undefined {
  let result: 'same' | undefined;
  for (let pair = 0; pair < rule.pairs.length; pair += 1) {
    const value = record.values[findComparedField(rule, pair, record.view)];
    const otherValue = otherRecord.values[findComparedField(rule, pair, otherRecord.view)];
    // 0 stands for a value that cannot be compared.
    if (!value || !otherValue) continue;
    if (value !== otherValue) return pair;
    result = 'same';
  }
  return result;
}

/** Contradiction that no later response has settled or replaced. */
interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /** Number of changes between the values A and B in a recording: 2 for A B A. 0 if both responses overlap in time. */
  changes: number;
  sourceOfLastChange: Source;
}

/** Limits memory. Further contradictions tell nothing more about a rule. */
const maxOpen = 10_000;

/** Collects contradictions until later responses settle them: at most one for each rule and record. */
export class Contradictions<Source> {
  readonly #open = new Map<string, OpenContradiction<Source>>();
  readonly #isLater: IsLater<Source> | undefined;

  constructor(isLater?: IsLater<Source>) {
    this.#isLater = isLater;
  }

  all = (): Contradiction<Source>[] => [...this.#open.values()].map(({ contradiction }) => contradiction);

  /** Returns whether a rule is proven to be broken for the record with the hashed identifier `key`. */
  isProven = (rule: RelationRule, key: string): boolean =>
    this.#open.get(formatId(rule, key))?.contradiction.isProven === true;

  /** Removes the contradiction of a list and a lookup that agree again. Keeps a proven one, and one within an operation. */
  settle(rule: RelationRule, key: string): void {
    const isBetweenViews = rule.first !== rule.second;
    if (isBetweenViews && !this.isProven(rule, key)) this.#open.delete(formatId(rule, key));
  }

  /**
   * Adds a contradiction. If one of its rule and record is open, replaces that one (`isReplaced`) or counts another change. Does
   * nothing if `maxOpen` others are open.
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
   * Counts a later response as another change of an open contradiction. Enough changes prove the contradiction: A B A for a unique
   * key, A B A or A B C for a constant field, which may change once, and A B A B between a list and a lookup.
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
 * Returns whether a later contradiction replaces an open one that is not proven: the later one is proven, the order of the open one
 * is unknown (`changes` is 0), or the list or lookup that came first now shows other values.
 */
function isReplaced<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  later: Contradiction<Source>,
): boolean {
  const { rule, first, isProven } = contradiction;
  const isFirstView = rule.first !== rule.second && later.second.view === first.view;
  const hasFirstChanged = isFirstView && compareRecords(rule, first, later.second) !== 'same';
  return !isProven && (later.isProven || changes === 0 || hasFirstChanged);
}

/**
 * Returns whether a record is the next change of an open contradiction. For a unique key, the values of `first` must come back (A B
 * A). For a constant field, any second change counts (A B A or A B C). A list and a lookup must alternate (A B A B).
 */
function isNextChange<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, first, second } = contradiction;
  if ('unique' in rule.check) return compareRecords(rule, first, record) === 'same';
  // After A B, the next change is of the view of A, and after A B A of the view of B.
  const expectedView = changes === 1 ? first.view : second.view;
  return record.view === expectedView;
}
