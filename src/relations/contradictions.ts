import type { RecordView, RelationRule } from './rules.ts';
import type { ComparableRecord } from './shown.ts';

/** Record that two responses, or two places of one page, show with different values. `first` was received before `second`. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** Index in `rule.pairs` of the fields that differ. */
  pair: number;
  first: ComparableRecord<Source>;
  second: ComparableRecord<Source>;
  /** Set if no request needs to be repeated: one page contradicts itself, or a recording shows both sides again. */
  isBroken: boolean;
}

/** Returns whether the request of `source`, in a recording, began after the response of `otherSource` had ended. */
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
    if (value && otherValue && value !== otherValue) return pair;
    if (value && otherValue) result = 'same';
  }
  return result;
}

/** Contradiction that is neither settled nor replaced. */
interface OpenContradiction<Source> {
  contradiction: Contradiction<Source>;
  /** Number of times that a recording has changed from the values of one side to those of the other; 0 if the responses overlap in time. */
  turns: number;
  /** Source of the response that counted as the last turn. */
  lastTurn: Source;
}

/** Maximum number of open contradictions. Further ones are dropped, because they say no more about a rule. */
const maxOpen = 10_000;

/** Collects contradictions until they are settled: at most one for each rule and record. */
export class Contradictions<Source> {
  readonly #open = new Map<string, OpenContradiction<Source>>();
  readonly #isLater: IsLater<Source> | undefined;

  constructor(isLater?: IsLater<Source>) {
    this.#isLater = isLater;
  }

  /** Lists the contradictions that no response has settled. */
  all = (): Contradiction<Source>[] => [...this.#open.values()].map(({ contradiction }) => contradiction);

  /** Returns whether a rule is known to be broken for the record with this hash as its key. */
  isBroken = (rule: RelationRule, key: string): boolean =>
    this.#open.get(formatId(rule, key))?.contradiction.isBroken === true;

  /** Removes the contradiction of a rule about a record, because list and lookup agree again. Keeps it if it is broken already. */
  settle(rule: RelationRule, key: string): void {
    const isBetweenViews = rule.first !== rule.second;
    if (isBetweenViews && !this.isBroken(rule, key)) this.#open.delete(formatId(rule, key));
  }

  /**
   * Adds a contradiction. If one of the same rule and record is open, replaces the open one (`isReplaced`), or counts the new one
   * as a turn of the open one.
   */
  add(contradiction: Contradiction<Source>): void {
    const { rule, first, second } = contradiction;
    const id = formatId(rule, second.key);
    const open = this.#open.get(id);
    if (open && !isReplaced(open, contradiction)) this.#countTurn(open, second);
    else if (open || this.#open.size < maxOpen) {
      // Only responses of a recording may overlap in time.
      const isInOrder = !this.#isLater || this.#isLater(second.source, first.source);
      this.#open.set(id, { contradiction, turns: isInOrder ? 1 : 0, lastTurn: second.source });
    }
  }

  /**
   * Counts a turn of a recording, if the response is later than the last turn. A contradiction is broken once the recording shows
   * the first side again after the second side; between a list and a lookup, once the second side follows again as well.
   */
  #countTurn(open: OpenContradiction<Source>, record: ComparableRecord<Source>): void {
    const { contradiction, lastTurn } = open;
    const { rule } = contradiction;
    if (contradiction.isBroken || !isNextTurn(open, record)) return;
    if (!this.#isLater?.(record.source, lastTurn)) return;
    open.turns += 1;
    open.lastTurn = record.source;
    const turnsOfBroken = rule.first === rule.second ? 2 : 3;
    open.contradiction = { ...contradiction, isBroken: open.turns >= turnsOfBroken };
  }
}

const formatId = ({ address }: RelationRule, key: string) => `${address} ${key}`;

/**
 * Returns whether a later contradiction replaces an open one that is not broken: the later one is proof by itself, the open one has
 * no turn, or the side that came first now shows other values than those that were contradicted.
 */
function isReplaced<Source>(
  { contradiction, turns }: OpenContradiction<Source>,
  later: Contradiction<Source>,
): boolean {
  const { rule, first, isBroken } = contradiction;
  const isFirstView = rule.first !== rule.second && later.second.view === first.view;
  return (
    !isBroken &&
    (later.isBroken || turns === 0 || (isFirstView && compareRecords(rule, first, later.second) !== 'same'))
  );
}

/**
 * Returns whether a record is the next turn of an open contradiction. For a unique key, the first record has to come back. A
 * constant field may change once, so only a second change counts. Between a list and a lookup, the sides have to alternate.
 */
function isNextTurn<Source>(
  { contradiction, turns }: OpenContradiction<Source>,
  record: ComparableRecord<Source>,
): boolean {
  const { rule, first } = contradiction;
  if ('unique' in rule.check) return compareRecords(rule, first, record) === 'same';
  return (record.view === first.view) === (turns === 1);
}
