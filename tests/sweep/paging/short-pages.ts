import type { BlockedRange } from '../results/result.ts';
import { type ListPlan, overlapOf } from './list-plan.ts';
import type { PageRequest } from './paging.ts';

/** Places in a list, from 1. */
export type Places = Required<Pick<BlockedRange, 'from'>> & { to: number };

/**
 * What a page leaves out that holds less than was requested: nothing if it is the last one of the list, which only a page behind it
 * shows. Of pages that were drawn it is known at once.
 * @param isPart whether another part of the sweep has the page behind it, and does not count the record that both show
 */
export function leftOut(
  plan: ListPlan,
  request: PageRequest,
  held: number,
  isPart: boolean,
): { leaves?: Places; blocked?: BlockedRange[] } {
  const { sample, isOnePage } = plan;
  const places = missingOf(request, held, isPart ? 0 : overlapOf(plan));
  if (!places || isOnePage) return {};
  if (!sample) return { leaves: places };
  return sample.by === 'pages' && !isLastDrawn(plan, request) ? { blocked: [shortRange(places)] } : {};
}

export const shortRange = (places: Places): BlockedRange => ({
  ...places,
  reason: 'a page held fewer records than requested',
});

/** The places behind the records of a page that no other page shows; none of a full one. */
function missingOf({ position, limit }: PageRequest, held: number, overlap: 0 | 1): Places | undefined {
  const places = { from: position + held + 1, to: position + limit - overlap };
  return held < limit && places.from <= places.to ? places : undefined;
}

/** The last page of a list may be short. */
const isLastDrawn = ({ paging, sample }: ListPlan, { position }: PageRequest) =>
  sample !== undefined && position >= (sample.of - 1) * paging.size;
