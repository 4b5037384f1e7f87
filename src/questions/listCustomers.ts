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
  isConclusive,
  isSuccess,
  sortUnique,
  unreadableReason,
} from './evidence.ts';

/** Lists the customers of a page as hashes, such as `["9f86d0", "60303a"]`. Returns `[]` if there is no customers list. */
export const listCustomerIds = (observation: Observation | undefined): string[] =>
  observation?.content?.lists.customers ?? [];

/** Returns whether a response has a customers list. Returns false if `customers` is null, missing or no array. */
const hasList = (observation: Observation) => observation.content?.lists.customers !== undefined;
export const countCustomers = (observation: Observation | undefined) => listCustomerIds(observation).length;
const findPageWithoutParameters = ({ findResponse }: Evidence) => findResponse('listCustomers');

export const listAllPages = ({ responses }: Evidence) =>
  responses.filter((observation) => isSuccess(observation) && observation.operation === 'listCustomers');

/** Lists the pages that were requested without a parameter besides `limit` and `offset`, such as `linked_source_type`. */
const listUnfilteredPages = (evidence: Evidence) =>
  listAllPages(evidence).filter(({ parameters }) =>
    Object.keys(parameters).every((name) => name === 'limit' || name === 'offset'),
  );

/**
 * Matches the request line of a page at the start of the list: `GET …/customers` or `GET …/customers?limit=1000`. The line does not
 * match if it has an unusual `limit`, such as `-1`, or any parameter besides `limit`.
 */
const requestLineFromStart = /^[^?]+(\?limit=\d{1,4})?$/;

const listPagesFromStart = (evidence: Evidence) =>
  listUnfilteredPages(evidence).filter(({ requestText }) => requestLineFromStart.test(requestText));

const findLongestPage = (pages: Observation[]): Observation | undefined =>
  pages.toSorted((a, b) => countCustomers(b) - countCustomers(a))[0];

function countKnownCustomers(evidence: Evidence): number {
  const pages = listUnfilteredPages(evidence);
  const differentCustomers = new Set(pages.flatMap(listCustomerIds));
  // A page that shows a customer twice may have more customers than there are different ones.
  const longestLength = countCustomers(findLongestPage(pages));
  return Math.max(differentCustomers.size, longestLength);
}

const areEqualLists = (a: string[], b: string[]) => a.join() === b.join();
function isSubsetOf(ids: string[], otherIds: string[]): boolean {
  const otherIdSet = new Set(otherIds);
  return ids.every((id) => otherIdSet.has(id));
}

const haveSameCustomers = (a: string[], b: string[]) => isSubsetOf(a, b) && isSubsetOf(b, a);

function findPagesToRepeat(evidence: Evidence): Observation[] {
  const pageWithoutParameters = findPageWithoutParameters(evidence);
  const longestPage = findLongestPage(listPagesFromStart(evidence));
  // A set, because both may be the same page.
  const pages = new Set([pageWithoutParameters, longestPage]);
  return [...pages].filter(isSuccess);
}

/**
 * Lists requests to send again after all probes, such as `listCustomers?limit=1000`. The repeated responses show whether the list
 * has changed during the run.
 */
export const listRequestsToRepeat = (evidence: Evidence): string[] =>
  findPagesToRepeat(evidence).map(
    ({ operation, requestText }) => operation + requestText.replace(/^[^?]+/, ''),
  );

/** Replaces an answer by `unknown` if the list changed during the run. Otherwise returns `answer`. */
export function unknownIfListChanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const page of findPagesToRepeat(evidence)) {
    const repeatedPage = evidence.findRepeatedResponse(page);
    // A repetition that failed, for example with HTTP 503, shows no change.
    const hasChanged =
      isSuccess(repeatedPage) && !areEqualLists(listCustomerIds(page), listCustomerIds(repeatedPage));
    if (hasChanged) return createUnknownAnswer('the list has changed while it was requested', page);
  }
  return answer;
}

const createAnswerForShortList = (longestPage: Observation): InferredAnswer => ({
  answer: 'not reached by this list',
  confidence: 'unknown',
  evidence: [formatExchange(longestPage)],
});

const inferDefaultPageSize: Inference = (evidence) => {
  const page = findPageWithoutParameters(evidence);
  if (!page) return createUnknownAnswer(evidence.notSentReason);
  const size = countCustomers(page);
  if (size === 0) return answerIfError(page, evidence) ?? createUnknownAnswer('the list is empty', page);
  const isListLonger = countKnownCustomers(evidence) > size;
  if (!isListLonger) return createAnswerForShortList(page);
  return unknownIfListChanged(evidence, createCertainAnswer(`${size}`, page));
};

