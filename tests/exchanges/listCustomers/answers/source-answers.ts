import {
  certain,
  type Evidence,
  either,
  type Inference,
  type InferredAnswer,
  likely,
  unknown,
} from '../../../probes/evidence.ts';
import { describeNonSuccess, probed } from '../../../probes/inferences.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';
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
  if (all.length === 0) return unknown('the list without a source is empty', ...recorded);
  if (hasSame(users, stores)) return unknown('both sources list the same', ...recorded);
  for (const [source, own, others] of [
    ['User', users, stores],
    ['Store', stores, users],
  ] as const)
    if (hasSame(all, own) && !showsAny(evidence, others, all))
      return isWithin(others, all)
        ? either(`those of ${source}`, 'those of both', ...recorded)
        : likely(`those of ${source}`, ...recorded);
  return ofSeveral(evidence, recorded, [all, users, stores]);
};

/** What a list is that shows more than one source. */
function ofSeveral(
  evidence: Evidence,
  recorded: RecordedExchange[],
  [all, users, stores]: [string[], string[], string[]],
): InferredAnswer {
  const isOfBoth = !isWithin(all, users) && !isWithin(all, stores) && isWithin(all, [...users, ...stores]);
  // A page of one source that is as long as the whole one may have been cut.
  const mayBeCut = [users, stores].some(({ length }) => length >= all.length);
  if (!isOfBoth && mayBeCut) return unknown('the longest pages may not hold all customers', ...recorded);
  const change = listChange(evidence);
  if (change || isOfBoth) return change ?? likely('those of both', ...recorded);
  // A customer of neither source may be listed with those of both.
  return [users, stores].every((own) => own.length === 0 || !isApart(own, all))
    ? either('those of both', 'others', ...recorded)
    : likely('others', ...recorded);
}

/**
 * Whether a page without a source shows any of some customers, beside those that are known to be there: the first page of a list may
 * hold one source alone, and a later one the other.
 */
function showsAny(evidence: Evidence, ids: string[], known: string[]): boolean {
  const shown = new Set(pagesOf(evidence).flatMap(knownIdsOf));
  for (const id of known) shown.delete(id);
  return ids.some((id) => shown.has(id));
}

function isApart(ids: string[], others: string[]): boolean {
  const known = new Set(others);
  return !ids.some((id) => known.has(id));
}

function isWithin(ids: string[], others: string[]): boolean {
  const known = new Set(others);
  return ids.every((id) => known.has(id));
}

const others = 'other customers';
const ignored = 'as if it were not there';

/** How a page with an odd parameter compares to the one without it. */
const compared = (id: string) =>
  probed(id, (recorded, evidence) => {
    const [ids, plain] = [idsOf(recorded), plainList(evidence)];
    if (plain?.outcome.kind !== 'answered' || countOf(plain) === 0)
      return unknown('there is no list to compare it with', recorded);
    const isEmpty = ids.length === 0;
    if (!isEmpty && !hasSame(ids, idsOf(plain))) return listChange(evidence) ?? certain(others, recorded);
    const answer = isEmpty ? 'an empty list' : ignored;
    if (mayHideOthers(id, evidence, plain, isEmpty)) return either(answer, others, recorded, plain);
    const isLonger = population(evidence) > countOf(plain);
    return (isEmpty || isLonger ? certain : likely)(answer, recorded, plain);
  });

/** Whether the records are too few, or too much alike, to show that other customers are listed. */
function mayHideOthers(id: string, evidence: Evidence, plain: RecordedExchange, isEmpty: boolean): boolean {
  const isShort = countOf(plain) < 2;
  if (id.startsWith('offset-')) return isShort;
  // Of a list that is no longer than a page, a page without bounds is the same.
  if (id.startsWith('limit-')) return isEmpty ? isShort : population(evidence) === countOf(plain);
  return id.includes('source') && !showsBothSources(evidence, plain, isEmpty);
}

function showsBothSources({ asked }: Evidence, plain: RecordedExchange, isEmpty: boolean): boolean {
  const lists = ['User', 'Store'].map((source) =>
    knownIdsOf(asked('listCustomers', `linked_source_type=${source}`)),
  );
  return isEmpty
    ? lists.every(({ length }) => length > 0)
    : lists.every((list) => !isWithin(knownIdsOf(plain), list));
}

const asDocumented = 'as if written as documented';

const letterCase = probed('source-letter-case', (recorded, evidence) => {
  const [documented, plain] = [
    evidence.asked('listCustomers', 'linked_source_type=Store'),
    plainList(evidence),
  ];
  const [ids, isAlike] = [idsOf(recorded), (list: string[]) => hasSame(idsOf(recorded), list)];
  if (documented && countOf(plain) > 0 && ids.length + countOf(documented) === 0)
    return either(asDocumented, 'an empty list', recorded, documented);
  if (!documented || ids.length === 0 || !isAlike(idsOf(documented)))
    return compared('source-letter-case')(evidence);
  return isAlike(idsOf(plain))
    ? unknown('the list is the same with `Store` and without a source', recorded, documented)
    : certain(asDocumented, recorded, documented);
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
