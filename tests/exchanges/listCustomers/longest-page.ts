import { type Evidence, type Inference, likely, notReached, unknown } from '../../probes/evidence.ts';
import { answersOf } from '../../probes/inferences.ts';
import type { RecordedExchange } from '../../probes/recorded-exchange.ts';
import { listChange } from './list-change.ts';
import { countOf, isFromBeginning, limitOf, longestOf, population } from './lists.ts';

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
  const words = lengthInWords(evidence, countOf(longest));
  return words === notReached
    ? likely(notReached, longest)
    : (listChange(evidence) ?? likely(words, longest, asked));
};

/** A limit between two that were tried may be accepted, and so may one beyond all of them. */
function lengthInWords(evidence: Evidence, size: number): string {
  const pages = ordinaryPages(evidence);
  const limitsOf = (some: RecordedExchange[]) => some.map(limitOf).filter((limit) => limit >= size);
  const accepted = limitsOf(pages.filter((page) => countOf(page) === size));
  const isCut = accepted.some((limit) => limit > size);
  if (population(evidence) === size && (isCut || accepted.length === 0)) return notReached;
  const most = Math.min(...limitsOf(pages.filter((page) => countOf(page) < size))) - 1;
  if (isCut || most <= size) return String(size);
  return most < Infinity ? `between ${size} and ${most}` : `at least ${size}`;
}