const inferGreatestPageSize: Inference = (evidence, { id }) => {
  const probeResponse = evidence.findProbeResponse(id);
  if (!probeResponse) return createUnknownAnswer(evidence.notSentReason);
  const longestPage = findLongestPage(listPagesFromStart(evidence));
  // A rejected `limit` does not prevent an answer. But after a temporary error, such as HTTP 503, a longer page may be possible.
  if (!isConclusive(probeResponse) || !longestPage) {
    const reason = probeResponse.content?.error?.label ?? unreadableReason;
    return createUnknownAnswer(reason, probeResponse);
  }
  const size = countCustomers(longestPage);
  if (size === 0) return createUnknownAnswer('the list is empty', probeResponse);
  const isListLonger = countKnownCustomers(evidence) > size;
  // A page as long as its `limit` may be followed by further customers.
  if (!isListLonger && !isLengthSetByLimit(evidence, size)) return createAnswerForShortList(longestPage);
  const shorterPage = findResponseToGreaterLimit(evidence, size);
  const answer = shorterPage
    ? createLikelyAnswer(`at least ${size}, below ${shorterPage.parameters.limit}`, longestPage, shorterPage)
    : createLikelyAnswer(`${size}`, longestPage, probeResponse);
  return unknownIfListChanged(evidence, answer);
};

/**
 * Finds the response to the least `limit` above `longestLength`, the length of the longest page. The response is a rejection or a
 * shorter page. Returns undefined if a page with a greater `limit` also has `longestLength` customers, because `longestLength` is
 * the greatest page size in this case. Also returns undefined if there is no conclusive response to a greater `limit`.
 */
function findResponseToGreaterLimit(evidence: Evidence, longestLength: number): Observation | undefined {
  const readLimit = ({ parameters }: Observation) => Number(parameters.limit);
  const responses = evidence.responses
    .filter(
      ({ operation, requestText }) => operation === 'listCustomers' && requestLineFromStart.test(requestText),
    )
    .filter((response) => isConclusive(response) && readLimit(response) > longestLength);
  const wasLimitReduced = responses.some((response) => countCustomers(response) === longestLength);
  if (wasLimitReduced) return undefined;
  const [responseToLeastLimit] = responses.toSorted((a, b) => readLimit(a) - readLimit(b));
  return responseToLeastLimit;
}

function isLengthSetByLimit(evidence: Evidence, longestLength: number): boolean {
  const longestPages = listPagesFromStart(evidence).filter((page) => countCustomers(page) === longestLength);
  // False for a page without `limit`, because NaN compares as false.
  const hasLimitUpToLength = ({ parameters: { limit } }: Observation) => Number(limit) <= longestLength;
  return longestPages.every(hasLimitUpToLength);
}

const inferLimitHonoured = inferFromProbe((pageWithLimit1, evidence) => {
  if (countKnownCustomers(evidence) < 2)
    return createUnknownAnswer('there are too few customers to infer this from', pageWithLimit1);
  if (countCustomers(pageWithLimit1) === 1) return createCertainAnswer('yes', pageWithLimit1);
  const defaultLength = countCustomers(findPageWithoutParameters(evidence));
  if (defaultLength === 0)
    return createUnknownAnswer('there is no page without a limit to compare with', pageWithLimit1);
  if (countCustomers(pageWithLimit1) !== defaultLength) {
    const reason = 'a page with a limit of 1 has neither one customer nor as many as without a limit';
    return createUnknownAnswer(reason, pageWithLimit1);
  }
  const pages = listPagesFromStart(evidence);
  const pageWithOtherLength = pages.find((page) => countCustomers(page) !== defaultLength);
  if (!pageWithOtherLength) return createCertainAnswer('no', pageWithLimit1);
  const reason = 'a limit of 1 is not applied, though another one is';
  return createUnknownAnswer(reason, pageWithLimit1, pageWithOtherLength);
});

const inferRepeatedParameter = inferFromProbe((observation, evidence) => {
  if (countKnownCustomers(evidence) < 3)
    return createUnknownAnswer('there are too few customers to infer this from', observation);
  // The probe is `limit=1&limit=2`, so the length of the page shows which limit was applied.
  const answersByLength = new Map([
    [1, 'the first'],
    [2, 'the last'],
  ]);
  return createCertainAnswer(answersByLength.get(countCustomers(observation)) ?? 'neither', observation);
});

