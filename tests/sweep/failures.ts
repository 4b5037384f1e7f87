import type { PageAnswer } from './list-client.ts';
import { rangeOf } from './page-result.ts';
import type { PageRequest } from './paging.ts';
import { nothingOf, type PageResult } from './tally.ts';

/** Pages without an answer, one after the other, after which a sweep stops; and in all. */
const [maxInARow, max] = [5, 100];

/** A page that was not answered with a success. */
export interface FailedPage {
  request: PageRequest;
  page: PageAnswer;
}

/** A page that holds no record, as one behind the end of a list; the reason holds where the list goes on. */
export const emptyPage = ({ parameters }: PageAnswer): PageAnswer => ({
  parameters,
  ...{ records: [], failed: 'the page is empty, though the list goes on', rejected: true },
});

/** Pages that failed. What one of them is, is known by what follows: a gap in the list, its end, or the end of the target. */
export class Failures {
  #waiting: FailedPage[] = [];
  #settled = 0;

  add(failed: FailedPage): void {
    this.#waiting.push(failed);
  }

  get isNone(): boolean {
    return this.#waiting.length === 0;
  }

  /** The number of the first page that is waiting, where one is. */
  get first(): number | undefined {
    return this.#waiting[0]?.request.number;
  }

  /** Whether the list seems to have ended: the last of these is empty, or the target says of all, more than one, that there is no such page. */
  get isEnd(): boolean {
    if (this.#waiting.at(-1)?.page.records) return true;
    return this.#waiting.length > 1 && this.#waiting.every(({ page }) => page.rejected);
  }

  get isTooMany(): boolean {
    return this.#waiting.length >= maxInARow || this.#settled + this.#waiting.length >= max;
  }

  /** Those before a page that was answered: ranges of which nothing is known. */
  settle(): FailedPage[] {
    const settled = this.#waiting;
    this.#settled += settled.length;
    this.#waiting = [];
    return settled;
  }

  /** Those before the end: of what was rejected, nothing was there. */
  settleAtEnd(): FailedPage[] {
    return this.settle().filter(({ page }) => !page.rejected);
  }
}

/**
 * What pages that failed one after the other leave unknown: the records that no page beside them shows.
 * @param overlap records that they share with the page before them, and with the one behind them if that was answered
 */
export const blockedPages = (
  failed: FailedPage[],
  { before, behind }: { before: number; behind: number },
  mask: (reason: string) => string,
): PageResult[] =>
  failed.map(({ request, page }, index) => {
    const range = rangeOf(request, mask(page.failed ?? ''), before);
    const to = range.to - (index === failed.length - 1 ? behind : 0);
    return { ...nothingOf(request.number), blocked: range.from <= to ? [{ ...range, to }] : [] };
  });
