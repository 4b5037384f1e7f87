import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import {
  answerNonSuccess,
  createCertainAnswer,
  createLikelyAnswer,
  createUnknownAnswer,
  type Evidence,
  type Inference,
  type InferredAnswer,
  inferFromProbe,
  isSuccess,
  unreadableReason,
} from './evidence.ts';

/** Returns a hash of each customer in a response, in order; empty if the response holds no customer list. */
export const listIdentities = (observation: Observation | undefined) =>
  observation?.content?.lists.customers ?? [];
export const countCustomers = (observation: Observation | undefined) => listIdentities(observation).length;
const findPlainList = ({ findResponse }: Evidence) => findResponse('listCustomers');

const listUnfilteredPages = ({ responses }: Evidence) =>
  responses.filter(
    (observation) =>
      isSuccess(observation) &&
      observation.operation === 'listCustomers' &&
      !Object.hasOwn(observation.parameters, 'linked_source_type'),
  );

const firstPageRequest = /^[^?]+(\?limit=\d{1,4})?$/;

/** Selects the pages that begin with the first customer: requested without parameters, or only with `limit`. */
const listFirstPages = (evidence: Evidence) =>
  listUnfilteredPages(evidence).filter(({ exchange }) => firstPageRequest.test(exchange));

const findLongestPage = (pages: Observation[]): Observation | undefined =>
  pages.toSorted((a, b) => countCustomers(b) - countCustomers(a))[0];

/**
 * Returns how many customers the list has at least: the number of different customers on all pages, or the length of the longest
 * page if that is more, because a page may list a customer twice.
 */
function countPopulation(evidence: Evidence): number {
  const pages = listUnfilteredPages(evidence);
  return Math.max(new Set(pages.flatMap(listIdentities)).size, countCustomers(findLongestPage(pages)));
}

const areEqual = (a: string[], b: string[]) => a.join() === b.join();
const isSubsetOf = (ids: string[], otherIds: string[]) =>
  new Set([...otherIds, ...ids]).size === new Set(otherIds).size;
const haveSameCustomers = (a: string[], b: string[]) => isSubsetOf(a, b) && isSubsetOf(b, a);

/**
 * Finds the pages that are requested again to see whether the list has changed: the one without parameters, and the longest of those
 * without `offset`.
 */
const findReferenceLists = (evidence: Evidence): Observation[] => {
  const lists = [findPlainList(evidence), findLongestPage(listFirstPages(evidence))];
  return [...new Set(lists)].filter(isSuccess);
};

/**
 * Lists the requests to repeat after all probes, such as `listCustomers?limit=1000`, to see whether the customer list has changed.
 */
export const listRepeatedRequests = (evidence: Evidence): string[] =>
  findReferenceLists(evidence).map(({ operation, exchange }) => operation + exchange.replace(/^[^?]+/, ''));

/** Returns the answer, or `unknown` if a repeated request shows that the customer list changed during the run. */
export function unknownIfListChanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const list of findReferenceLists(evidence)) {
    const [before, after] = [listIdentities(list), listIdentities(evidence.findRepeated(list) ?? list)];
    if (!areEqual(before, after))
      return createUnknownAnswer('the list has changed while it was requested', list);
  }
  return answer;
}

const answerForShortList = (observation: Observation): InferredAnswer => ({
  ...createCertainAnswer('not reached by this list', observation),
  confidence: 'unknown',
});

/**
 * Answers how many customers a page without `limit` has (contract section 4.2), such as `100`. `unknown` if that page may hold the
 * whole list.
 */
const inferDefaultPageSize: Inference = (evidence) => {
  const page = findPlainList(evidence);
  if (!page) return createUnknownAnswer(evidence.notSentReason);
  const size = countCustomers(page);
  if (size === 0) return answerNonSuccess(page, evidence) ?? createUnknownAnswer('the list is empty', page);
  return countPopulation(evidence) > size
    ? unknownIfListChanged(evidence, createCertainAnswer(`${size}`, page))
    : answerForShortList(page);
};

/**
 * Answers how many customers the longest possible page has (contract section 4.2), such as `500`. `unknown` if the longest page may
 * hold the whole list.
 */