const inferOffsetUnit: Inference = (evidence) => {
  const page = findPageWithoutParameters(evidence);
  const pageAtOffset1 = evidence.findResponse('listCustomers?offset=1');
  if (!page || !pageAtOffset1) return createUnknownAnswer(evidence.notSentReason);
  if (countCustomers(page) < 2)
    return answerIfError(page, evidence) ?? createUnknownAnswer('a page holds less than two customers', page);
  const errorAnswer = answerIfError(pageAtOffset1, evidence);
  const isWholeListOnPage = countKnownCustomers(evidence) === countCustomers(page);
  if (errorAnswer && isWholeListOnPage)
    return createUnknownAnswer('a second page need not exist', page, pageAtOffset1);
  if (errorAnswer) return errorAnswer;
  return unknownIfListChanged(evidence, inferUnitFromPages(evidence, page, pageAtOffset1));
};

/** Infers from two pages what `offset` counts. The answer is `records`, `pages`, `nothing` or `unknown`. */
function inferUnitFromPages(
  evidence: Evidence,
  pageAtOffset0: Observation,
  pageAtOffset1: Observation,
): InferredAnswer {
  const idsAtOffset0 = listCustomerIds(pageAtOffset0);
  const idsAtOffset1 = listCustomerIds(pageAtOffset1);
  // The page at offset 0 has at least two customers. If `offset` counted customers, the page at offset 1 would not be empty.
  if (idsAtOffset1.length === 0) return createLikelyAnswer('pages', pageAtOffset0, pageAtOffset1);
  const unit = detectOffsetUnit(idsAtOffset0, idsAtOffset1);
  const isOrderUnstable = inferOrder(evidence).answer === 'no';
  if (unit && !isOrderUnstable) return createCertainAnswer(unit, pageAtOffset0, pageAtOffset1);
  const beginWithSameCustomer = idsAtOffset0[0] === idsAtOffset1[0];
  if (!beginWithSameCustomer)
    return createUnknownAnswer('the order of the list has changed', pageAtOffset0, pageAtOffset1);
  const pagesWithOffset = listUnfilteredPages(evidence).filter(({ parameters }) =>
    Object.hasOwn(parameters, 'offset'),
  );
  const pageWithEffect = pagesWithOffset.find((page) => {
    const [firstId] = listCustomerIds(page);
    return firstId !== undefined && firstId !== idsAtOffset1[0];
  });
  if (pageWithEffect) {
    const reason = '`offset=1` alone has no effect, but another page begins with another customer';
    return createUnknownAnswer(reason, pageAtOffset0, pageAtOffset1, pageWithEffect);
  }
  // If even a page beyond the end of the list begins with this customer, the target ignores `offset`.
  const pageBeyondEnd = evidence.findProbeResponse('beyond-the-end');
  const [firstBeyondEnd] = listCustomerIds(pageBeyondEnd);
  if (isSuccess(pageBeyondEnd) && firstBeyondEnd === idsAtOffset1[0])
    return createCertainAnswer('nothing', pageAtOffset0, pageAtOffset1, pageBeyondEnd);
  const reason = '`offset` has no effect between 0 and 1, and may have one beyond';
  return createUnknownAnswer(reason, pageAtOffset0, pageAtOffset1);
}

const inferPageContents = inferFromProbe((observation, evidence) => {
  if (countKnownCustomers(evidence) === 0) return createUnknownAnswer('the list is empty', observation);
  if (!hasList(observation)) return createCertainAnswer('no list', observation);
  return createCertainAnswer(countCustomers(observation) === 0 ? 'an empty list' : 'customers', observation);
});

/** Returns whether two lists show their common customers in the same order: true for `[a, b, c]` and `[a, c, d]`. */
export const haveSameRelativeOrder = (ids: string[], otherIds: string[]): boolean =>
  areEqualLists(listCommonIds(ids, otherIds), listCommonIds(otherIds, ids));

export function listCommonIds(ids: string[], otherIds: string[]): string[] {
  const otherIdSet = new Set(otherIds);
  return [...new Set(ids)].filter((id) => otherIdSet.has(id));
}

