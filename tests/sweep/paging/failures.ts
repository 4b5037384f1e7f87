import { rangeOf } from '../pages/page-result.ts';
import type { PageStep } from '../pages/page-step.ts';
import { nothingOf, type PageResult } from '../results/tally.ts';
import type { PageAnswer } from './list-client.ts';
import { type ListPlan, requestCountOf } from './list-plan.ts';
import { countOwn, type PageRequest, type Part } from './paging.ts';

/** Pages without an answer after which a sweep stops: so many, or this share of all, if that is more. */
const [max, maxShare] = [100, 0.1];

/** So many one after the other, and twice as many each time, are a reason to look whether the list goes on at all. */
const longRun = 5;

/** A page that shows no list, and what was judged of it, where it is a broken success. */
export interface FailedPage {
  request: PageRequest;
  page: Omit<PageAnswer, 'answer'>;
  judged?: PageResult;
  /** How many requests it took. */
  requests?: number;
  /** Set where it would show records that are not there any more. */
  isGone?: true;
}

/** Whether a page that was answered shows nothing, though there may be something: the list may have ended before it. */
const isEmptyPage = ({ sample }: ListPlan, { number }: PageRequest, { records }: PageAnswer): boolean =>
  records?.length === 0 && (sample ? sample.by === 'records' : number > 0);

/**
 * A page in which there is no record, or no list; undefined for any other page. One without a list is judged if it is a
 * success by its status. Its body is left.
 */
export async function failedPage(
  step: Pick<PageStep, 'take'>,
  plan: ListPlan,
  request: PageRequest,
  page: PageAnswer,
): Promise<FailedPage | undefined> {
  if (isEmptyPage(plan, request, page)) return { request, page: emptyPage(page) };
  const { parameters, failed, rejected } = page;
  if (failed === undefined) return undefined;
  const judged = page.broken ? { judged: (await step.take(request, page)).result } : {};
  return { request, page: { parameters, failed, rejected }, ...judged };
}

/** A page that holds no record, as one behind the end of a list; the reason holds where the list goes on. */
const emptyPage = ({ parameters }: PageAnswer): FailedPage['page'] => ({
  parameters,
  records: [],
  failed: 'the page is empty, though the list goes on',
  rejected: true,
});

/** Pages that failed. What one of them is, is known by what follows: a hole in the list, its end, or the end of the target. */
export class Failures {
  readonly #max: number;
  #waiting: FailedPage[] = [];
  #settled = 0;

  /** @param pages how many are requested in all, where that is known */
  constructor(pages = 0) {
    this.#max = Math.max(max, maxShare * pages);
  }

  add(failed: FailedPage): void {
    this.#waiting.push(failed);
  }

  /** The last ones of which the target says that there is no such page; those before them may fail for any reason. */
  get #rejected(): FailedPage[] {
    return this.#waiting.slice(this.#waiting.findLastIndex(({ page }) => !page.rejected) + 1);
  }

  /** The number of the first page behind which there seems to be none. */
  get first(): number | undefined {
    return this.#rejected[0]?.request.number;
  }

  /** Whether the list seems to have ended: the last of these is empty, or more than one of the last were rejected. */
  get isEnd(): boolean {
    return this.#waiting.at(-1)?.page.records !== undefined || this.#rejected.length > 1;
  }

  get isTooMany(): boolean {
    return this.#settled + this.#waiting.length >= this.#max;
  }

  /** Whether so many follow each other by now that the target may be down, or the rest of the list cannot be read. */
  get isLong(): boolean {
    return Number.isInteger(Math.log2(this.#waiting.length / longRun));
  }

  /** Those before a page that was answered: ranges of which nothing is known. */
  settle(): FailedPage[] {
    const settled = this.#waiting;
    this.#settled += settled.length;
    this.#waiting = [];
    return settled;
  }

  /** The place of the first page that is waiting, where one is. */
  get firstPlace(): number | undefined {
    return this.#waiting[0]?.request.position;
  }

  /** Those behind all that were answered. @param isShorter whether those that show nothing are gone, since the list has become shorter */
  settleLast(isShorter: boolean): FailedPage[] {
    return this.settle().map((failed) => (isShorter && failed.page.rejected ? gone(failed) : failed));
  }

  /** Those of which anything was judged, and those before them. */
  settleJudged(): FailedPage[] {
    const last = this.#waiting.findLastIndex(({ judged }) => judged);
    const later = this.#waiting.splice(last + 1);
    const settled = this.settle();
    this.#waiting = later;
    return settled;
  }

  /**
   * Those before the end: of what was rejected, nothing was there.
   * @param isShorter whether there was, when the sweep began to follow the list: then the first of these says so
   */
  settleAtEnd(isShorter: boolean): FailedPage[] {
    const [first] = isShorter ? this.#rejected : [];
    const settled = this.settle().filter((failed) => !failed.page.rejected);
    return first ? [...settled, gone(first)] : settled;
  }
}

/** A page that shows nothing any more: the list has become shorter. */
const gone = (failed: FailedPage): FailedPage => ({
  ...failed,
  isGone: true,
  judged: { ...nothingOf(failed.request.number), moved: { repeated: 0, gaps: 1 } },
});

/** Those of a plan, or of a part of it, of which none has failed yet. */
export const failuresOf = (plan: ListPlan, part: Part | undefined): Failures =>
  new Failures(countOwn(part, requestCountOf(plan) ?? 0));

/**
 * What pages that failed one after the other leave unknown: the records that no page beside them shows.
 * @param overlap records that they share with the page before them, and with the one behind them if that was answered
 */
export const blockedPages = (
  failed: FailedPage[],
  { before, behind }: { before: number; behind: number },
  mask: (reason: string) => string,
): PageResult[] =>
  failed.map(({ request, page, judged, isGone, requests = 0 }, index) => {
    const range = rangeOf(request, mask(page.failed ?? ''), before);
    const to = range.to - (index === failed.length - 1 ? behind : 0);
    return {
      ...(judged ?? nothingOf(request.number)),
      requests,
      blocked: range.from <= to && !isGone ? [{ ...range, to }] : [],
    };
  });
