import type { Shard, Target } from '../client/target.ts';

/** Returns whether a run has a sweep, either of a list (`SWEEP`) or of a file of identifiers (`CARD_IDS=@cards.txt`). */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/**
 * Returns whether a run is the first shard, or is not divided into shards. Findings that all shards have alike are reported only by
 * this run.
 */
export const isFirstShard = ({ shard }: Pick<Target, 'shard'>): boolean =>
  shard === undefined || shard.current === 1;

/**
 * Returns the settings of one shard: an equal share of `MAX_RPS`, and its own files of `TRAFFIC`. Replaces the files of other
 * shards by empty strings, so that each file keeps its number in reports, such as `2` for the second file.
 */
export const restrictToShard = (target: Target): Target => ({
  ...target,
  maxRps: target.maxRps / (target.shard?.total ?? 1),
  traffic: target.traffic?.map((source, index) => (belongsToShard(target.shard, index) ? source : '')),
});

/** Returns a sentence for each reason why a run cannot be divided into shards. Empty if it can be divided, or has no shards. */
export function findShardProblems(target: Target): string[] {
  const { shard, sweep, sweepSeed, traffic = [] } = target;
  if (!shard) return [];
  if (target.traffic && traffic.length < shard.total)
    return [
      `--shard divides the files of TRAFFIC, of which there are fewer than ${shard.total}: use fewer shards`,
    ];
  const isSample = typeof sweep === 'number';
  if (isSample && sweepSeed === undefined)
    return [
      `SWEEP=${sweep} with --shard needs a seed, as SWEEP=${sweep}:42, the same for all shards: they must draw the same sample`,
    ];
  return [];
}

/**
 * Returns whether the item with an index, such as a page of a list, belongs to a shard. Of 3 shards, the first one has the items 0,
 * 3, 6 and so on. Without shards, all items belong to the run.
 */
export const belongsToShard = (shard: Shard | undefined, index: number): boolean =>
  shard === undefined || index % shard.total === shard.current - 1;

/**
 * Counts how many of `count` items, such as pages of a list, belong to a shard: of 10 items, 4 belong to the first of 3 shards.
 * Without shards, all of them.
 */
export const countShardItems = (shard: Shard | undefined, count: number): number =>
  shard === undefined ? count : Math.floor((count + shard.total - shard.current) / shard.total);
