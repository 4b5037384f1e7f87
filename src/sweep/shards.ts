import type { Shard, Target } from '../client/target.ts';

/** Checks that a run sweeps a list or a file of identifiers. */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/** Checks that a run is whole, or its first shard, which alone reports what every shard finds. */
export const isFirstShard = ({ shard }: Pick<Target, 'shard'>): boolean =>
  shard === undefined || shard.current === 1;

/** Returns a target with the files of `TRAFFIC` that belong to a shard; an empty text keeps the index of each other file. */
export const restrictToShard = (target: Target): Target => ({
  ...target,
  traffic: target.traffic?.map((source, index) => (isOwn(target.shard, index) ? source : '')),
});

/** Explains why a run cannot be divided into shards, in at most one sentence. */
export function findShardProblems(target: Target): string[] {
  const { shard, sweep, sweepSeed, traffic = [] } = target;
  if (!shard) return [];
  if (target.traffic && traffic.length < shard.total)
    return [
      `--shard divides the files of TRAFFIC, of which there are fewer than ${shard.total}: use fewer shards`,
    ];
  return typeof sweep === 'number' && sweepSeed === undefined
    ? [
        `SWEEP=${sweep} with --shard needs a seed, as SWEEP=${sweep}:42, the same for all shards: they must draw the same sample`,
      ]
    : [];
}

/** Checks that an index, from 0, belongs to a shard. Without shards, every index does. */
export const isOwn = (shard: Shard | undefined, index: number): boolean =>
  shard === undefined || index % shard.total === shard.current - 1;

/** Counts the indexes below `count` that belong to a shard. */
export const countOwn = (shard: Shard | undefined, count: number): number =>
  shard === undefined ? count : Math.floor((count + shard.total - shard.current) / shard.total);
