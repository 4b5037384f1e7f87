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
  unreadableReason,
} from './evidence.ts';
import { sortUnique } from './sorting.ts';

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

/** Counts the different customers on all pages. If a page with duplicates is longer than this number, returns its length. */
function countKnownCustomers(evidence: Evidence): number {
  const pages = listUnfilteredPages(evidence);
  const differentCustomers = new Set(pages.flatMap(listCustomerIds));
  return Math.max(differentCustomers.size, countCustomers(findLongestPage(pages)));
}

const areEqualLists = (a: string[], b: string[]) => a.join() === b.join();
function isSubsetOf(ids: string[], otherIds: string[]): boolean {
  const otherIdSet = new Set(otherIds);
  return ids.every((id) => otherIdSet.has(id));
}

const haveSameCustomers = (a: string[], b: string[]) => isSubsetOf(a, b) && isSubsetOf(b, a);

/**
 * Finds the pages to request again, so that a change of the list during the run is noticed: the page without parameters, and the
 * longest page requested without a filter or `offset`.
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

/** Creates the answer to a question about the length of pages if the longest page may be the whole list. */
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
  if (!probe.content || !longestPage) {
    const reason = probe.content?.error?.label ?? unreadableReason;
    return createUnknownAnswer(reason, probe);
  }
  const size = countCustomers(longestPage);
  if (size === 0) return createUnknownAnswer('the list is empty', probe);
  const isListLonger = countKnownCustomers(evidence) > size || isLengthSetByLimit(evidence, size);
  return isListLonger
    ? unknownIfListChanged(evidence, createLikelyAnswer(`${size}`, longestPage, probe))
    : createAnswerForShortList(longestPage);
};

/**
 * Returns whether the longest pages end because of their `limit`. False if a page without a limit, or with a greater one, is as
 * long, because it may end where the list ends.
 */