/** Infers from overlapping pages whether the list kept its order during the run. */
function inferOrder(evidence: Evidence): InferredAnswer {
  const longestPage = findLongestPage(listPagesFromStart(evidence));
  const ids = listCustomerIds(longestPage);
  const otherPages = listUnfilteredPages(evidence).filter((page) => page !== longestPage);
  const overlappingPages = otherPages.filter((page) => listCommonIds(listCustomerIds(page), ids).length > 1);
  if (!longestPage || overlappingPages.length === 0)
    return createUnknownAnswer('no two pages have customers in common');
  const reorderedPages = overlappingPages.filter(
    (page) => !haveSameRelativeOrder(listCustomerIds(page), ids),
  );
  if (reorderedPages.length === 0)
    return createLikelyAnswer('yes, within a run', longestPage, ...overlappingPages.slice(0, 3));
  // If the list was edited once, each page has the order before or after the edit: that of the longest page, or that of its repetition at
  // the end of the run. A page in a third order proves that the order is unstable.
  const repeatedPage = evidence.findRepeatedResponse(longestPage);
  if (repeatedPage) {
    const repeatedIds = listCustomerIds(repeatedPage);
    const pageInThirdOrder = reorderedPages.find(
      (page) => !haveSameRelativeOrder(listCustomerIds(page), repeatedIds),
    );
    if (pageInThirdOrder) return createCertainAnswer('no', longestPage, pageInThirdOrder);
  }
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

const sourceRequests = [
  'listCustomers',
  'listCustomers?linked_source_type=User',
  'listCustomers?linked_source_type=Store',
];
const sourceProbesWithGreatLimit = [
  'listCustomers?limit=1000',
  'listCustomers?limit=1000&linked_source_type=User',
  'listCustomers?limit=1000&linked_source_type=Store',
];

function findSourcePages({
  findResponse,
}: Evidence): [pageWithoutSource: Observation, userPage: Observation, storePage: Observation] | undefined {
  const longPages = sourceProbesWithGreatLimit.map(findResponse);
  // These requests are sent even if `PROBES` is off.
  const shortPages = sourceRequests.map(findResponse);
  const [pageWithoutSource, userPage, storePage] = longPages.every(isSuccess) ? longPages : shortPages;
  if (!pageWithoutSource || !userPage || !storePage) return undefined;
  return [pageWithoutSource, userPage, storePage];
}

/** Infers which customers are listed without `linked_source_type` (contract section 4.2). */
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
  // If no customer is of `Store`, the customers of `User` are also those of both.
  const isOneSourceEmpty = userIds.length === 0 || storeIds.length === 0;
  return isOneSourceEmpty ? createUnknownAnswer('one source has no customers', ...pages) : likelyAnswer;
};

interface CustomersBySource {
  idsWithoutSource: string[];
  /** Ids from all pages that were requested without `linked_source_type`. */
  idsOnAllPages: string[];
  userIds: string[];
  storeIds: string[];
}

function findListedSources({
  idsWithoutSource,
  idsOnAllPages,
  userIds,
  storeIds,
}: CustomersBySource): 'those of User' | 'those of Store' | 'those of both' | undefined {
  // Another page without `linked_source_type` may show customers that are not on this page.
  const areSomeOnOtherPages = (ids: string[]) =>
    ids.some((id) => idsOnAllPages.includes(id) && !idsWithoutSource.includes(id));
  if (haveSameCustomers(idsWithoutSource, userIds) && !areSomeOnOtherPages(storeIds)) return 'those of User';
  if (haveSameCustomers(idsWithoutSource, storeIds) && !areSomeOnOtherPages(userIds)) return 'those of Store';
  // If all customers on the page are of one source, customers of the other source may follow on a later page.
  const areAllOfOneSource = isSubsetOf(idsWithoutSource, userIds) || isSubsetOf(idsWithoutSource, storeIds);
  if (areAllOfOneSource) return undefined;
  return isSubsetOf(idsWithoutSource, [...userIds, ...storeIds]) ? 'those of both' : undefined;
}

/**
 * Infers the effect of a parameter such as `limit=-1`, or of a slash at the end of the path, from a comparison with the page
 * without parameters.
 */
export function compareWithDefaultPage(observation: Observation, evidence: Evidence): InferredAnswer {
  const ids = listCustomerIds(observation);
  const defaultPage = findPageWithoutParameters(evidence);
  if (!isSuccess(defaultPage) || countCustomers(defaultPage) === 0)
    return createUnknownAnswer('there is no list to compare it with', observation);
  // Go, for example, encodes an empty slice that was never allocated as `null`.
  if (!hasList(observation)) return createCertainAnswer('no list', observation, defaultPage);
  if (ids.length === 0) return createCertainAnswer('an empty list', observation, defaultPage);
  if (!haveSameCustomers(ids, listCustomerIds(defaultPage)))
    return unknownIfListChanged(evidence, createCertainAnswer('other customers', observation));
  const isListLongerThanPage = countKnownCustomers(evidence) > countCustomers(defaultPage);
  const answer = 'as if it were not there';
  if (isListLongerThanPage) return createCertainAnswer(answer, observation, defaultPage);
  // A list that fits on one page is the same with any `limit`. It may also hide the effect of another parameter.
  const hasLimit = Object.hasOwn(observation.parameters, 'limit');
  if (hasLimit) return createUnknownAnswer('the list is no longer than a page', observation);
  return createLikelyAnswer(answer, observation, defaultPage);
}

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
  'omitted-source': inferOmittedSource,
  'source-letter-case': inferLetterCase,
};
