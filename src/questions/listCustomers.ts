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

/** Lists the customers in a response, each as the hash of its `uuid`: `["9f86d0", "60303a"]`. Empty if there are no customers. */
export const listCustomerIds = (observation: Observation | undefined) =>
  observation?.content?.lists.customers ?? [];
export const countCustomers = (observation: Observation | undefined) => listCustomerIds(observation).length;
const findPageWithoutParameters = ({ findResponse }: Evidence) => findResponse('listCustomers');

export const listAllPages = ({ responses }: Evidence) =>
  responses.filter((observation) => isSuccess(observation) && observation.operation === 'listCustomers');

const listUnfilteredPages = (evidence: Evidence) =>
  listAllPages(evidence).filter(({ parameters }) => !Object.hasOwn(parameters, 'linked_source_type'));

const requestLineFromStart = /^[^?]+(\?limit=\d{1,4})?$/;

/** Selects the pages that begin with the first customer of the list: those requested without parameters, or only with `limit`. */
const listPagesFromStart = (evidence: Evidence) =>
  listUnfilteredPages(evidence).filter(({ exchange }) => requestLineFromStart.test(exchange));

const findLongestPage = (pages: Observation[]): Observation | undefined =>
  pages.toSorted((a, b) => countCustomers(b) - countCustomers(a))[0];

/** Returns the smallest number of customers that the list must have, judging by its pages. */
function countKnownCustomers(evidence: Evidence): number {
  const pages = listUnfilteredPages(evidence);
  const differentCustomers = new Set(pages.flatMap(listCustomerIds));
  // If a page shows a customer twice, the page may be longer than the number of different customers.
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
 * Finds the pages that the suite requests a second time, to notice a change of the list during the run: the page without parameters,
 * and the longest of the pages from the start of the list.
 */
function findPagesToRepeat(evidence: Evidence): Observation[] {
  const pageWithoutParameters = findPageWithoutParameters(evidence);
  const longestPage = findLongestPage(listPagesFromStart(evidence));
  // Both may be one page.
  const differentPages = new Set([pageWithoutParameters, longestPage]);
  return [...differentPages].filter(isSuccess);
}

/** Lists the requests to send a second time: `listCustomers`, `listCustomers?limit=1000`. */
export const listRequestsToRepeat = (evidence: Evidence): string[] =>
  findPagesToRepeat(evidence).map(({ operation, exchange }) => operation + exchange.replace(/^[^?]+/, ''));

/** Returns the given answer. If a repeated request shows that the list has changed during the run, returns `unknown` instead. */
export function unknownIfListChanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const page of findPagesToRepeat(evidence)) {
    const repeatedPage = evidence.findRepeatedResponse(page);
    const hasChanged = repeatedPage && !areEqualLists(listCustomerIds(page), listCustomerIds(repeatedPage));
    if (hasChanged) return createUnknownAnswer('the list has changed while it was requested', page);
  }
  return answer;
}

/** Creates the answer for a page that may hold the whole list. Such a page does not show how long a page can be. */
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
  const isListLonger = countKnownCustomers(evidence) > size;
  if (!isListLonger) return createAnswerForShortList(page);
  return unknownIfListChanged(evidence, createCertainAnswer(`${size}`, page));
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
  const isListLonger = countKnownCustomers(evidence) > size;
  if (!isListLonger && !isLengthSetByLimit(evidence, size)) return createAnswerForShortList(longestPage);
  return unknownIfListChanged(evidence, createLikelyAnswer(`${size}`, longestPage, probe));
};

