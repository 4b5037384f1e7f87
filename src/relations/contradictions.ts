import type { RecordView, RelationRule } from './rules.ts';
import type { ComparableRecord } from './shown.ts';

/**
 * Contradiction: a record that two responses, such as a list and a lookup, show with different values, or two places of one page.
 * `first` was received before `second`.
 */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the first pair of fields whose values differ. */
  pair: number;
  first: ComparableRecord<Source>;
  second: ComparableRecord<Source>;
  /**
   * True if the contradiction is proven, so that no request needs to be repeated: one page contradicts itself, or a recording shows
   * the different values again.
   */
  isBroken: boolean;
}

/**
 * Returns whether the request of `source`, in a recording, began after the response of `otherSource` had ended. False if both
 * overlap in time.
 */
export type IsLater<Source> = (source: Source, otherSource: Source) => boolean;

/** Returns the index in `view.fields` of the field that `rule.pairs[pair]` compares. */
export const findComparedField = ({ first, pairs }: RelationRule, pair: number, view: RecordView): number =>
  pairs[pair]?.[view === first ? 0 : 1] as number;

/**
 * Compares two records by a rule. Returns the index in `rule.pairs` of the first pair of fields that differ, `same` if no pair
 * differs and at least one can be compared, and undefined if none can be compared.
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

/** Contradiction (`Contradiction`) that no later response has settled or replaced, with what a recording adds to its proof. */
interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /**
   * Number of times that a recording changed between the values A and B of the two records: 1 for A B, 2 for A B A. 0 if both
   * responses overlap in time, so that their order is unknown.
   */
  changes: number;
  /** Source of the last response that was counted in `changes`. */
  lastChange: Source;
}

/** Maximum number of open contradictions that are kept. Further ones are dropped, because they tell nothing more about a rule. */
const maxOpen = 10_000;

/** Collects contradictions between responses until later responses settle them: at most one for each rule and record. */
export class Contradictions<Source> {
  readonly #open = new Map<string, OpenContradiction<Source>>();
  readonly #isLater: IsLater<Source> | undefined;

  constructor(isLater?: IsLater<Source>) {
    this.#isLater = isLater;
  }

  /**
   * Lists the contradictions so far: records that two responses show with different values. Leaves out those that a later response
   * has settled.
   */
  all = (): Contradiction<Source>[] => [...this.#open.values()].map(({ contradiction }) => contradiction);

  /** Returns whether a rule is proven to be broken for the record whose hashed identifier is `key`. */
  isBroken = (rule: RelationRule, key: string): boolean =>
    this.#open.get(formatId(rule, key))?.contradiction.isBroken === true;

  /**
   * Removes the contradiction of a rule between a list and a lookup about the record whose hashed identifier is `key`, because both
   * agree again. Keeps a contradiction that is proven already, and any of a rule within one operation.
   */
  settle(rule: RelationRule, key: string): void {
    const isBetweenViews = rule.first !== rule.second;
    if (isBetweenViews && !this.isBroken(rule, key)) this.#open.delete(formatId(rule, key));
  }

  /**
   * Adds a contradiction. If one of the same rule and record is open already, the new one replaces it (`isReplaced`) or is counted
   * as another change. Does nothing if `maxOpen` others are open.
   */
  add(contradiction: Contradiction<Source>): void {
    const { rule, first, second } = contradiction;
    const id = formatId(rule, second.key);
    const open = this.#open.get(id);
    if (open && !isReplaced(open, contradiction)) this.#countChange(open, second);
    else if (open || this.#open.size < maxOpen) {
      // Only responses of a recording may overlap in time.
      const isInOrder = !this.#isLater || this.#isLater(second.source, first.source);
      this.#open.set(id, { contradiction, changes: isInOrder ? 1 : 0, lastChange: second.source });
    }
  }

  /**
   * Counts the response of `record` as another change of an open contradiction, if a recording shows it later than the last change.
   * Enough changes prove the contradiction. With A and B for the values of its two records, these are A B A for a unique key, A B A
   * or A B C for a constant field, which may change once, and A B A B between a list and a lookup.
   */
  #countChange(open: OpenContradiction<Source>, record: ComparableRecord<Source>): void {
    const { contradiction, lastChange } = open;
    const { rule } = contradiction;
    if (contradiction.isBroken || !isNextChange(open, record)) return;
    // Without `isLater`, the responses are of a run, which repeats requests instead.
    if (!this.#isLater?.(record.source, lastChange)) return;
    open.changes += 1;
    open.lastChange = record.source;
    const isWithinView = rule.first === rule.second;
    const provingChanges = isWithinView ? 2 : 3;
    open.contradiction = { ...contradiction, isBroken: open.changes >= provingChanges };
  }
}

/** Formats the id under which the open contradiction of a rule about a record is stored. */
const formatId = ({ address }: RelationRule, key: string) => `${address} ${key}`;

/**
 * Returns whether a later contradiction replaces an open one of the same rule and record. An open one that is proven stays.
 * Otherwise it is replaced in three cases: the later one is proven, the order of the open one's responses is unknown (`changes` is
 * 0), or the list or lookup that came first now shows other values than it did.
 */
function isReplaced<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  later: Contradiction<Source>,
): boolean {
  const { rule, first, isBroken } = contradiction;
  const isFirstView = rule.first !== rule.second && later.second.view === first.view;
  const hasFirstChanged = isFirstView && compareRecords(rule, first, later.second) !== 'same';
  return !isBroken && (later.isBroken || changes === 0 || hasFirstChanged);
}

/**
 * Returns whether a record that contradicts the stored one is the next change that counts for an open contradiction. For a unique
 * key, `first` must come back with its values (A B A). For a constant field, any second change counts (A B A or A B C). Between a
 * list and a lookup, both must alternate (A B A B).
 */
function isNextChange<Source>(
  { contradiction, changes }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, first } = contradiction;
  if ('unique' in rule.check) return compareRecords(rule, first, record) === 'same';
  // After one change (A B), the record must be of the view of A, and after two (A B A) of the view of B.
  const isOfFirstView = record.view === first.view;
  const isFirstExpected = changes === 1;
  return isOfFirstView === isFirstExpected;
}
