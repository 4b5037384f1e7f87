import type { Shard, Target } from '../client/target.ts';

/** Returns whether a run sweeps a list (`SWEEP`) or a file of identifiers (`CARD_IDS=@cards.txt`). */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/** Returns whether a run has no shards, or is the first shard, which alone reports what all shards find alike. */
export const isFirstShard = ({ shard }: Pick<Target, 'shard'>): boolean =>
  shard === undefined || shard.current === 1;

/**
 * Returns a target with the share of its shard in `MAX_RPS`, and with only those files of `TRAFFIC` that belong to the shard. An empty
 * text replaces each other file.
 */
export const restrictToShard = (target: Target): Target => ({
  ...target,
  maxRps: target.maxRps / (target.shard?.total ?? 1),
  traffic: target.traffic?.map((source, index) => (isOwn(target.shard, index) ? source : '')),
});

/** Explains why a run cannot be divided into shards; an empty list if it can. */
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

/** Returns whether the item at an index, from 0, belongs to a shard: items are dealt in turn. Without shards, each item does. */
export const isOwn = (shard: Shard | undefined, index: number): boolean =>
  shard === undefined || index % shard.total === shard.current - 1;

/** Counts how many of `count` items belong to a shard. */
export const countShardItems = (shard: Shard | undefined, count: number): number =>
  shard === undefined ? count : Math.floor((count + shard.total - shard.current) / shard.total);
