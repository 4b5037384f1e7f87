import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import {
  answerIfError,
  createCertainAnswer,
  createLikelyAnswer,
  createUnknownAnswer,
  type Evidence,
  formatExchange,
  type Inference,
  type InferredAnswer,
  inferFromProbe,
  isSuccess,
  sortUnique,
  unreadableReason,
} from './evidence.ts';

/** Lists the customers in a response, each as the hash of its `uuid`. Empty if the response has no customers. */
export const listCustomerIds = (observation: Observation | undefined) =>
  observation?.content?.lists.customers ?? [];
export const countCustomers = (observation: Observation | undefined) => listCustomerIds(observation).length;
const findPageWithoutParameters = ({ findResponse }: Evidence) => findResponse('listCustomers');

export const listAllPages = ({ responses }: Evidence) =>
  responses.filter((observation) => isSuccess(observation) && observation.operation === 'listCustomers');

const listUnfilteredPages = (evidence: Evidence) =>
  listAllPages(evidence).filter(({ parameters }) => !Object.hasOwn(parameters, 'linked_source_type'));

/** Selects the pages that begin with the first customer: those requested without parameters, or only with `limit`. */
const listPagesFromStart = (evidence: Evidence) =>
  listUnfilteredPages(evidence).filter(({ exchange }) => /^[^?]+(\?limit=\d{1,4})?$/.test(exchange));

const findLongestPage = (pages: Observation[]): Observation | undefined =>
  pages.toSorted((a, b) => countCustomers(b) - countCustomers(a))[0];

/** Counts the different customers on all unfiltered pages. Returns the length of the longest page if duplicates make it greater. */
function countKnownCustomers(evidence: Evidence): number {
  const pages = listUnfilteredPages(evidence);
  const differentCustomers = new Set(pages.flatMap(listCustomerIds));
  const longestLength = countCustomers(findLongestPage(pages));
  return Math.max(differentCustomers.size, longestLength);
}

const areEqualLists = (a: string[], b: string[]) => a.join() === b.join();
function isSubsetOf(ids: string[], otherIds: string[]): boolean {
  const otherIdSet = new Set(otherIds);
  return ids.every((id) => otherIdSet.has(id));
}

const haveSameCustomers = (a: string[], b: string[]) => isSubsetOf(a, b) && isSubsetOf(b, a);

/**
 * Finds the pages to request again, to see whether the list changed during the run: the page without parameters, and the longest
 * page requested without a filter or `offset`.
 */
const findPagesToRepeat = (evidence: Evidence): Observation[] => {
  const pages = [findPageWithoutParameters(evidence), findLongestPage(listPagesFromStart(evidence))];
  return [...new Set(pages)].filter(isSuccess);
};

export const listRequestsToRepeat = (evidence: Evidence): string[] =>
  findPagesToRepeat(evidence).map(({ operation, exchange }) => operation + exchange.replace(/^[^?]+/, ''));

/** Returns the answer, or an unknown one if a repeated request shows that the list has changed during the run. */
export function unknownIfListChanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const page of findPagesToRepeat(evidence)) {
    const repeatedPage = evidence.findRepeatedResponse(page);
    const hasChanged = repeatedPage && !areEqualLists(listCustomerIds(page), listCustomerIds(repeatedPage));
    if (hasChanged) return createUnknownAnswer('the list has changed while it was requested', page);
  }
  return answer;
}

/** Creates the unknown answer `not reached by this list`: the longest page may be the whole list, so that it shows no page size. */
const createAnswerForShortList = (longestPage: Observation): InferredAnswer => ({
  answer: 'not reached by this list',
  confidence: 'unknown',
  evidence: [formatExchange(longestPage)],
});

/** Infers how many customers a page without `limit` has (contract section 4.2). Unknown if the page may hold the whole list. */
const inferDefaultPageSize: Inference = (evidence) => {
  const page = findPageWithoutParameters(evidence);
  if (!page) return createUnknownAnswer(evidence.notSentReason);
  const size = countCustomers(page);
  if (size === 0) return answerIfError(page, evidence) ?? createUnknownAnswer('the list is empty', page);
  return countKnownCustomers(evidence) > size
    ? unknownIfListChanged(evidence, createCertainAnswer(`${size}`, page))
    : createAnswerForShortList(page);
};

