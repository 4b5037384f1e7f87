import { type Evidence, type Inference, likely, shortList, unknown } from '../../../probes/evidence.ts';
import { answersOf } from '../../../probes/inferences.ts';
import { listChange } from './list-change.ts';
import { countOf, isFromBeginning, limitOf, longestOf, plainList, population } from './lists.ts';

/** What was asked for from the beginning with a limit as any client may send it, or none. */
const ordinaryPages = ({ recorded }: Evidence) =>
  recorded.filter(
    (one) =>
      isFromBeginning(one) &&
      one.outcome.kind !== 'unreadable' &&
      /^\d{0,4}$/.test(one.parameters.get('limit') ?? ''),
  );

/** How long the longest page is, as far as the limits that were tried show it. */
export const greatestPageSize: Inference = (evidence) => {
  const asked = evidence.probe('longest-page');
  const longest = longestOf(answersOf({ recorded: ordinaryPages(evidence) }, 'listCustomers'));
  if (!asked) return unknown(evidence.notAskedReason);
  if (asked.outcome.kind === 'unreadable') return unknown(asked.outcome.label, asked);
  if (!longest || countOf(longest) === 0) return unknown('the list is empty', asked);
  const size = countOf(longest);
  if (isReached(evidence, size)) return listChange(evidence) ?? likely(String(size), longest, asked);
  return shortList(longest);
};

/** Whether a limit, and not the number of customers, sets how long the longest page is. */
function isReached(evidence: Evidence, size: number): boolean {
  const limits = ordinaryPages(evidence)
    .filter((page) => countOf(page) === size)
    .map(limitOf)
    .filter((limit) => limit >= size);
  if (population(evidence) > size) return true;
  // A list that is as long without a limit may end there.
  return countOf(plainList(evidence)) < size && limits.length > 0 && limits.every((limit) => limit === size);
}
