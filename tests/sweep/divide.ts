import type { Target } from '../client/target.ts';
import type { Exchanges } from '../exchanges/session.ts';
import { isOwn, type Part } from './paging.ts';

/** Whether the shards of a run divide what is asked, rather than each asking all of it. */
export const isDivided = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/**
 * What a part of a run asks: its share of identifiers, and of requests a second. What the contract leaves open is asked by the
 * first part. Identifiers of other parts are empty, so that each keeps its place.
 */
export function shareOfTarget(target: Target, part: Part): Target {
  const { identifiers, maxRps, probes, fuzzRequests } = target;
  const own = (values: readonly string[]) => values.map((value, index) => (isOwn(part, index) ? value : ''));
  const isFirst = part.current === 1;
  return {
    ...target,
    maxRps: maxRps / part.total,
    probes: probes && isFirst,
    fuzzRequests: isFirst ? fuzzRequests : 0,
    identifiers: Object.fromEntries(Object.entries(identifiers).map(([name, values]) => [name, own(values)])),
  };
}

/** Whether a part sends the ordinary requests of an operation: those of a list that is swept are for the first part. */
export const asksOrdinarily = (
  part: Part | undefined,
  { sweptList }: Pick<Exchanges, 'sweptList'>,
  { sweep }: Pick<Target, 'sweep'>,
): boolean => part === undefined || part.current === 1 || !sweptList || sweep === 'off';

/** What is wrong with dividing a run; at most one sentence. */
export const divisionProblems = ({ sweep, sweepSeed }: Target, part: Part | undefined): string[] =>
  part && typeof sweep === 'number' && sweepSeed === undefined
    ? [
        `SWEEP=${sweep} with --shard needs SWEEP_SEED, the same for all shards: they must draw the same sample`,
      ]
    : [];
