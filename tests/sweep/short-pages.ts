import type { PageAnswer } from './list-client.ts';
import type { ListPlan } from './list-plan.ts';
import type { PageRequest } from './paging.ts';
import type { BlockedRange } from './result.ts';

type Places = Pick<BlockedRange, 'from' | 'to'>;

/** Notices pages that hold less than was requested: the last one does, and any other leaves something out. */
export class ShortPages {
  #behind: Places | undefined;

  /** What the page before this one, which is there, has left out; of pages that were drawn, what this one has. */
  leftOut(plan: ListPlan, request: PageRequest, { records = [] }: PageAnswer): BlockedRange[] {
    const { sample, isOnePage } = plan;
    const before = this.#behind;
    const behind = missingOf(plan, request, records.length);
    if (sample) return sample.by === 'pages' && !isLastDrawn(plan, request) ? behind.map(withReason) : [];
    this.#behind = isOnePage ? undefined : behind[0];
    return before ? [withReason(before)] : [];
  }
}

const withReason = (places: Places): BlockedRange => ({
  ...places,
  reason: 'a page held fewer records than requested',
});

/** The places behind the records of a page that no other page shows; none of a full one. */
function missingOf({ paging, sample }: ListPlan, { position, limit }: PageRequest, held: number): Places[] {
  const places = { from: position + held + 1, to: position + limit - (sample ? 0 : paging.overlap) };
  return held < limit && places.from <= places.to ? [places] : [];
}

/** The last page of a list may be short. */
const isLastDrawn = ({ paging, sample }: ListPlan, { position }: PageRequest) =>
  sample !== undefined && position >= (sample.of - 1) * paging.size;
