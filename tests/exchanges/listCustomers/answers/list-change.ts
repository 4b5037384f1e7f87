import { type Evidence, type InferredAnswer, unknown } from '../../../probes/evidence.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';
import { isSame, isSameSet, knownIdsOf, longestPage, plainList } from './lists.ts';

/**
 * Lists that are requested again once all others were: the longest one, and the one without parameters where it does not
 * begin like that, so that a list that has changed in between is known.
 */
export function listsToWatch(evidence: Evidence): RecordedExchange[] {
  const [whole, plain] = [longestPage(evidence), plainList(evidence)];
  if (!whole) return [];
  return plain && !beginsAlike(plain, whole) ? [whole, plain] : [whole];
}

function beginsAlike(one: RecordedExchange, other: RecordedExchange): boolean {
  const [shorter = [], longer = []] = [knownIdsOf(one), knownIdsOf(other)].toSorted(
    (a, b) => a.length - b.length,
  );
  return isSame(shorter, longer.slice(0, shorter.length));
}

/** Why lists of this run say nothing when they are compared, if one has changed meanwhile. */
export function listChange(evidence: Evidence): InferredAnswer | undefined {
  for (const list of listsToWatch(evidence)) {
    const again = evidence.again(list);
    if (!again || isSame(knownIdsOf(list), knownIdsOf(again))) continue;
    return isSameSet(knownIdsOf(list), knownIdsOf(again))
      ? unknown('the order of the list is not stable', list)
      : unknown('the list has changed while it was requested', list);
  }
  return undefined;
}
