import { type BlockedRange, isStill, type SweepResult } from './result.ts';

/** A sweep that has not judged a larger share of the places of a list, and more than a few, was not shown all of it. */
const maxMissed = { share: 0.1, places: 2 };

/** What was seen of a list that was followed to its end. */
interface FollowedList extends Pick<SweepResult, 'judged' | 'blocked' | 'moved' | 'withoutOverlap'> {
  /** Records with an earlier place on the same page. */
  twice: number;
  /** The last place at which a page has shown a record. */
  last: number;
  /** How many places the list is known to have had. */
  places: number;
  /** How many of them should have been judged: records that are added while one run reads the list hide no others from it. */
  expected: number;
}

/**
 * What that says of the whole list: how many records it has, where that is certain, and what of it was not judged. A list that
 * ends before a place at which it has shown a record has become shorter.
 * @param reason why too few records were judged, where they were
 */
export function wholeOf(
  list: FollowedList,
  reason: string,
): Pick<SweepResult, 'blocked' | 'moved' | 'population'> {
  const isShorter = list.blocked.length === 0 && list.last < list.places;
  const moved = isShorter && isStill(list.moved) ? { repeated: 0, gaps: 1 } : list.moved;
  const blocked = [...unseenIn(list, reason), ...list.blocked];
  const isCertain = blocked.length === 0 && isStill(moved) && !list.withoutOverlap;
  return { blocked, moved, ...(isCertain ? { population: list.judged } : {}) };
}

/** As many places as were not judged, and are in no range; none where these are few. A record that a page shows twice has two. */
function unseenIn({ judged, twice, blocked, expected }: FollowedList, reason: string): BlockedRange[] {
  const known = blocked.reduce((sum, { from, to = expected }) => sum + to - from + 1, judged + twice);
  const isFew = expected - known <= Math.max(maxMissed.places, maxMissed.share * expected);
  return isFew ? [] : [{ from: known + 1, to: expected, reason }];
}
