import type { Shard, Target } from '../client/target.ts';

/** Returns whether a run sweeps a list (`SWEEP`), or a file of identifiers (`CARD_IDS=@cards.txt`). */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/** Returns whether a run is the first shard, or has no shards. Only this run reports a finding that every shard makes. */
export const isFirstShard = ({ shard }: Pick<Target, 'shard'>): boolean =>
  shard === undefined || shard.current === 1;

/**
 * Divides `maxRps` by the number of shards. In `traffic`, replaces the path of each file of another shard by `''`, so that the
 * index of the other paths stays the same.
 */
export function restrictToShard(target: Target): Target {
  const { shard, maxRps, traffic: files } = target;
  if (!shard) return target;
  const fileOfOtherShard = '';
  const ownFiles = files?.map((file, index) => (belongsToShard(shard, index) ? file : fileOfOtherShard));
  return { ...target, maxRps: maxRps / shard.total, traffic: ownFiles };
}

export function findShardProblems(target: Target): string[] {
  const { shard, sweep, sweepSeed, traffic } = target;
  if (!shard) return [];
  if (traffic && traffic.length < shard.total)
    return [
      `--shard divides the files of TRAFFIC, of which there are fewer than ${shard.total}: use fewer shards`,
    ];
  if (typeof sweep === 'number' && sweepSeed === undefined)
    return [
      `SWEEP=${sweep} with --shard needs a seed, as SWEEP=${sweep}:42, the same for all shards: they must draw the same sample`,
    ];
  return [];
}

/** Returns whether the page, line or file with an index belongs to a shard. Of 3 shards, the first one has 0, 3, 6 and so on. */
export const belongsToShard = (shard: Shard | undefined, index: number): boolean =>
  shard === undefined || index % shard.total === shard.current - 1;

/** Counts how many of `count` pages, lines or files belong to a shard. Of 10, the first of 3 shards has 4. */
export const countShardItems = (shard: Shard | undefined, count: number): number =>
  shard === undefined ? count : Math.floor((count + shard.total - shard.current) / shard.total);
