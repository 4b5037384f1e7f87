import type { Shard, Target } from '../client/target.ts';

/** Whether a run sweeps. */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/** Whether a run is whole, or the first of its shards, which reports what all of them find alike. */
export const isFirstShard = ({ shard }: Pick<Target, 'shard'>): boolean =>
  shard === undefined || shard.current === 1;

/** Returns a target with the share of a shard of the files of recorded traffic, which keep their numbers. */
export const targetForShard = (target: Target): Target => ({
  ...target,
  traffic: target.traffic?.map((source, index) => (isOwn(target.shard, index) ? source : '')),
});

/** Why a run cannot be divided; at most one sentence. */
export function shardProblems(target: Target): string[] {
  const { shard, sweep, sweepSeed, traffic = [] } = target;
  if (!shard) return [];
  if (target.traffic && traffic.length < shard.total)
    return [
      `--shard divides the files of TRAFFIC, and there is none for each of ${shard.total} shards: use fewer shards`,
    ];
  return typeof sweep === 'number' && sweepSeed === undefined
    ? [
        `SWEEP=${sweep} with --shard needs a seed, as SWEEP=${sweep}:42, the same for all shards: they must draw the same sample`,
      ]
    : [];
}

/** Whether a number, from 0, belongs to the share of a shard: everything does where nothing is divided. */
export const isOwn = (shard: Shard | undefined, number: number): boolean =>
  shard === undefined || number % shard.total === shard.current - 1;

/** How many numbers below one belong to the share of a shard. */
export const countOwn = (shard: Shard | undefined, count: number): number =>
  shard === undefined ? count : Math.floor((count + shard.total - shard.current) / shard.total);
