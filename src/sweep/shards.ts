import type { Shard, Target } from '../client/target.ts';

/** Returns whether a run sweeps a list (`SWEEP`) or a file of identifiers (`CARD_IDS=@cards.txt`). */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/** Returns whether a run is the first shard, or has no shards. Only the first shard reports what all shards find alike. */
export const isFirstShard = ({ shard }: Pick<Target, 'shard'>): boolean =>
  shard === undefined || shard.current === 1;

/**
 * Returns the settings of one shard: its share of `MAX_RPS`, and its files of `TRAFFIC`. Files of other shards become empty
 * strings, so that the numbers of the files do not change.
 */
export const restrictToShard = (target: Target): Target => ({
  ...target,
  maxRps: target.maxRps / (target.shard?.total ?? 1),
  traffic: target.traffic?.map((source, index) => (belongsToShard(target.shard, index) ? source : '')),
});

/** Explains why a run cannot be divided into shards; empty if it can, or if it has no shards. */
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

/**
 * Returns whether an item, such as a page, belongs to a shard. Items are dealt in turn: of 3 shards, the first one has the indices
 * 0, 3, 6. Without shards, every item belongs to the run.
 */
export const belongsToShard = (shard: Shard | undefined, index: number): boolean =>
  shard === undefined || index % shard.total === shard.current - 1;

export const countShardItems = (shard: Shard | undefined, count: number): number =>
  shard === undefined ? count : Math.floor((count + shard.total - shard.current) / shard.total);
