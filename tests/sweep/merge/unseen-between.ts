import { type BlockedRange, isStill, type SweepResult } from '../results/result.ts';

/** Shards that have judged a smaller share of the places of a list were not shown the same list. */
const minShare = 0.9;

/**
 * What all shards together were not shown of a list that moved between them, though they have followed it to its end: a sweep
 * without shards is shown what moves once more. Nothing of a sample, of a list that stands still, or where they have judged nearly as
 * many as the list has places.
 */
export function unseenBetween({
  judged,
  blocked,
  moved,
  places = 0,
  mode,
}: Pick<SweepResult, 'mode' | 'judged' | 'blocked' | 'moved' | 'places'>): BlockedRange[] {
  const known = blocked.reduce((sum, { from, to = places }) => sum + to - from + 1, judged);
  return mode === 'sample' || isStill(moved) || known >= minShare * places
    ? []
    : [{ from: known + 1, to: places, reason }];
}

const reason =
  'the list moved between the shards, so that they were shown the same records: run all shards at the same time, or the sweep without --shard';
