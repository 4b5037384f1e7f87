import { certain, type Evidence, type InferredAnswer, unknown } from '../../../probes/evidence.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';
import { listChange } from './list-change.ts';
import { isSame, isSameSet, knownIdsOf } from './lists.ts';
import { orderStability } from './order.ts';

/**
 * An answer that says of pages that they do not fit together: only where they show the same when asked again. Another set of
 * customers is a list that has changed meanwhile; the same in another order has no order to rely on.
 */
export function unfitting(evidence: Evidence, answer: string, ...pages: RecordedExchange[]): InferredAnswer {
  if (orderStability(evidence).answer === 'no')
    return unknown('the order of the list is not stable', ...pages);
  const change = listChange(evidence);
  if (change) return change;
  for (const page of pages) {
    const again = evidence.again(page);
    if (!again) continue;
    if (!isSameSet(knownIdsOf(page), knownIdsOf(again)))
      return unknown('the list has changed while it was requested', page);
    if (!isSame(knownIdsOf(page), knownIdsOf(again)))
      return unknown('the order of the list is not stable', page);
  }
  return certain(answer, ...pages);
}