const inferGreatestPageSize: Inference = (evidence, { id }) => {
  const [probe, pages] = [evidence.findProbe(id), listFirstPages(evidence)];
  const longest = findLongestPage(pages);
  if (!probe) return createUnknownAnswer(evidence.notSentReason);
  if (!probe.content || !longest)
    return createUnknownAnswer(probe.content?.error?.label ?? unreadableReason, probe);
  const size = countCustomers(longest);
  if (size === 0) return createUnknownAnswer('the list is empty', probe);
  const limits = pages
    .filter((page) => countCustomers(page) === size)
    .map(({ parameters: { limit = '0' } }) => Number(limit));
  // A page that is as long without a limit, or with a greater limit, may end because the list ends.
  const isCutByLimit =
    countCustomers(findPlainList(evidence)) < size && limits.every((limit) => limit <= size);
  return isCutByLimit || countPopulation(evidence) > size
    ? unknownIfListChanged(evidence, createLikelyAnswer(`${size}`, longest, probe))
    : answerForShortList(longest);
};

const inferLimitHonoured = inferFromProbe((observation, evidence) => {
  const [pages, plain] = [listFirstPages(evidence), findPlainList(evidence)];
  if (countPopulation(evidence) < 2)
    return createUnknownAnswer('there are too few customers to infer this from', observation);
  if (countCustomers(observation) === 1) return createCertainAnswer('yes', observation);
  const pageWithOtherLength = pages.find((page) => countCustomers(page) !== countCustomers(plain));
  return pageWithOtherLength
    ? createUnknownAnswer(
        'a limit of 1 is not applied, though another one is',
        observation,
        pageWithOtherLength,
      )
    : createCertainAnswer('no', observation);
});

const inferRepeatedParameter = inferFromProbe((observation, evidence) => {
  if (countPopulation(evidence) < 3)
    return createUnknownAnswer('there are too few customers to infer this from', observation);
  // The limits are 1 and 2, so the length of the page is the limit that was applied.
  const answersByLength = new Map([
    [1, 'the first'],
    [2, 'the last'],
  ]);
  return createCertainAnswer(answersByLength.get(countCustomers(observation)) ?? 'neither', observation);
});

/**
 * Answers whether `offset` counts customers (`records`) or `pages` (contract section 4.2), by the pages at offset 0 and 1;
 * `nothing` if it has no effect.
 */
const inferOffsetUnit: Inference = (evidence) => {
  const [page, pageAtOffset1] = [findPlainList(evidence), evidence.findResponse('listCustomers?offset=1')];
  if (!page || !pageAtOffset1) return createUnknownAnswer(evidence.notSentReason);
  if (countCustomers(page) < 2)
    return (
      answerNonSuccess(page, evidence) ?? createUnknownAnswer('a page holds less than two customers', page)
    );
  const rejection = answerNonSuccess(pageAtOffset1, evidence);
  if (rejection && countPopulation(evidence) === countCustomers(page))
    return createUnknownAnswer('a second page need not exist', page, pageAtOffset1);
  return rejection ?? unknownIfListChanged(evidence, inferUnit(evidence, page, pageAtOffset1));
};

/**
 * Infers the unit of `offset` from the successful pages at offset 0 and 1. Answers `nothing` if both pages, and one far beyond the
 * end of the list, begin with the same customer.
 */
function inferUnit(evidence: Evidence, page: Observation, pageAtOffset1: Observation): InferredAnswer {
  const [ids, idsAtOffset1] = [listIdentities(page), listIdentities(pageAtOffset1)];
  const [firstAtOffset1] = idsAtOffset1;
  // The page at offset 1 is empty if one page holds all customers and `offset` counts pages.
  if (firstAtOffset1 === undefined) return createLikelyAnswer('pages', page, pageAtOffset1);
  const unit = detectOffsetUnit(ids, idsAtOffset1);
  if (unit && inferOrder(evidence).answer !== 'no') return createCertainAnswer(unit, page, pageAtOffset1);
  if (firstAtOffset1 !== ids[0])
    return createUnknownAnswer('the order of the list has changed', page, pageAtOffset1);
  const pageBeyondEnd = evidence.findProbe('beyond-the-end');
  return isSuccess(pageBeyondEnd) && listIdentities(pageBeyondEnd)[0] === firstAtOffset1
    ? createCertainAnswer('nothing', page, pageAtOffset1, pageBeyondEnd)
    : createUnknownAnswer(
        '`offset` has no effect between 0 and 1, and may have one beyond',
        page,
        pageAtOffset1,
      );
}

