import { type EdgeRecord, isSame } from '../pages/identity.ts';
import type { Sorted } from '../pages/sightings.ts';
import type { PageResult, Tally } from '../results/tally.ts';

/** Pages in a row that hold nothing new: the list has no end, but begins again. */
const maxPagesWithoutNews = 3;

/**
 * Whether pages show what others have shown since the list has no end, or since records were added before them: then all of these
 * have moved by as many places, fewer than the list has, and after as many something new is shown.
 */
export class Repetition {
  readonly #tally: Pick<Tally, 'judged'>;
  #pages = 0;
  #shift = 0;
  /** The place behind the last page that showed something new. */
  #newUntil: number;
  /** The record with which the last page has ended. */
  #last: EdgeRecord | undefined;

  /** @param tally of the pages so far; what it counts later is counted before a page is compared */
  constructor(tally: Pick<Tally, 'judged' | 'places' | 'last'>) {
    this.#tally = tally;
    this.#newUntil = tally.places;
    this.#last = tally.last?.print;
  }

  /** Why a sweep stops at a page. */
  stopAt(page: PageResult, { added, shift }: Sorted): string | undefined {
    const { position = 0, held, judged } = page;
    if (this.#isAnotherAlone(page) || judged > 0 || added.length > 0) {
      this.#pages = 0;
      this.#newUntil = position + held;
    } else if (!this.#hasMoved(page, shift)) this.#pages += 1;
    [this.#shift, this.#last] = [shift, page.last];
    return this.#pages < maxPagesWithoutNews ? undefined : 'the pages began to repeat what was listed before';
  }

  /** Whether a page holds no more than one record, and not that with which the page before it has ended. */
  #isAnotherAlone({ held, last }: PageResult): boolean {
    return held <= 1 && !(last && this.#last && isSame(last, this.#last));
  }

  #hasMoved({ position = 0, held }: PageResult, shift: number): boolean {
    const isSteady = Math.abs(shift - this.#shift) < held / 2;
    return isSteady && shift > 0 && shift < this.#tally.judged && position < this.#newUntil + shift;
  }
}
