import type { Shard, Target } from '../client/target.ts';

/** Returns whether a run sweeps a list (`SWEEP`) or a file of identifiers (`CARD_IDS=@cards.txt`). */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/** Returns whether a run is the first shard, or has no shards. What all shards find alike, only the first one reports. */
export const isFirstShard = ({ shard }: Pick<Target, 'shard'>): boolean =>
  shard === undefined || shard.current === 1;

/**
 * Returns the settings for one shard: its equal share of `MAX_RPS`, and those files of `TRAFFIC` that belong to it. An empty text
 * replaces each file of another shard, so that every file keeps its number. Without shards, nothing changes.
 */
export const restrictToShard = (target: Target): Target => ({
  ...target,
  maxRps: target.maxRps / (target.shard?.total ?? 1),
  traffic: target.traffic?.map((source, index) => (isOwn(target.shard, index) ? source : '')),
});

/** Explains why a run cannot be divided into shards, as a list of one sentence; empty if it can be divided, or has no shards. */
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
 * Returns whether an item, such as a page or a line of a file, belongs to a shard. Items are dealt in turn: of 3 shards, the first
 * one has the indices 0, 3, 6. Without shards, every item belongs to the run.
 */
export const isOwn = (shard: Shard | undefined, index: number): boolean =>
  shard === undefined || index % shard.total === shard.current - 1;

/** Counts how many of `count` items, such as pages, belong to a shard (`isOwn`); all of them without shards. */
export const countShardItems = (shard: Shard | undefined, count: number): number =>
  shard === undefined ? count : Math.floor((count + shard.total - shard.current) / shard.total);