/** Infers the maximum number of customers on a page (contract section 4.2). Unknown if the longest page may be the whole list. */
const inferGreatestPageSize: Inference = (evidence, { id }) => {
  const probe = evidence.findProbeResponse(id);
  if (!probe) return createUnknownAnswer(evidence.notSentReason);
  const longestPage = findLongestPage(listPagesFromStart(evidence));
  const noPageReason = probe.content?.error?.label ?? unreadableReason;
  if (!probe.content || !longestPage) return createUnknownAnswer(noPageReason, probe);
  const size = countCustomers(longestPage);
  if (size === 0) return createUnknownAnswer('the list is empty', probe);
  const isListLonger = countKnownCustomers(evidence) > size;
  return isListLonger || isLengthSetByLimit(evidence, size)
    ? unknownIfListChanged(evidence, createLikelyAnswer(`${size}`, longestPage, probe))
    : createAnswerForShortList(longestPage);
};

/**
 * Returns whether `limit` cut off the longest pages: each of them is as long as its `limit`. False if a longest page was requested
 * without `limit`, or with a `limit` greater than its length, because the list may end there.
 */
function isLengthSetByLimit(evidence: Evidence, longestLength: number): boolean {
  const longestPages = listPagesFromStart(evidence).filter((page) => countCustomers(page) === longestLength);
  const defaultLength = countCustomers(findPageWithoutParameters(evidence));
  const hasGreaterLimit = ({ parameters: { limit } }: Observation) => Number(limit) > longestLength;
  return longestLength > defaultLength && !longestPages.some(hasGreaterLimit);
}

const inferLimitHonoured = inferFromProbe((observation, evidence) => {
  const defaultSize = countCustomers(findPageWithoutParameters(evidence));
  if (countKnownCustomers(evidence) < 2)
    return createUnknownAnswer('there are too few customers to infer this from', observation);
  if (countCustomers(observation) === 1) return createCertainAnswer('yes', observation);
  const pages = listPagesFromStart(evidence);
  const pageWithOtherLength = pages.find((page) => countCustomers(page) !== defaultSize);
  if (!pageWithOtherLength) return createCertainAnswer('no', observation);
  const reason = 'a limit of 1 is not applied, though another one is';
  return createUnknownAnswer(reason, observation, pageWithOtherLength);
});

const inferRepeatedParameter = inferFromProbe((observation, evidence) => {
  if (countKnownCustomers(evidence) < 3)
    return createUnknownAnswer('there are too few customers to infer this from', observation);
  // The limits are 1 and 2, so the length of the page is the limit that was applied.
  const answersByLength = new Map([
    [1, 'the first'],
    [2, 'the last'],
  ]);
  return createCertainAnswer(answersByLength.get(countCustomers(observation)) ?? 'neither', observation);
});

/** Infers what `offset` counts (contract section 4.2): `records` (customers), `pages`, or `nothing` if it has no effect. */
const inferOffsetUnit: Inference = (evidence) => {
  const page = findPageWithoutParameters(evidence);
  const pageAtOffset1 = evidence.findResponse('listCustomers?offset=1');
  if (!page || !pageAtOffset1) return createUnknownAnswer(evidence.notSentReason);
  if (countCustomers(page) < 2)
    return answerIfError(page, evidence) ?? createUnknownAnswer('a page holds less than two customers', page);
  const rejection = answerIfError(pageAtOffset1, evidence);
  if (rejection && countKnownCustomers(evidence) === countCustomers(page))
    return createUnknownAnswer('a second page need not exist', page, pageAtOffset1);
  return rejection ?? unknownIfListChanged(evidence, inferUnit(evidence, page, pageAtOffset1));
};

/**
 * Infers what `offset` counts from two successful pages: `pages` or `records` if their customers show it; `nothing` if these pages
 * and a page beyond the end begin with the same customer; otherwise unknown.
 */
function inferUnit(evidence: Evidence, page: Observation, pageAtOffset1: Observation): InferredAnswer {
  const [ids, idsAtOffset1] = [listCustomerIds(page), listCustomerIds(pageAtOffset1)];
  const [firstAtOffset1] = idsAtOffset1;
  // The page at offset 1 is empty if one page holds all customers and `offset` counts pages.
  if (firstAtOffset1 === undefined) return createLikelyAnswer('pages', page, pageAtOffset1);
  const unit = detectOffsetUnit(ids, idsAtOffset1);
  const isOrderUnstable = inferOrder(evidence).answer === 'no';
  if (unit && !isOrderUnstable) return createCertainAnswer(unit, page, pageAtOffset1);
  // A target that ignores `offset` would return the first customer again.
  if (firstAtOffset1 !== ids[0])
    return createUnknownAnswer('the order of the list has changed', page, pageAtOffset1);
  const pageBeyondEnd = evidence.findProbeResponse('beyond-the-end');
  if (isSuccess(pageBeyondEnd) && listCustomerIds(pageBeyondEnd)[0] === firstAtOffset1)
    return createCertainAnswer('nothing', page, pageAtOffset1, pageBeyondEnd);
  const reason = '`offset` has no effect between 0 and 1, and may have one beyond';
  return createUnknownAnswer(reason, page, pageAtOffset1);
}

