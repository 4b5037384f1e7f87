import type { Target } from '../configuration/target.ts';
import type { Part } from './paging/paging.ts';

/** Whether a run sweeps. Then its shards divide what is asked, rather than each asking all of it. */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/** What a part of a run asks, if shards divide it: its share of requests a second. What the contract leaves open is asked by the first part. */
export function shareOfTarget(target: Target, part: Part | undefined): Target {
  if (!part || !hasSweep(target)) return target;
  const { maxRps, probes, fuzzRequests } = target;
  const isFirst = part.current === 1;
  return {
    ...target,
    maxRps: maxRps / part.total,
    probes: probes && isFirst,
    fuzzRequests: isFirst ? fuzzRequests : 0,
  };
}

/** Whether a part sends the ordinary requests: the first one sends all, so that what they show together is seen by one. */
export const sendsOrdinaryRequests = (part: Part | undefined, target: Target): boolean =>
  part === undefined || part.current === 1 || !hasSweep(target);

/** What is wrong with dividing a run; at most one sentence. */
export const divisionProblems = ({ sweep, sweepSeed }: Target, part: Part | undefined): string[] =>
  part && typeof sweep === 'number' && sweepSeed === undefined
    ? [
        `SWEEP=${sweep} with --shard needs SWEEP_SEED, the same for all shards: they must draw the same sample`,
      ]
    : [];
