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

/** Returns a hash for each customer in a response, in the order of the list. */
export const listIdentities = (observation: Observation | undefined) =>
  observation?.content?.lists.customers ?? [];
export const countCustomers = (observation: Observation | undefined) => listIdentities(observation).length;
const findPlainPage = ({ findResponse }: Evidence) => findResponse('listCustomers');

export const listAllPages = ({ responses }: Evidence) =>
  responses.filter((observation) => isSuccess(observation) && observation.operation === 'listCustomers');

const listUnfilteredPages = (evidence: Evidence) =>
  listAllPages(evidence).filter(({ parameters }) => !Object.hasOwn(parameters, 'linked_source_type'));

/** Selects the pages from the beginning of the list: those requested without parameters, or only with `limit`. */
const listFirstPages = (evidence: Evidence) =>
  listUnfilteredPages(evidence).filter(({ exchange }) => /^[^?]+(\?limit=\d{1,4})?$/.test(exchange));

const findLongestPage = (pages: Observation[]): Observation | undefined =>
  pages.toSorted((a, b) => countCustomers(b) - countCustomers(a))[0];

/** Counts the different customers on all pages. Returns the length of the longest page if that is more, because of duplicates. */
function countPopulation(evidence: Evidence): number {
  const pages = listUnfilteredPages(evidence);
  const differentCustomers = new Set(pages.flatMap(listIdentities));
  return Math.max(differentCustomers.size, countCustomers(findLongestPage(pages)));
}

const areEqual = (a: string[], b: string[]) => a.join() === b.join();
const isSubsetOf = (ids: string[], otherIds: string[]) =>
  new Set([...otherIds, ...ids]).size === new Set(otherIds).size;
const haveSameCustomers = (a: string[], b: string[]) => isSubsetOf(a, b) && isSubsetOf(b, a);

/**
 * Finds the pages that are requested again to see whether the list has changed: the page without parameters and, of the pages from
 * the beginning of the list, the one with the most customers.
 */
const findPagesToRepeat = (evidence: Evidence): Observation[] => {
  const pages = [findPlainPage(evidence), findLongestPage(listFirstPages(evidence))];
  return [...new Set(pages)].filter(isSuccess);
};

export const listRepeatedRequests = (evidence: Evidence): string[] =>
  findPagesToRepeat(evidence).map(({ operation, exchange }) => operation + exchange.replace(/^[^?]+/, ''));

/** Returns `unknown` in place of the answer if a repeated request shows that the list changed during the run. */
export function unknownIfListChanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const page of findPagesToRepeat(evidence)) {
    const repeatedPage = evidence.findRepeated(page);
    const hasChanged = repeatedPage && !areEqual(listIdentities(page), listIdentities(repeatedPage));
    if (hasChanged) return createUnknownAnswer('the list has changed while it was requested', page);
  }
  return answer;
}

const answerForShortList = (observation: Observation): InferredAnswer => ({
  ...createCertainAnswer('not reached by this list', observation),
  confidence: 'unknown',
});

/** Infers how many customers a page without `limit` has (contract section 4.2). Unknown if it may hold the whole list. */
const inferDefaultPageSize: Inference = (evidence) => {
  const page = findPlainPage(evidence);
  if (!page) return createUnknownAnswer(evidence.notSentReason);
  const size = countCustomers(page);
  if (size === 0) return answerNonSuccess(page, evidence) ?? createUnknownAnswer('the list is empty', page);
  return countPopulation(evidence) > size
    ? unknownIfListChanged(evidence, createCertainAnswer(`${size}`, page))
    : answerForShortList(page);
};

/** Infers the maximum number of customers on a page (contract section 4.2). Unknown if the longest page may be the whole list. */
const inferGreatestPageSize: Inference = (evidence, { id }) => {
  const probe = evidence.findProbe(id);
  if (!probe) return createUnknownAnswer(evidence.notSentReason);
  const pages = listFirstPages(evidence);
  const longest = findLongestPage(pages);
  if (!probe.content || !longest)
    return createUnknownAnswer(probe.content?.error?.label ?? unreadableReason, probe);
  const size = countCustomers(longest);
  if (size === 0) return createUnknownAnswer('the list is empty', probe);
  const longestPages = pages.filter((page) => countCustomers(page) === size);
  const limitsOfLongestPages = longestPages.map(({ parameters: { limit = '0' } }) => Number(limit));
  // A page that is as long without a limit, or with a greater limit, may end because the list ends.
  const isCutByLimit =
    countCustomers(findPlainPage(evidence)) < size && limitsOfLongestPages.every((limit) => limit <= size);
  const isListLonger = isCutByLimit || countPopulation(evidence) > size;
  return isListLonger
    ? unknownIfListChanged(evidence, createLikelyAnswer(`${size}`, longest, probe))
    : answerForShortList(longest);
};