const inferPageContents = inferFromProbe((observation, evidence) => {
  if (countKnownCustomers(evidence) === 0) return createUnknownAnswer('the list is empty', observation);
  if (observation.content?.lists.customers === undefined) return createCertainAnswer('no list', observation);
  return createCertainAnswer(countCustomers(observation) === 0 ? 'an empty list' : 'customers', observation);
});

/** Returns whether the customers that occur in both lists, given by the hash of their `uuid`, are in the same order. */
export const hasSameOrder = (ids: string[], otherIds: string[]): boolean =>
  areEqualLists(listCommonIds(ids, otherIds), listCommonIds(otherIds, ids));

export function listCommonIds(ids: string[], otherIds: string[]): string[] {
  const otherIdSet = new Set(otherIds);
  return [...new Set(ids)].filter((id) => otherIdSet.has(id));
}

/**
 * Infers whether the order of the list is stable: whether all pages list their customers in the order of the longest page.
 * Unknown if no other page has two customers of the longest page, or if customers changed places during the run.
 */
function inferOrder(evidence: Evidence): InferredAnswer {
  const longestPage = findLongestPage(listPagesFromStart(evidence));
  const ids = listCustomerIds(longestPage);
  const otherPages = listUnfilteredPages(evidence).filter((page) => page !== longestPage);
  const overlappingPages = otherPages.filter((page) => listCommonIds(listCustomerIds(page), ids).length > 1);
  if (!longestPage || overlappingPages.length === 0)
    return createUnknownAnswer('no two pages have customers in common');
  const reorderedPages = overlappingPages.filter((page) => !hasSameOrder(listCustomerIds(page), ids));
  if (reorderedPages.length === 0)
    return createLikelyAnswer('yes, within a run', longestPage, ...overlappingPages.slice(0, 3));
  const proof = findProofOfReordering(evidence.findRepeatedResponse(longestPage), reorderedPages);
  return proof
    ? createCertainAnswer('no', longestPage, proof)
    : createUnknownAnswer('a customer has changed places while the list was requested', longestPage);
}

/**
 * Finds a page that proves an unstable order: its order differs from the longest page and from the repetition of this page. If a
 * page has the order of the repetition, the list may only have changed in between.
 * @param reorderedPages pages whose order differs from the longest page
 */
function findProofOfReordering(repeatedPage: Observation | undefined, reorderedPages: Observation[]) {
  if (!repeatedPage) return undefined;
  const repeatedIds = listCustomerIds(repeatedPage);
  return reorderedPages.find((page) => !hasSameOrder(listCustomerIds(page), repeatedIds));
}

const inferTotalAnnounced: Inference = (evidence) => {
  const pages = listUnfilteredPages(evidence);
  const knownCustomerCount = countKnownCustomers(evidence);
  // If every page holds the whole list, a header such as `link` for the next page may be left out.
  if (pages.every((page) => countCustomers(page) === knownCustomerCount))
    return createUnknownAnswer('no page leaves customers out');
  const pagingHints = sortUnique(pages.flatMap(({ content }) => content?.announcements ?? []));
  return createLikelyAnswer(pagingHints.join(', ') || 'no', ...pages.slice(0, 1));
};

const noComparisonReason = 'there is no list to compare it with';

const inferTrailingSlash = inferFromProbe((observation, evidence) => {
  const defaultPage = findPageWithoutParameters(evidence);
  if (countCustomers(defaultPage) === 0) return createUnknownAnswer(noComparisonReason, observation);
  if (areEqualLists(listCustomerIds(defaultPage), listCustomerIds(observation)))
    return createCertainAnswer('the same', observation);
  return unknownIfListChanged(evidence, createCertainAnswer('an answer of its own', observation));
});

/** Requests without `linked_source_type`, with `User`, and with `Store`, in this order. Sent even if `PROBES` is off. */
const sourceRequests = [
  'listCustomers',
  'listCustomers?linked_source_type=User',
  'listCustomers?linked_source_type=Store',
];
/** Probes without `linked_source_type`, with `User`, and with `Store`, in this order. */
const sourceProbesWithGreatLimit = [
  'listCustomers?limit=1000',
  'listCustomers?limit=1000&linked_source_type=User',
  'listCustomers?limit=1000&linked_source_type=Store',
];

/** Finds the pages without `linked_source_type`, with `User`, and with `Store`. Undefined if one of them got no response. */
function findSourcePages({ findResponse }: Evidence): [Observation, Observation, Observation] | undefined {
  const longPages = sourceProbesWithGreatLimit.map(findResponse);
  const pages = longPages.every(isSuccess) ? longPages : sourceRequests.map(findResponse);
  const [pageWithoutSource, userPage, storePage] = pages;
  return pageWithoutSource && userPage && storePage && [pageWithoutSource, userPage, storePage];
}

