import { number } from '../../../schemas/counted.ts';
import { maxConcurrency } from '../../client/http-client.ts';
import type { Sorted } from '../pages/sightings.ts';
import type { PageResult, Tally } from '../results/tally.ts';
import type { FailedPage, Failures } from './failures.ts';
import type { ListClient } from './list-client.ts';
import type { ListPlan } from './list-plan.ts';
import {
  farthestBehind,
  inOrder,
  numbersBehind,
  type PageRequest,
  pageAt,
  pagesOf,
  recordAt,
} from './paging.ts';
import { Repetition } from './repetition.ts';
import { SeenPages } from './seen-pages.ts';
import { isSampleShorter, isShorterNow } from './shorter.ts';
import { shownBeside } from './shown-beside.ts';
import { tooLong } from './too-long.ts';

/** Farther behind it than so many pages a target may fail because it does not count so far. */
const near = 8;

/** So often a list is followed on that has grown at its end meanwhile. */
const maxGrown = 20;

/**
 * What pages without an answer are: the end; a hole, where pages behind them show records, or may; the end of a list that has
 * grown meanwhile, so that the first of them shows records now; or a place at which a sweep stops, where the list does not end,
 * and no page shows how it goes on.
 */
type MissingPages = 'end' | 'hole' | 'grown' | { stopped: string };

const tooMany = (failed: string | undefined) => ({ stopped: `too many pages were not answered: ${failed}` });

/** Whether a list has come to its end, or only seems to. */
export class ListEnd {
  readonly #client: ListClient;
  readonly #plan: ListPlan;
  readonly pages: SeenPages;
  readonly #repetition: Repetition;
  readonly #tally: Tally;
  /** Whether a page has shown the end that reaches across it, or that is behind a short one. */
  isShown = false;
  /** Whether the list has become shorter while it was followed, and no line of the journal says so. */
  isShorter = false;
  /** The page behind a hole that was seen to show records. */
  #shown = -1;
  /** The page that was last looked at anew. */
  #grownAt = -1;
  #grown = 0;
  #lastThere: Promise<boolean> | undefined;

  constructor(client: ListClient, plan: ListPlan, tally: Tally) {
    this.#client = client;
    this.#plan = plan;
    this.pages = new SeenPages(client, plan.paging, tally);
    this.#repetition = new Repetition(tally);
    this.#tally = tally;
  }

  /** Whether a page is the last one of a list that has grown: nothing was behind it before. */
  isGrownEnd({ number: at, limit }: PageRequest, { held }: PageResult): boolean {
    return at === this.#grownAt && held < limit;
  }

  /** Why a sweep stops at a page that was counted, though the list goes on. */
  stopAt(page: PageResult, sorted: Sorted): string | undefined {
    const isDrawnAlone = this.#plan.sample?.by === 'records';
    const repeats = isDrawnAlone ? undefined : this.#repetition.stopAt(page, sorted);
    return repeats ?? tooLong(this.#plan, this.#tally.held);
  }

  /** What pages that follow each other without an answer are, as far as the last one of them lets tell. */
  async decide(
    { first, isEnd, isLong, isTooMany }: Failures,
    { request: { number: last }, page: { failed, rejected } }: FailedPage,
  ): Promise<MissingPages> {
    const { sample } = this.#plan;
    // A list from which many were removed no longer has the last that were drawn.
    if (sample?.by === 'records' && rejected)
      return isTooMany && (await this.#isLastThere(last)) ? tooMany(failed) : 'hole';
    const found = isEnd && !sample ? await this.#examine(first ?? last, last) : 'hole';
    if (found !== 'hole') return found;
    const isOver = isTooMany || (isLong && !(await this.#goesOn(last)));
    return isOver ? tooMany(failed) : 'hole';
  }

  /** Whether the last record of all that were drawn from is shown behind many that are not. */
  #isLastThere(last: number): Promise<boolean> {
    this.#lastThere ??= this.#goesOn(last);
    return this.#lastThere;
  }

  /** The same of pages that were rejected, or are empty. @param at the number of the first; @param last of the last of them */
  async #examine(at: number, last: number): Promise<MissingPages> {
    if (last <= this.#shown) return 'hole';
    const behind = await this.#lookBehind(last);
    if (behind === 'shown') return 'hole';
    const { overlap } = this.#plan.paging;
    const place = number(pageAt(this.#plan.paging, at).position + overlap);
    if (behind)
      return { stopped: `whether the list goes on behind place ${place} is not known: ${behind.unknown}` };
    const beside = await shownBeside(this.#client, this.#plan, this.pages, at);
    this.isShown = beside === 'end';
    if (beside !== 'more') {
      this.isShorter = !this.#tally.isShorter && (await isShorterNow(this.pages, this.#plan));
      return 'end';
    }
    if (await this.#isLongerBefore(at)) return 'end';
    if (await this.#hasGrown(at)) return 'grown';
    return { stopped: `the target shows nothing behind place ${place}, where the list does not end` };
  }

  /** Whether pages behind one show records, or why that is not known; undefined where they show none. */
  async #lookBehind(last: number): Promise<'shown' | { unknown: string } | undefined> {
    let unknown: string | undefined;
    const numbers = numbersBehind(last, this.#lastThought, farthestBehind(this.#plan.paging, last));
    const ask = async (behind: number) => ({ behind, page: await this.pages.page(behind) });
    for await (const { behind, page } of inOrder(numbers, ask, maxConcurrency)) {
      const { records = [], failed, rejected } = page;
      if (records.length > 0) {
        this.#shown = behind;
        return 'shown';
      }
      if (rejected || failed === undefined) continue;
      if (behind > Math.max(last + near, this.#lastThought)) break;
      unknown ??= failed;
    }
    return unknown === undefined ? undefined : { unknown };
  }

  /** Pages behind all that were answered: those of a sample that show nothing are gone if the list has become shorter. */
  async settleLast(failures: Failures): Promise<FailedPage[]> {
    const { firstPlace } = failures;
    const isShorter = firstPlace !== undefined && isSampleShorter(this.#client, this.#plan, firstPlace);
    return failures.settleLast(await isShorter);
  }

  /** Whether any page behind one that was not answered shows records: at once, since each may take its time. */
  async #goesOn(last: number): Promise<boolean> {
    const { sample, paging } = this.#plan;
    const drawn =
      sample && (sample.by === 'records' ? recordAt : (_: number, place: number) => pageAt(paging, place));
    const behind = drawn
      ? [drawn(0, sample.of - 1)]
      : numbersBehind(last, this.#lastThought).map((at) => pageAt(paging, at));
    const pages = await Promise.all(behind.map(({ limit, offset }) => this.#client.page(limit, offset)));
    return pages.some(({ records = [] }) => records.length > 0);
  }

  /** Number of the last page that the list is thought to have. */
  get #lastThought(): number {
    return pagesOf(this.#plan.paging, this.#plan.records ?? 0) - 1;
  }

  /** Whether the page before one was short, and is longer now: the list did end there, and has grown meanwhile. */
  async #isLongerBefore(at: number): Promise<boolean> {
    if (!this.pages.last || this.pages.last.number !== at - 1 || this.pages.last.isFull) return false;
    return (await this.pages.countOn(at - 1)) > this.pages.last.held;
  }

  /** Whether a page that has shown nothing shows records now; of each page it is believed once. */
  async #hasGrown(at: number): Promise<boolean> {
    if (this.#grownAt === at || this.#grown >= maxGrown) return false;
    [this.#grownAt, this.#grown] = [at, this.#grown + 1];
    return (await this.pages.countOn(at)) > 0;
  }
}