const inferPageContents = inferFromProbe((observation, evidence) => {
  if (countPopulation(evidence) === 0) return createUnknownAnswer('the list is empty', observation);
  if (observation.content?.lists.customers === undefined) return createCertainAnswer('no list', observation);
  return createCertainAnswer(countCustomers(observation) === 0 ? 'an empty list' : 'customers', observation);
});

/** Returns whether the identities that occur in both lists stand in the same order in both. */
export const hasSameOrder = (ids: string[], otherIds: string[]): boolean =>
  areEqual(listCommon(ids, otherIds), listCommon(otherIds, ids));

/** Returns the identities that occur in both lists, once each, in the order of the first list. */
function listCommon(ids: string[], otherIds: string[]): string[] {
  const otherSet = new Set(otherIds);
  return [...new Set(ids)].filter((id) => otherSet.has(id));
}

/**
 * Answers whether the order of the customer list is stable: `yes, within a run` if all pages list their customers in the order of
 * the longest page, else `no`. `unknown` if no page can be compared, or if the list itself changed.
 */
function inferOrder(evidence: Evidence): InferredAnswer {
  const longest = findLongestPage(listFirstPages(evidence));
  const ids = listIdentities(longest);
  const overlapping = listUnfilteredPages(evidence).filter(
    (page) => page !== longest && listCommon(listIdentities(page), ids).length > 1,
  );
  if (!longest || overlapping.length === 0)
    return createUnknownAnswer('no two pages have customers in common');
  const reordered = overlapping.filter((page) => !hasSameOrder(listIdentities(page), ids));
  if (reordered.length === 0)
    return createLikelyAnswer('yes, within a run', longest, ...overlapping.slice(0, 3));
  // A page in the order of the repeated longest page proves only that the list has changed.
  const repeated = evidence.findRepeated(longest);
  const proof =
    repeated && reordered.find((page) => !hasSameOrder(listIdentities(page), listIdentities(repeated)));
  return proof
    ? createCertainAnswer('no', longest, proof)
    : createUnknownAnswer('a customer has changed places while the list was requested', longest);
}

/**
 * Answers which headers or fields of a page may tell how many customers there are, such as `header x-total-count`; `no` if there is
 * none.
 */
const inferTotalAnnounced: Inference = (evidence) => {
  const [pages, population] = [listUnfilteredPages(evidence), countPopulation(evidence)];
  // If every page holds the whole list, a header such as `link` for the next page may be left out.
  if (pages.every((page) => countCustomers(page) === population))
    return createUnknownAnswer('no page leaves customers out');
  const names = new Set(pages.flatMap(({ content }) => content?.announcements ?? []));
  return createLikelyAnswer([...names].sort().join(', ') || 'no', ...pages.slice(0, 1));
};

const noComparison = 'there is no list to compare it with';

const inferTrailingSlash = inferFromProbe((observation, evidence) => {
  const plain = findPlainList(evidence);
  if (countCustomers(plain) === 0) return createUnknownAnswer(noComparison, observation);
  if (areEqual(listIdentities(plain), listIdentities(observation)))
    return createCertainAnswer('the same', observation);
  return unknownIfListChanged(evidence, createCertainAnswer('an answer of its own', observation));
});

/**
 * Queries for the customer lists to compare: all, `User` and `Store`. The first row holds more customers; the second row is sent
 * even without probes.
 */
const sourceQueries = [
  ['?limit=1000', '?limit=1000&linked_source_type=User', '?limit=1000&linked_source_type=Store'],
  ['', '?linked_source_type=User', '?linked_source_type=Store'],
];

function findSourcePages(evidence: Evidence): Observation[] {
  const pageTriples = sourceQueries.map((queries) =>
    queries.flatMap((query) => evidence.findResponse(`listCustomers${query}`) ?? []),
  );
  const [, pagesWithoutLimit = []] = pageTriples;
  const areComparable = (pages: Observation[]) => pages.length === 3 && pages.every(isSuccess);
  return pageTriples.find(areComparable) ?? pagesWithoutLimit;
}

/**
 * Answers which customers a list without `linked_source_type` holds (contract section 4.2): `those of User`, `those of Store`, or
 * `those of both`. `unknown` if the pages do not tell, for example because they may not hold all customers.
 */