/** Infers whose customers a list without `linked_source_type` holds (contract section 4.2): of `User`, of `Store`, or of both. */
const inferOmittedSource: Inference = (evidence) => {
  const pages = findSourcePages(evidence);
  if (!pages) return createUnknownAnswer(evidence.notSentReason);
  const [pageWithoutSource, userPage, storePage] = pages;
  const [userIds, storeIds] = [listCustomerIds(userPage), listCustomerIds(storePage)];
  const idsWithoutSource = listCustomerIds(pageWithoutSource);
  if (idsWithoutSource.length === 0) {
    const emptyAnswer = createUnknownAnswer('the list without a source is empty', pageWithoutSource);
    return answerIfError(pageWithoutSource, evidence) ?? emptyAnswer;
  }
  if (haveSameCustomers(userIds, storeIds))
    return createUnknownAnswer('both sources list the same', ...pages);
  const idsOnAllPages = listUnfilteredPages(evidence).flatMap(listCustomerIds);
  const answer = findListedSources({ idsWithoutSource, idsOnAllPages, userIds, storeIds });
  if (!answer) return createUnknownAnswer('these pages may not hold all customers', ...pages);
  const likelyAnswer = createLikelyAnswer(answer, ...pages);
  if (answer === 'those of both') return unknownIfListChanged(evidence, likelyAnswer);
  const isSourceEmpty = userIds.length === 0 || storeIds.length === 0;
  return isSourceEmpty ? createUnknownAnswer('one source has no customers', ...pages) : likelyAnswer;
};

/**
 * Returns whether a page without `linked_source_type` lists the customers of `User`, of `Store` or of both. Undefined if it has only
 * a part of one source, customers of neither source, or if another page without `linked_source_type` has those of the other source.
 */
function findListedSources({
  idsWithoutSource,
  idsOnAllPages,
  userIds,
  storeIds,
}: Record<'idsWithoutSource' | 'idsOnAllPages' | 'userIds' | 'storeIds', string[]>) {
  const areOnOtherPages = (ids: string[]) =>
    ids.some((id) => idsOnAllPages.includes(id) && !idsWithoutSource.includes(id));
  if (haveSameCustomers(idsWithoutSource, userIds) && !areOnOtherPages(storeIds)) return 'those of User';
  if (haveSameCustomers(idsWithoutSource, storeIds) && !areOnOtherPages(userIds)) return 'those of Store';
  const isOfOneSource = isSubsetOf(idsWithoutSource, userIds) || isSubsetOf(idsWithoutSource, storeIds);
  const isOfBothSources = !isOfOneSource && isSubsetOf(idsWithoutSource, [...userIds, ...storeIds]);
  return isOfBothSources ? 'those of both' : undefined;
}

/** Infers the effect of a parameter such as `limit=-1`: compares the customers in a response with the page without parameters. */
export function compareWithDefaultPage(observation: Observation, evidence: Evidence): InferredAnswer {
  const ids = listCustomerIds(observation);
  const defaultPage = findPageWithoutParameters(evidence);
  if (!isSuccess(defaultPage) || countCustomers(defaultPage) === 0)
    return createUnknownAnswer(noComparisonReason, observation);
  if (ids.length === 0) return createCertainAnswer('an empty list', observation, defaultPage);
  if (!haveSameCustomers(ids, listCustomerIds(defaultPage)))
    return unknownIfListChanged(evidence, createCertainAnswer('other customers', observation));
  const isListLongerThanPage = countKnownCustomers(evidence) > countCustomers(defaultPage);
  // A list that fits on one page is the same with any limit, and may hide the effect of another parameter.
  if (Object.hasOwn(observation.parameters, 'limit') && !isListLongerThanPage)
    return createUnknownAnswer('the list is no longer than a page', observation);
  const createAnswer = isListLongerThanPage ? createCertainAnswer : createLikelyAnswer;
  return createAnswer('as if it were not there', observation, defaultPage);
}

/** Infers whether the target accepts `linked_source_type=store` in place of `Store`, so that both lists have the same customers. */
const inferLetterCase = inferFromProbe((observation, evidence) => {
  const storePage = evidence.findResponse('listCustomers?linked_source_type=Store');
  if (countCustomers(storePage) === 0)
    return createUnknownAnswer('no customer of `Store` is listed', observation);
  if (!haveSameCustomers(listCustomerIds(observation), listCustomerIds(storePage)))
    return compareWithDefaultPage(observation, evidence);
  const defaultPage = findPageWithoutParameters(evidence);
  return haveSameCustomers(listCustomerIds(observation), listCustomerIds(defaultPage))
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
