import type { BlockedRange } from '../results/result.ts';
import type { ListPlan } from './list-plan.ts';
import type { PageRequest } from './paging.ts';

/** Places in a list, from 1. */
export type Places = Required<Pick<BlockedRange, 'from'>> & { to: number };

/**
 * What a page leaves out that holds less than was requested: nothing if it is the last one of the list, which only a page behind it
 * shows. Of pages that were drawn it is known at once.
 */
export function leftOut(
  plan: ListPlan,
  request: PageRequest,
  held: number,
): { leaves?: Places; blocked?: BlockedRange[] } {
  const { sample, isOnePage } = plan;
  const places = missingOf(request, held);
  if (!places || isOnePage) return {};
  if (!sample) return { leaves: places };
  return sample.by === 'pages' && !isLastDrawn(plan, request) ? { blocked: [shortRange(places)] } : {};
}

export const shortRange = (places: Places): BlockedRange => ({
  ...places,
  reason: 'a page held fewer records than requested',
});

/** As many places as a page lacks records, named behind those that it holds; none of a full one. */
const missingOf = ({ position, limit }: PageRequest, held: number): Places | undefined =>
  held < limit ? { from: position + held + 1, to: position + limit } : undefined;

/** The last page of a list may be short. */
const isLastDrawn = ({ paging, sample }: ListPlan, { position }: PageRequest) =>
  sample !== undefined && position >= (sample.of - 1) * paging.size;
