import { certain, type Evidence, type InferredAnswer, unknown } from '../../probes/evidence.ts';
import { answersOf } from '../../probes/outcome.ts';
import type { RecordedExchange } from '../../probes/recorded-exchange.ts';
import { idsOf, orderStability } from './page-answers.ts';

/** The longest page from the beginning, not narrowed to a source. */
export function longest(evidence: Evidence): RecordedExchange | undefined {
  const pages = answersOf(evidence, 'listCustomers').filter(
    ({ parameters }) =>
      !parameters.has('linked_source_type') && !parameters.has('offset') && isDocumented(parameters),
  );
  return pages.toSorted((one, other) => idsOf(other).length - idsOf(one).length)[0];
}

const isDocumented = (parameters: URLSearchParams) =>
  [...parameters.keys()].every((name) => ['limit', 'linked_source_type', 'offset'].includes(name)) &&
  parameters.getAll('limit').length < 2;

export const sizeOf = (ids: string[]) => new Set(ids).size;
export const isSameSet = (one: string[], other: string[]) =>
  sizeOf(one) === sizeOf(other) && sizeOf([...one, ...other]) === sizeOf(one);
export const isSame = (one: string[], other: string[]) => one.join() === other.join();

/**
 * An answer that says of pages that they do not fit together: only where they show the same when asked again. Another set of
 * customers is a list that has changed meanwhile; the same in another order has no order to rely on.
 */
export function unfitting(evidence: Evidence, answer: string, ...pages: RecordedExchange[]): InferredAnswer {
  if (orderStability(evidence).answer === 'no')
    return unknown('the order of the list is not stable', ...pages);
  for (const page of pages) {
    const again = evidence.again(page);
    if (!again) continue;
    if (!isSameSet(idsOf(page), idsOf(again)))
      return unknown('the list has changed while it was asked for', page);
    if (!isSame(idsOf(page), idsOf(again))) return unknown('the order of the list is not stable', page);
  }
  return certain(answer, ...pages);
}