const inferLimitHonoured = inferFromProbe((observation, evidence) => {
  const [pages, plainPage] = [listFirstPages(evidence), findPlainPage(evidence)];
  if (countPopulation(evidence) < 2)
    return createUnknownAnswer('there are too few customers to infer this from', observation);
  if (countCustomers(observation) === 1) return createCertainAnswer('yes', observation);
  const pageWithOtherLength = pages.find((page) => countCustomers(page) !== countCustomers(plainPage));
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

/** Infers what `offset` counts (contract section 4.2): `records` (customers), `pages`, or `nothing` if it has no effect. */
const inferOffsetUnit: Inference = (evidence) => {
  const [page, pageAtOffset1] = [findPlainPage(evidence), evidence.findResponse('listCustomers?offset=1')];
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

/** Infers what `offset` counts: `nothing` if the pages at offset 0, at offset 1 and far beyond the end begin alike. */
function inferUnit(evidence: Evidence, page: Observation, pageAtOffset1: Observation): InferredAnswer {
  const [ids, idsAtOffset1] = [listIdentities(page), listIdentities(pageAtOffset1)];
  const [firstAtOffset1] = idsAtOffset1;
  // The page at offset 1 is empty if one page holds all customers and `offset` counts pages.
  if (firstAtOffset1 === undefined) return createLikelyAnswer('pages', page, pageAtOffset1);
  const unit = detectOffsetUnit(ids, idsAtOffset1);
  if (unit && inferOrder(evidence).answer !== 'no') return createCertainAnswer(unit, page, pageAtOffset1);
  // If the target ignores `offset`, both pages begin with the same customer.
  if (firstAtOffset1 !== ids[0])
    return createUnknownAnswer('the order of the list has changed', page, pageAtOffset1);
  const pageBeyondEnd = evidence.findProbe('beyond-the-end');
  if (isSuccess(pageBeyondEnd) && listIdentities(pageBeyondEnd)[0] === firstAtOffset1)
    return createCertainAnswer('nothing', page, pageAtOffset1, pageBeyondEnd);
  const reason = '`offset` has no effect between 0 and 1, and may have one beyond';
  return createUnknownAnswer(reason, page, pageAtOffset1);
}

const inferPageContents = inferFromProbe((observation, evidence) => {
  if (countPopulation(evidence) === 0) return createUnknownAnswer('the list is empty', observation);
  if (observation.content?.lists.customers === undefined) return createCertainAnswer('no list', observation);
  return createCertainAnswer(countCustomers(observation) === 0 ? 'an empty list' : 'customers', observation);
});

/** Returns whether the customers that occur in both lists, given by their hashes, are in the same order in both. */
export const hasSameOrder = (ids: string[], otherIds: string[]): boolean =>
  areEqual(listCommon(ids, otherIds), listCommon(otherIds, ids));

function listCommon(ids: string[], otherIds: string[]): string[] {
  const otherSet = new Set(otherIds);
  return [...new Set(ids)].filter((id) => otherSet.has(id));
}

/**
 * Infers whether the order of the list is stable: whether all pages list their customers in the order of the longest page.
 * Unknown if no page can be compared, or if customers were moved during the run.
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
  const plainPage = findPlainPage(evidence);
  if (countCustomers(plainPage) === 0) return createUnknownAnswer(noComparison, observation);
  if (areEqual(listIdentities(plainPage), listIdentities(observation)))
    return createCertainAnswer('the same', observation);
  return unknownIfListChanged(evidence, createCertainAnswer('an answer of its own', observation));
});

/**
 * Queries for three lists to compare: of all customers, of source `User` and of source `Store`. The first three give longer
 * pages; the other three are sent even without probes.
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
 * Infers which customers a list without `linked_source_type` holds (contract section 4.2). Unknown if the pages do not show it,
 * for example because they may not hold all customers.
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
  // Customers of the other source may follow on a later page of the list without a source.
  const holdsOnly = (ids: string[], otherIds: string[]) =>
    haveSameCustomers(all, ids) && !otherIds.some((id) => idsOnOtherPages.includes(id));
  const answerForOneSource = (answer: string, otherIds: string[]) =>
    otherIds.length > 0
      ? createLikelyAnswer(answer, ...pages)
      : createUnknownAnswer('one source has no customers', ...pages);
  if (holdsOnly(users, stores)) return answerForOneSource('those of User', stores);
  if (holdsOnly(stores, users)) return answerForOneSource('those of Store', users);
  const holdsBoth =
    !isSubsetOf(all, users) && !isSubsetOf(all, stores) && isSubsetOf(all, [...users, ...stores]);
  return holdsBoth
    ? unknownIfListChanged(evidence, createLikelyAnswer('those of both', ...pages))
    : createUnknownAnswer('these pages may not hold all customers', ...pages);
};

/** Infers the effect of a parameter such as `limit=-1`, by comparison with the list without parameters. */
export function compareList(observation: Observation, evidence: Evidence): InferredAnswer {
  const [ids, plainPage] = [listIdentities(observation), findPlainPage(evidence)];
  if (!isSuccess(plainPage) || countCustomers(plainPage) === 0)
    return createUnknownAnswer(noComparison, observation);
  if (ids.length === 0) return createCertainAnswer('an empty list', observation, plainPage);
  if (!haveSameCustomers(ids, listIdentities(plainPage)))
    return unknownIfListChanged(evidence, createCertainAnswer('other customers', observation));
  const isLonger = countPopulation(evidence) > countCustomers(plainPage);
  // A list that fits on one page is the same with any limit.
  if (Object.hasOwn(observation.parameters, 'limit') && !isLonger)
    return createUnknownAnswer('the list is no longer than a page', observation);
  const createAnswer = isLonger ? createCertainAnswer : createLikelyAnswer;
  return createAnswer('as if it were not there', observation, plainPage);
}

/** Infers whether the target accepts `linked_source_type=store` in place of `Store`: whether both give the same customers. */
const inferLetterCase = inferFromProbe((observation, evidence) => {
  const [documented, plainPage] = [
    evidence.findResponse('listCustomers?linked_source_type=Store'),
    findPlainPage(evidence),
  ];
  if (countCustomers(documented) === 0)
    return createUnknownAnswer('no customer of `Store` is listed', observation);
  if (!haveSameCustomers(listIdentities(observation), listIdentities(documented)))
    return compareList(observation, evidence);
  return haveSameCustomers(listIdentities(observation), listIdentities(plainPage))
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
