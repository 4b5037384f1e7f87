import { keepsChanging } from './unconfirmed.ts';

/** What a response showed when it was compared: a print, or why there is nothing to compare. */
export type Shown = number | { nothing: string };

/** What is known once both sides were asked again. */
export type Conclusion = 'broken' | 'kept' | { undecided: string };

/** Both sides show the same now, though the first one showed something else before: the target may do that. */
export const changedMeanwhile = { undecided: 'the target changed it between two requests' };

/** How often in a row a side shows what it shows: replicas that reply in turn would show something else the second time. */
export const inARow = 2;

/**
 * Two sides that contradict each other. It is a contradiction once the first side has shown its value again after the other
 * side, and the other side still shows another one after that, each of them twice in a row: as often as a rule says.
 */
export class Contradiction {
  readonly #again: number;
  #before: number;
  #other: number;
  #rounds = 0;
  #isChanged = false;
  /** Whether the other side was shown after the value of the first one, and how often that was shown after it. */
  #isContradicted = true;
  #timesFirst = 0;
  #timesSecond = 0;
  conclusion: Conclusion | undefined;

  /** @param again how often the first side has to be shown again */
  constructor(before: number, other: number, again: number) {
    this.#before = before;
    this.#other = other;
    this.#again = again;
  }

  /** Whether it is the other side that has to be shown next. */
  get needsSecond(): boolean {
    return this.conclusion === undefined && (this.#timesFirst >= inARow || !this.#isContradicted);
  }

  /** Whether a value is the one that the first side has shown. */
  isFirst = (value: number): boolean => value === this.#before;

  /** What the first side shows now. */
  first(value: number): void {
    if (this.conclusion) return;
    if (this.isFirst(value)) {
      if (this.#isContradicted) this.#timesFirst += 1;
      return;
    }
    this.#before = value;
    this.#isChanged = true;
    this.#isContradicted = false;
    this.#timesFirst = 0;
    if (value === this.#other) this.conclusion = changedMeanwhile;
  }

  /** What the other side shows now. */
  second(value: number): void {
    if (this.conclusion) return;
    this.#other = value;
    if (value === this.#before) this.conclusion = this.#isChanged ? changedMeanwhile : 'kept';
    this.#timesSecond = this.#timesFirst >= inARow ? this.#timesSecond + 1 : 0;
    this.#isContradicted = true;
    if (this.#timesFirst < inARow || this.#timesSecond >= inARow) this.#endRound();
  }

  #endRound(): void {
    if (this.#timesSecond >= inARow) this.#rounds += 1;
    if (this.#rounds >= this.#again) this.conclusion ??= 'broken';
    this.#timesFirst = 0;
    this.#timesSecond = 0;
  }

  /** What is known where nothing more is requested. @param reason why there is no conclusion */
  conclusionOr(reason: string): Conclusion {
    return this.conclusion ?? { undecided: this.#isChanged ? keepsChanging : reason };
  }
}

/**
 * Judges a value that was to stay as it is, by all that was shown, in order. One change may be one of the target's own;
 * a value that changes again, or back, is not constant.
 */
export function concludeConstant(shown: Shown[]): Conclusion {
  let changes = 0;
  for (const [index, value] of shown.entries()) {
    if (typeof value !== 'number') return { undecided: value.nothing };
    if (index > 0 && value !== shown[index - 1]) changes += 1;
  }
  if (changes === 0) return 'kept';
  return changes > 1 ? 'broken' : { undecided: 'the target changed it once, between two requests' };
}
