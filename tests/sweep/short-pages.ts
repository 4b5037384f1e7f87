import type { PageAnswer } from './list-client.ts';
import type { ListPlan } from './list-plan.ts';
import type { PageRequest } from './paging.ts';
import type { BlockedRange } from './result.ts';

/** Notices pages that hold less than was asked for: the last one does, and any other leaves something out. */
export class ShortPages {
  #behind: Pick<BlockedRange, 'from' | 'to'> | undefined;

  /** What the page before this one, which is there, has left out. */
  leftOut(
    { sample, isOnePage, paging }: ListPlan,
    { position, limit }: PageRequest,
    { records = [] }: PageAnswer,
  ): BlockedRange[] {
    const before = this.#behind;
    const isShort = !sample && !isOnePage && records.length < limit;
    const behind = { from: position + records.length + 1, to: position + limit - paging.overlap };
    this.#behind = isShort && behind.from <= behind.to ? behind : undefined;
    return before ? [{ ...before, reason: 'a page held fewer records than were asked for' }] : [];
  }
}