function isLengthSetByLimit(evidence: Evidence, longestLength: number): boolean {
  const defaultLength = countCustomers(findPageWithoutParameters(evidence));
  const pages = listPagesFromStart(evidence);
  const longestPages = pages.filter((page) => countCustomers(page) === longestLength);
  const hasGreaterLimit = longestPages.some(({ parameters }) => Number(parameters.limit) > longestLength);
  return defaultLength < longestLength && !hasGreaterLimit;
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

/** Infers what `offset` counts: `nothing` if the pages at offset 0, at offset 1 and beyond the end begin with the same customer. */
function inferUnit(evidence: Evidence, page: Observation, pageAtOffset1: Observation): InferredAnswer {
  const [ids, idsAtOffset1] = [listCustomerIds(page), listCustomerIds(pageAtOffset1)];
  const [firstAtOffset1] = idsAtOffset1;
  // The page at offset 1 is empty if one page holds all customers and `offset` counts pages.
  if (firstAtOffset1 === undefined) return createLikelyAnswer('pages', page, pageAtOffset1);
  const unit = detectOffsetUnit(ids, idsAtOffset1);
  if (unit && inferOrder(evidence).answer !== 'no') return createCertainAnswer(unit, page, pageAtOffset1);
  // If the target ignores `offset`, both pages begin with the same customer.
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

/** Finds a page in another order than the repeated longest page: one in the same order shows only that the list has changed. */
function findProofOfReordering(repeatedPage: Observation | undefined, reorderedPages: Observation[]) {
  if (!repeatedPage) return undefined;
  const repeatedIds = listCustomerIds(repeatedPage);
  return reorderedPages.find((page) => !hasSameOrder(listCustomerIds(page), repeatedIds));
}

const inferTotalAnnounced: Inference = (evidence) => {
  const pages = listUnfilteredPages(evidence);
  const knownCustomers = countKnownCustomers(evidence);
  // If every page holds the whole list, a header such as `link` for the next page may be left out.
  if (pages.every((page) => countCustomers(page) === knownCustomers))
    return createUnknownAnswer('no page leaves customers out');
  const announcements = sortUnique(pages.flatMap(({ content }) => content?.announcements ?? []));
  return createLikelyAnswer(announcements.join(', ') || 'no', ...pages.slice(0, 1));
};

const noComparisonReason = 'there is no list to compare it with';

const inferTrailingSlash = inferFromProbe((observation, evidence) => {
  const defaultPage = findPageWithoutParameters(evidence);
  if (countCustomers(defaultPage) === 0) return createUnknownAnswer(noComparisonReason, observation);
  if (areEqualLists(listCustomerIds(defaultPage), listCustomerIds(observation)))
    return createCertainAnswer('the same', observation);
  return unknownIfListChanged(evidence, createCertainAnswer('an answer of its own', observation));
});

/** Requests for three lists, sent even if `PROBES` is off: without a source, of `User` and of `Store`. */
const sourceRequests = [
  'listCustomers',
  'listCustomers?linked_source_type=User',
  'listCustomers?linked_source_type=Store',
];
/** Probes for long pages of three lists: without a source, of `User` and of `Store`. */
const longSourceRequests = [
  'listCustomers?limit=1000',
  'listCustomers?limit=1000&linked_source_type=User',
  'listCustomers?limit=1000&linked_source_type=Store',
];

function findSourcePages({ findResponse }: Evidence): Observation[] {
  const longPages = longSourceRequests.map(findResponse).filter(isSuccess);
  if (longPages.length === longSourceRequests.length) return longPages;
  return sourceRequests.flatMap((request) => findResponse(request) ?? []);
}

/**
 * Infers which customers a list without `linked_source_type` holds (contract section 4.2): those of `User`, of `Store`, or both.
 * Unknown for example if the pages may not hold all customers.
 */
const inferOmittedSource: Inference = (evidence) => {
  const pages = findSourcePages(evidence);
  const [pageWithoutSource] = pages;
  const areAllSent = pages.length === sourceRequests.length;
  if (!pageWithoutSource || !areAllSent) return createUnknownAnswer(evidence.notSentReason);
  const [ids = [], userIds = [], storeIds = []] = pages.map(listCustomerIds);
  if (ids.length === 0) {
    const emptyAnswer = createUnknownAnswer('the list without a source is empty', pageWithoutSource);
    return answerIfError(pageWithoutSource, evidence) ?? emptyAnswer;
  }
  if (haveSameCustomers(userIds, storeIds))
    return createUnknownAnswer('both sources list the same', ...pages);
  const idsOnAllPages = listUnfilteredPages(evidence).flatMap(listCustomerIds);
  const answer = compareWithSources(ids, idsOnAllPages, userIds, storeIds);
  if (!answer) return createUnknownAnswer('these pages may not hold all customers', ...pages);
  const likelyAnswer = createLikelyAnswer(answer, ...pages);
  if (answer === 'those of both') return unknownIfListChanged(evidence, likelyAnswer);
  const isSourceEmpty = userIds.length === 0 || storeIds.length === 0;
  return isSourceEmpty ? createUnknownAnswer('one source has no customers', ...pages) : likelyAnswer;
};

/**
 * Returns whose customers the list without a source holds; undefined if it has others, or may have others on a later page.
 * @param ids customers on a page of the list without a source
 * @param idsOnAllPages customers on all known pages of this list
 */
function compareWithSources(ids: string[], idsOnAllPages: string[], userIds: string[], storeIds: string[]) {
  const idsOnOtherPages = idsOnAllPages.filter((id) => !ids.includes(id));
  const isOnOtherPage = (id: string) => idsOnOtherPages.includes(id);
  if (haveSameCustomers(ids, userIds) && !storeIds.some(isOnOtherPage)) return 'those of User';
  if (haveSameCustomers(ids, storeIds) && !userIds.some(isOnOtherPage)) return 'those of Store';
  const isOfOneSource = isSubsetOf(ids, userIds) || isSubsetOf(ids, storeIds);
  const isOfBothSources = !isOfOneSource && isSubsetOf(ids, [...userIds, ...storeIds]);
  return isOfBothSources ? 'those of both' : undefined;
}

/** Infers the effect of a parameter such as `limit=-1`: compares the list in a response with the list without parameters. */
export function compareList(observation: Observation, evidence: Evidence): InferredAnswer {
  const ids = listCustomerIds(observation);
  const defaultPage = findPageWithoutParameters(evidence);
  if (!isSuccess(defaultPage) || countCustomers(defaultPage) === 0)
    return createUnknownAnswer(noComparisonReason, observation);
  if (ids.length === 0) return createCertainAnswer('an empty list', observation, defaultPage);
  if (!haveSameCustomers(ids, listCustomerIds(defaultPage)))
    return unknownIfListChanged(evidence, createCertainAnswer('other customers', observation));
  const isLonger = countKnownCustomers(evidence) > countCustomers(defaultPage);
  // A list that fits on one page is the same with any limit.
  if (Object.hasOwn(observation.parameters, 'limit') && !isLonger)
    return createUnknownAnswer('the list is no longer than a page', observation);
  const createAnswer = isLonger ? createCertainAnswer : createLikelyAnswer;
  return createAnswer('as if it were not there', observation, defaultPage);
}

/** Infers whether the target accepts `linked_source_type=store` in place of `Store`, so that both lists have the same customers. */
const inferLetterCase = inferFromProbe((observation, evidence) => {
  const storePage = evidence.findResponse('listCustomers?linked_source_type=Store');
  if (countCustomers(storePage) === 0)
    return createUnknownAnswer('no customer of `Store` is listed', observation);
  if (!haveSameCustomers(listCustomerIds(observation), listCustomerIds(storePage)))
    return compareList(observation, evidence);
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