const inferOmittedSource: Inference = (evidence) => {
  const pages = findSourcePages(evidence);
  const [pageWithoutSource] = pages;
  if (!pageWithoutSource || pages.length < 3) return createUnknownAnswer(evidence.notSentReason);
  const [all = [], users = [], stores = []] = pages.map(listIdentities);
  if (all.length === 0)
    return (
      answerNonSuccess(pageWithoutSource, evidence) ??
      createUnknownAnswer('the list without a source is empty', pageWithoutSource)
    );
  if (haveSameCustomers(users, stores)) return createUnknownAnswer('both sources list the same', ...pages);
  const idsOnOtherPages = listUnfilteredPages(evidence)
    .flatMap(listIdentities)
    .filter((id) => !all.includes(id));
  // The first page may hold one source alone, and a later one the other; a customer may be of both.
  const onlySource = [
    { answer: 'those of User', ids: users, otherIds: stores },
    { answer: 'those of Store', ids: stores, otherIds: users },
  ].find(
    ({ ids, otherIds }) =>
      haveSameCustomers(all, ids) && !otherIds.some((id) => idsOnOtherPages.includes(id)),
  );
  if (onlySource)
    return onlySource.otherIds.length > 0
      ? createLikelyAnswer(onlySource.answer, ...pages)
      : createUnknownAnswer('one source has no customers', ...pages);
  const isOfBoth =
    !isSubsetOf(all, users) && !isSubsetOf(all, stores) && isSubsetOf(all, [...users, ...stores]);
  return isOfBoth
    ? unknownIfListChanged(evidence, createLikelyAnswer('those of both', ...pages))
    : createUnknownAnswer('these pages may not hold all customers', ...pages);
};

/**
 * Answers what a parameter such as `limit=-1` changes, by comparison with the customer list without parameters: `as if it were not
 * there`, `an empty list` or `other customers`.
 */
export function compareList(observation: Observation, evidence: Evidence): InferredAnswer {
  const [ids, plain] = [listIdentities(observation), findPlainList(evidence)];
  if (!isSuccess(plain) || countCustomers(plain) === 0) return createUnknownAnswer(noComparison, observation);
  if (ids.length === 0) return createCertainAnswer('an empty list', observation, plain);
  if (!haveSameCustomers(ids, listIdentities(plain)))
    return unknownIfListChanged(evidence, createCertainAnswer('other customers', observation));
  const isLonger = countPopulation(evidence) > countCustomers(plain);
  // A list that fits on one page is the same with any limit.
  if (Object.hasOwn(observation.parameters, 'limit') && !isLonger)
    return createUnknownAnswer('the list is no longer than a page', observation);
  const createAnswer = isLonger ? createCertainAnswer : createLikelyAnswer;
  return createAnswer('as if it were not there', observation, plain);
}

/**
 * Answers whether the target takes `linked_source_type=store` for the documented `Store`: `as if written as documented`, or else
 * what `compareList` answers.
 */
const inferLetterCase = inferFromProbe((observation, evidence) => {
  const [documented, plain] = [
    evidence.findResponse('listCustomers?linked_source_type=Store'),
    findPlainList(evidence),
  ];
  if (countCustomers(documented) === 0)
    return createUnknownAnswer('no customer of `Store` is listed', observation);
  if (!haveSameCustomers(listIdentities(observation), listIdentities(documented)))
    return compareList(observation, evidence);
  return haveSameCustomers(listIdentities(observation), listIdentities(plain))
    ? createUnknownAnswer('the list is the same with `Store` and without a source', observation)
    : createCertainAnswer('as if written as documented', observation);
});

export const customers: Record<string, Inference> = {
  'default-page-size': inferDefaultPageSize,
  'greatest-page-size': inferGreatestPageSize,
  'limit-honoured': inferLimitHonoured,
  'offset-unit': inferOffsetUnit,
  'order-stability': inferOrder,
  'repeated-parameter': inferRepeatedParameter,
  'beyond-the-end': inferPageContents,
  'limit-huge': inferPageContents,
  'total-announced': inferTotalAnnounced,
  'trailing-slash': inferTrailingSlash,
  'omitted-source': inferOmittedSource,
  'source-letter-case': inferLetterCase,
};
