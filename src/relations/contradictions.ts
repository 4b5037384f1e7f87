import type { RelationRule, Side } from './rules.ts';
import type { SeenRecord } from './shown.ts';

/** Two responses that do not agree on a record. */
export interface Contradiction<Source> {
  rule: RelationRule;
  /** The number of the pair of fields in which they differ. */
  pair: number;
  first: SeenRecord<Source>;
  second: SeenRecord<Source>;
  /** Whether nobody needs to be asked again: a page contradicts itself, or a recording shows both sides again. */
  isBroken: boolean;
}

/** Whether a response of a recording was recorded after another one had ended. */
export type IsLater<Source> = (one: Source, other: Source) => boolean;

/** The number of the field that a rule compares, in the fields of a side. */
export const numberOfField = ({ first, pairs }: RelationRule, pair: number, side: Side): number =>
  pairs[pair]?.[side === first ? 0 : 1] as number;

/** The number of the first pair of fields in which two records, as they were seen, differ; undefined where nothing can be compared. */
export function difference(
  rule: RelationRule,
  one: SeenRecord<unknown>,
  other: SeenRecord<unknown>,
): number | 'same' | undefined {
  let found: 'same' | undefined;
  for (let pair = 0; pair < rule.pairs.length; pair += 1) {
    const before = one.values[numberOfField(rule, pair, one.side)];
    const now = other.values[numberOfField(rule, pair, other.side)];
    if (before && now && before !== now) return pair;
    if (before && now) found = 'same';
  }
  return found;
}

/** A contradiction, and how often a recording has turned from one side to the other: not at all where they ran side by side. */
interface Known<Source> {
  contradiction: Contradiction<Source>;
  turns: number;
  last: Source;
}

/** A rule with more contradictions is known to be broken, or not to be confirmed. */
const maxKnown = 10_000;

/** What contradicts each other, until it is settled. */
export class Contradictions<Source> {
  readonly #known = new Map<string, Known<Source>>();
  readonly #isLater: IsLater<Source> | undefined;

  constructor(isLater?: IsLater<Source>) {
    this.#isLater = isLater;
  }

  /** Those that nothing has settled. */
  all = (): Contradiction<Source>[] => [...this.#known.values()].map(({ contradiction }) => contradiction);

  isBroken = (rule: RelationRule, key: string): boolean =>
    this.#known.get(idOf(rule, key))?.contradiction.isBroken === true;

  /** A list and a lookup agree by now. */
  settle(rule: RelationRule, key: string): void {
    const isBetweenTwo = rule.first !== rule.second;
    if (isBetweenTwo && !this.isBroken(rule, key)) this.#known.delete(idOf(rule, key));
  }

  /** Takes note of one, or of what it says of the known one. */
  add(found: Contradiction<Source>): void {
    const { rule, first, second } = found;
    const id = idOf(rule, second.key);
    const known = this.#known.get(id);
    if (known && !isReplaced(known, found)) this.#turn(known, second);
    else if (known || this.#known.size < maxKnown) {
      const isTurn = !this.#isLater || this.#isLater(second.source, first.source);
      this.#known.set(id, { contradiction: found, turns: isTurn ? 1 : 0, last: second.source });
    }
  }

  /**
   * One more response of a recording, from the last that counted on: the first side is to be shown as it was, after the second one;
   * of a list and a lookup, the second one after that.
   */
  #turn(known: Known<Source>, now: SeenRecord<Source>): void {
    const { contradiction, last } = known;
    const { rule } = contradiction;
    if (contradiction.isBroken || !isNext(known, now) || !this.#isLater?.(now.source, last)) return;
    known.turns += 1;
    known.last = now.source;
    const isBroken = known.turns >= (rule.first === rule.second ? 2 : 3);
    known.contradiction = { ...contradiction, isBroken };
  }
}

const idOf = ({ address }: RelationRule, key: string) => `${address} ${key}`;

/** A page that contradicts itself needs no other one, and a list that shows something else now is no longer what it was. */
function isReplaced<Source>({ contradiction, turns }: Known<Source>, found: Contradiction<Source>): boolean {
  const { rule, first, isBroken } = contradiction;
  const isFirst = rule.first !== rule.second && found.second.side === first.side;
  return (
    !isBroken &&
    (found.isBroken || turns === 0 || (isFirst && difference(rule, first, found.second) !== 'same'))
  );
}

/** What must stay may change once, and not twice; of what must be unique, the first record has to come back. */
function isNext<Source>({ contradiction, turns }: Known<Source>, now: SeenRecord<Source>): boolean {
  const { rule, first } = contradiction;
  if ('unique' in rule.check) return difference(rule, first, now) === 'same';
  return (now.side === first.side) === (turns === 1);
}
