import type { Shard, Target } from '../client/target.ts';

/**
 * Returns whether the settings configure a sweep. `SWEEP=all` sweeps a list, and `CARD_IDS=@cards.txt` sweeps a file of
 * identifiers.
 */
export const hasSweep = ({ sweep, identifierFiles }: Pick<Target, 'sweep' | 'identifierFiles'>): boolean =>
  sweep !== 'off' || Object.keys(identifierFiles).length > 0;

/**
 * Restricts the settings of a run to its shard (`--shard`). Divides `maxRps` by the number of shards. Sets a path in `traffic` to
 * `''` if another shard reads the file. If the target has no shard, returns the target unchanged.
 */
export function restrictToShard(target: Target): Target {
  const { shard, maxRps, traffic: files } = target;
  if (!shard) return target;
  // A file of another shard is replaced by an empty path, so that each file keeps its index.
  const ownFiles = files?.map((file, index) => (belongsToShard(shard, index) ? file : ''));
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

/**
 * Returns whether a shard handles the item at `index`, from 0. Shard 1 of 3 handles the indices 0, 3, 6 and so on. Without shards,
 * returns true.
 */
export const belongsToShard = (shard: Shard | undefined, index: number): boolean =>
  shard === undefined || index % shard.total === shard.current - 1;

/** Counts the items that a shard handles. Of 10 items, shard 1 of 3 handles 4. Without shards, returns `count`. */
export const countShardItems = (shard: Shard | undefined, count: number): number =>
  shard === undefined ? count : Math.floor((count + shard.total - shard.current) / shard.total);