/** Returns whether `limit` cut off the longest pages, so that the list may go on after them: 50 customers with `limit=50`. */
function isLengthSetByLimit(evidence: Evidence, longestLength: number): boolean {
  const longestPages = listPagesFromStart(evidence).filter((page) => countCustomers(page) === longestLength);
  // A page without `limit`, or with a greater one, has ended for another reason: the list may end there.
  const defaultLength = countCustomers(findPageWithoutParameters(evidence));
  const isDefaultPageShorter = defaultLength < longestLength;
  const hasGreaterLimit = ({ parameters: { limit } }: Observation) => Number(limit) > longestLength;
  return isDefaultPageShorter && !longestPages.some(hasGreaterLimit);
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

/** Infers what `offset` counts (contract section 4.2): `records`, `pages`, or `nothing` if it has no effect. */
const inferOffsetUnit: Inference = (evidence) => {
  const page = findPageWithoutParameters(evidence);
  const pageAtOffset1 = evidence.findResponse('listCustomers?offset=1');
  if (!page || !pageAtOffset1) return createUnknownAnswer(evidence.notSentReason);
  if (countCustomers(page) < 2)
    return answerIfError(page, evidence) ?? createUnknownAnswer('a page holds less than two customers', page);
  const rejection = answerIfError(pageAtOffset1, evidence);
  const isWholeListOnPage = countKnownCustomers(evidence) === countCustomers(page);
  if (rejection && isWholeListOnPage)
    return createUnknownAnswer('a second page need not exist', page, pageAtOffset1);
  return rejection ?? unknownIfListChanged(evidence, inferUnitFromPages(evidence, page, pageAtOffset1));
};

/**
 * Infers what `offset` counts by comparing the pages at offset 0 and 1. If the second page begins with the second customer of the
 * first page, the answer is `records`. If both pages have no customer in common, the answer is `pages`.
 */
function inferUnitFromPages(
  evidence: Evidence,
  pageAtOffset0: Observation,
  pageAtOffset1: Observation,
): InferredAnswer {
  const [firstAtOffset0] = listCustomerIds(pageAtOffset0);
  const [firstAtOffset1] = listCustomerIds(pageAtOffset1);
  // If one page holds all customers and `offset` counts pages, the page at offset 1 is empty.
  if (firstAtOffset1 === undefined) return createLikelyAnswer('pages', pageAtOffset0, pageAtOffset1);
  const unit = detectOffsetUnit(listCustomerIds(pageAtOffset0), listCustomerIds(pageAtOffset1));
  const isOrderUnstable = inferOrder(evidence).answer === 'no';
  if (unit && !isOrderUnstable) return createCertainAnswer(unit, pageAtOffset0, pageAtOffset1);
  if (firstAtOffset1 !== firstAtOffset0)
    return createUnknownAnswer('the order of the list has changed', pageAtOffset0, pageAtOffset1);
  // Both pages begin with the same customer. If a page beyond the end of the list does so too, the target ignores `offset`.
  const pageBeyondEnd = evidence.findProbeResponse('beyond-the-end');
  const [firstBeyondEnd] = listCustomerIds(pageBeyondEnd);
  if (isSuccess(pageBeyondEnd) && firstBeyondEnd === firstAtOffset1)
    return createCertainAnswer('nothing', pageAtOffset0, pageAtOffset1, pageBeyondEnd);
  const reason = '`offset` has no effect between 0 and 1, and may have one beyond';
  return createUnknownAnswer(reason, pageAtOffset0, pageAtOffset1);
}

const inferPageContents = inferFromProbe((observation, evidence) => {
  if (countKnownCustomers(evidence) === 0) return createUnknownAnswer('the list is empty', observation);
  if (observation.content?.lists.customers === undefined) return createCertainAnswer('no list', observation);
  return createCertainAnswer(countCustomers(observation) === 0 ? 'an empty list' : 'customers', observation);
});

/** Returns whether two lists have their common customers in one order: true for `[a, b, c]` and `[a, c, d]`. */
export const hasSameOrder = (ids: string[], otherIds: string[]): boolean =>
  areEqualLists(listCommonIds(ids, otherIds), listCommonIds(otherIds, ids));

export function listCommonIds(ids: string[], otherIds: string[]): string[] {
  const otherIdSet = new Set(otherIds);
  return [...new Set(ids)].filter((id) => otherIdSet.has(id));
}

/** Infers whether the list always has one order: whether each page has its customers in the order of the longest page. */
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
  // The longest page was requested twice. A page in the order of the second response may only show that the list was edited meanwhile.
  // A page in the order of neither response proves that the order is unstable.
  const repeatedPage = evidence.findRepeatedResponse(longestPage);
  const repeatedIds = listCustomerIds(repeatedPage);
  const proof =
    repeatedPage && reorderedPages.find((page) => !hasSameOrder(listCustomerIds(page), repeatedIds));
  if (proof) return createCertainAnswer('no', longestPage, proof);
  return createUnknownAnswer('a customer has changed places while the list was requested', longestPage);
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

/** Ordinary requests without `linked_source_type`, with `User` and with `Store`. Sent by every run. */
const sourceRequests = [
  'listCustomers',
  'listCustomers?linked_source_type=User',
  'listCustomers?linked_source_type=Store',
];
/** Probes without `linked_source_type`, with `User` and with `Store`. Not sent if `PROBES` is off. */
const sourceProbesWithGreatLimit = [
  'listCustomers?limit=1000',
  'listCustomers?limit=1000&linked_source_type=User',
  'listCustomers?limit=1000&linked_source_type=Store',
];

/** Finds the pages without `linked_source_type`, with `User` and with `Store`. Undefined if one of them got no response. */
function findSourcePages({ findResponse }: Evidence): [Observation, Observation, Observation] | undefined {
  const longPages = sourceProbesWithGreatLimit.map(findResponse);
  const ordinaryPages = sourceRequests.map(findResponse);
  const [pageWithoutSource, userPage, storePage] = longPages.every(isSuccess) ? longPages : ordinaryPages;
  if (!pageWithoutSource || !userPage || !storePage) return undefined;
  return [pageWithoutSource, userPage, storePage];
}

/**
 * Infers which customers a request without `linked_source_type` lists (contract section 4.2): `those of User`, `those of Store` or
 * `those of both`.
 */
const inferOmittedSource: Inference = (evidence) => {
  const pages = findSourcePages(evidence);
  if (!pages) return createUnknownAnswer(evidence.notSentReason);
  const [pageWithoutSource, userPage, storePage] = pages;
  const idsWithoutSource = listCustomerIds(pageWithoutSource);
  const userIds = listCustomerIds(userPage);
  const storeIds = listCustomerIds(storePage);
  if (idsWithoutSource.length === 0) {
    const errorAnswer = answerIfError(pageWithoutSource, evidence);
    return errorAnswer ?? createUnknownAnswer('the list without a source is empty', pageWithoutSource);
  }
  if (haveSameCustomers(userIds, storeIds))
    return createUnknownAnswer('both sources list the same', ...pages);
  const idsOnAllPages = listUnfilteredPages(evidence).flatMap(listCustomerIds);
  const answer = findListedSources({ idsWithoutSource, idsOnAllPages, userIds, storeIds });
  if (!answer) return createUnknownAnswer('these pages may not hold all customers', ...pages);
  const likelyAnswer = createLikelyAnswer(answer, ...pages);
  if (answer === 'those of both') return unknownIfListChanged(evidence, likelyAnswer);
  const isOneSourceEmpty = userIds.length === 0 || storeIds.length === 0;
  if (isOneSourceEmpty) return createUnknownAnswer('one source has no customers', ...pages);
  return likelyAnswer;
};

/**
 * Finds out which customers a page without `linked_source_type` lists: `those of User`, `those of Store` or `those of both`. Undefined
 * if the page may be only a part of the list.
 */
function findListedSources({
  idsWithoutSource,
  idsOnAllPages,
  userIds,
  storeIds,
}: Record<'idsWithoutSource' | 'idsOnAllPages' | 'userIds' | 'storeIds', string[]>) {
  // The list may go on after this page, as another page without `linked_source_type` shows.
  const areSomeOnLaterPages = (ids: string[]) =>
    ids.some((id) => idsOnAllPages.includes(id) && !idsWithoutSource.includes(id));
  if (haveSameCustomers(idsWithoutSource, userIds) && !areSomeOnLaterPages(storeIds)) return 'those of User';
  if (haveSameCustomers(idsWithoutSource, storeIds) && !areSomeOnLaterPages(userIds)) return 'those of Store';
  // A part of one source is unclear: customers of the other source may follow on a later page.
  const areAllOfOneSource = isSubsetOf(idsWithoutSource, userIds) || isSubsetOf(idsWithoutSource, storeIds);
  if (areAllOfOneSource) return undefined;
  return isSubsetOf(idsWithoutSource, [...userIds, ...storeIds]) ? 'those of both' : undefined;
}

/**
 * Infers the effect of a query parameter such as `limit=-1`, by comparing its response with the page without parameters. If both have
 * the same customers, the answer is `as if it were not there`.
 */
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
  const answer = 'as if it were not there';
  if (!isListLongerThanPage) return createLikelyAnswer(answer, observation, defaultPage);
  return createCertainAnswer(answer, observation, defaultPage);
}

/** Infers whether the target accepts `linked_source_type=store` instead of `Store`: whether both requests list the same customers. */
const inferLetterCase = inferFromProbe((observation, evidence) => {
  const storePage = evidence.findResponse('listCustomers?linked_source_type=Store');
  if (countCustomers(storePage) === 0)
    return createUnknownAnswer('no customer of `Store` is listed', observation);
  if (!haveSameCustomers(listCustomerIds(observation), listCustomerIds(storePage)))
    return compareWithDefaultPage(observation, evidence);
  // If all customers are of `Store`, a target that ignores `linked_source_type=store` would list the same ones.
  const defaultPage = findPageWithoutParameters(evidence);
  if (haveSameCustomers(listCustomerIds(observation), listCustomerIds(defaultPage)))
    return createUnknownAnswer('the list is the same with `Store` and without a source', observation);
  return createCertainAnswer('as if written as documented', observation);
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
