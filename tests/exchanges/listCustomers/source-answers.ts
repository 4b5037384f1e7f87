import { certain, type Evidence, type Inference, likely, unknown } from '../../probes/evidence.ts';
import { describeNonSuccess, probed } from '../../probes/inferences.ts';
import type { RecordedExchange } from '../../probes/recorded-exchange.ts';
import { listChange } from './list-change.ts';
import { countOf, idsOf, isSameSet, knownIdsOf, pagesOf, plainList, population } from './lists.ts';

/** Whether two lists show the same customers, in any order. */
const hasSame = (one: string[], other: string[]) => one.length === other.length && isSameSet(one, other);

type Pages = { omitted: RecordedExchange; user: RecordedExchange; store: RecordedExchange };

/** The same page of the list without a source, and with each: the longest ones, if they can be had. */
function comparedPages({ asked }: Evidence): Pages | undefined {
  const list = (query: string) => asked('listCustomers', query);
  const source = (limit: string, type: string) => list(`${limit}linked_source_type=${type}`);
  for (const limit of ['limit=1000', '']) {
    const [user, store] = ['User', 'Store'].map((type) => source(limit && `${limit}&`, type));
    const omitted = list(limit);
    if (!omitted || !user || !store) continue;
    if (limit === '' || [omitted, user, store].every((one) => one.outcome.kind === 'answered'))
      return { omitted, user, store };
  }
  return undefined;
}

const omittedSource: Inference = (evidence) => {
  const pages = comparedPages(evidence);
  if (!pages) return unknown(evidence.notAskedReason);
  const { omitted, user, store } = pages;
  const without = describeNonSuccess(omitted);
  if (without) return without;
  const [all, users, stores] = [idsOf(omitted), idsOf(user), idsOf(store)];
  const recorded = [omitted, user, store];
  if (all.length === 0 || hasSame(users, stores)) return unknown('both sources list the same', ...recorded);
  for (const [source, own, others] of [
    ['User', users, stores],
    ['Store', stores, users],
  ] as const)
    if (hasSame(all, own) && !showsAny(evidence, others, all))
      return likely(`those of ${source}`, ...recorded);
  const isOfBoth = !isWithin(all, users) && !isWithin(all, stores) && isWithin(all, [...users, ...stores]);
  // A page of one source that is as long as the whole one may have been cut.
  const mayBeCut = [users, stores].some(({ length }) => length >= all.length);
  if (!isOfBoth && mayBeCut) return unknown('the longest pages may not hold all customers', ...recorded);
  return listChange(evidence) ?? likely(isOfBoth ? 'those of both' : 'others', ...recorded);
};

/**
 * Whether a page without a source shows any of some customers, beside those that are known to be there: the first page of a list may
 * hold one source alone, and a later one the other.
 */
function showsAny(evidence: Evidence, ids: string[], known: string[]): boolean {
  const shown = new Set(pagesOf(evidence).flatMap(knownIdsOf));
  for (const id of known) shown.delete(id);
  return ids.some((id) => shown.has(id));
}

function isWithin(ids: string[], others: string[]): boolean {
  const known = new Set(others);
  return ids.every((id) => known.has(id));
}

/** How a page with an odd parameter compares to the one without it. */
const compared = (id: string) =>
  probed(id, (recorded, evidence) => {
    const [ids, plain] = [idsOf(recorded), plainList(evidence)];
    if (plain?.outcome.kind !== 'answered' || countOf(plain) === 0)
      return unknown('there is no list to compare it with', recorded);
    if (ids.length === 0) return certain('an empty list', recorded);
    if (!hasSame(ids, idsOf(plain))) return listChange(evidence) ?? certain('other customers', recorded);
    // Of a list that is no longer than a page, a page without bounds is the same.
    const isLonger = population(evidence) > countOf(plain);
    return (isLonger ? certain : likely)('as if it were not there', recorded, plain);
  });

const letterCase = probed('source-letter-case', (recorded, evidence) => {
  const [documented, plain] = [
    evidence.asked('listCustomers', 'linked_source_type=Store'),
    plainList(evidence),
  ];
  const [ids, isAlike] = [idsOf(recorded), (list: string[]) => hasSame(idsOf(recorded), list)];
  if (!documented || ids.length === 0 || !isAlike(idsOf(documented)))
    return compared('source-letter-case')(evidence);
  return isAlike(idsOf(plain))
    ? unknown('the list is the same with `Store` and without a source', recorded, documented)
    : certain('as if written as documented', recorded, documented);
});

const odd =
  'unknown-parameter long-request unknown-source empty-source limit-zero limit-negative limit-not-numeric ' +
  'offset-negative offset-not-numeric';

/** How the questions about sources and odd parameters are answered. */
export const sourceAnswers: Record<string, Inference> = {
  'omitted-source': omittedSource,
  'source-letter-case': letterCase,
  ...Object.fromEntries(odd.split(' ').map((id) => [id, compared(id)])),
};
