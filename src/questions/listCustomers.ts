import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import {
  answerNonSuccess,
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  inferFromProbe,
  isSuccess,
  likely,
  unknown,
  unreadable,
} from './evidence.ts';

/** Returns a hash for each customer in a response, in the order of the response; empty if it holds no customer list. */
export const listIdentities = (observation: Observation | undefined) =>
  observation?.content?.lists.customers ?? [];
/** Counts the customers in a response; one that is listed twice counts twice. 0 if the response holds no customer list. */
export const countCustomers = (observation: Observation | undefined) => listIdentities(observation).length;
/** Finds the response to the request for the customer list without parameters; undefined if it was not sent. */
const findPlainList = ({ find }: Evidence) => find('listCustomers');

/** Selects the successful pages of the customer list that were requested without `linked_source_type`. */
const listPages = ({ recorded }: Evidence) =>
  recorded.filter(
    (observation) =>
      isSuccess(observation) &&
      observation.operation === 'listCustomers' &&
      !Object.hasOwn(observation.parameters, 'linked_source_type'),
  );

/**
 * Selects the pages from the beginning of the customer list: requested without parameters, or only with a `limit` of up to four
 * digits.
 */
const listFirstPages = (evidence: Evidence) =>
  listPages(evidence).filter(({ exchange }) => /^[^?]+(\?limit=\d{1,4})?$/.test(exchange));

/** Finds the page with the most customers, the first of several; undefined if there is no page. */
const findLongest = (pages: Observation[]): Observation | undefined =>
  pages.toSorted((a, b) => countCustomers(b) - countCustomers(a))[0];

/**
 * Returns the least number of customers that the list must have: the number of different customers on all pages, or the length of
 * the longest page if that is more, because a page may list a customer twice.
 */
function countPopulation(evidence: Evidence): number {
  const pages = listPages(evidence);
  return Math.max(new Set(pages.flatMap(listIdentities)).size, countCustomers(findLongest(pages)));
}

/** Returns whether two lists have the same identities in the same order. */
const isSame = (a: string[], b: string[]) => a.join() === b.join();
/** Returns whether the second list has all identities of the first one, in any order. */
const isSubset = (ids: string[], otherIds: string[]) =>
  new Set([...otherIds, ...ids]).size === new Set(otherIds).size;
/** Returns whether two lists have the same identities, in any order. */
const haveSameCustomers = (a: string[], b: string[]) => isSubset(a, b) && isSubset(b, a);

/**
 * Finds the pages of the customer list with which other pages are compared: the successful response without parameters, and the
 * longest page from the beginning of the list.
 */
const findReferenceLists = (evidence: Evidence): Observation[] => {
  const lists = [findPlainList(evidence), findLongest(listFirstPages(evidence))];
  return [...new Set(lists)].filter(isSuccess);
};

/**
 * Lists the requests to repeat after all probes, such as `listCustomers?limit=1000`, so that a change of the customer list is seen.
 */
export const listRepeatedRequests = (evidence: Evidence): string[] =>
  findReferenceLists(evidence).map(({ operation, exchange }) => operation + exchange.replace(/^[^?]+/, ''));

/**
 * Returns an answer that follows from comparing customer lists. Returns `unknown` in its place if a repeated request shows that the
 * list changed during the run.
 */
export function unlessChanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const list of findReferenceLists(evidence)) {
    const [before, after] = [listIdentities(list), listIdentities(evidence.again(list) ?? list)];
    if (!isSame(before, after)) return unknown('the list has changed while it was requested', list);
  }
  return answer;
}

/** Creates the answer "not reached by this list", of confidence `unknown`: the customer list is too short to show a page size. */
const answerForShortList = (observation: Observation): InferredAnswer => ({
  ...certain('not reached by this list', observation),
  confidence: 'unknown',
});

/**
 * Answers how many customers a page without `limit` has (contract section 4.2), such as `100`. Unknown unless other pages show that
 * the list has more customers than this page.
 */
const inferDefaultPageSize: Inference = (evidence) => {
  const page = findPlainList(evidence);
  if (!page) return unknown(evidence.notAskedReason);
  const size = countCustomers(page);
  if (size === 0) return answerNonSuccess(page, evidence) ?? unknown('the list is empty', page);
  return countPopulation(evidence) > size
    ? unlessChanged(evidence, certain(`${size}`, page))
    : answerForShortList(page);
};

/**
 * Answers how many customers the longest possible page has (contract section 4.2), such as `500`. Unknown if the longest page may
 * end because the list ends there, rather than because of a maximum of the target.
 */
const inferGreatestPageSize: Inference = (evidence, { id }) => {
  const [probe, pages] = [evidence.probe(id), listFirstPages(evidence)];
  const longest = findLongest(pages);
  if (!probe) return unknown(evidence.notAskedReason);
  if (!probe.content || !longest) return unknown(probe.content?.error?.label ?? unreadable, probe);
  const size = countCustomers(longest);
  if (size === 0) return unknown('the list is empty', probe);
  const limits = pages
    .filter((page) => countCustomers(page) === size)
    .map(({ parameters: { limit = '0' } }) => Number(limit));
  // A page that is as long without a limit, or with a greater limit, may end because the list ends.
  const isCutByLimit =
    countCustomers(findPlainList(evidence)) < size && limits.every((limit) => limit <= size);
  return isCutByLimit || countPopulation(evidence) > size
    ? unlessChanged(evidence, likely(`${size}`, longest, probe))
    : answerForShortList(longest);
};

/**
 * Answers whether the target applies `limit`: `yes` if the page with `limit=1` has one customer, else `no`. Unknown if the list has
 * less than two customers, or if another `limit` is applied.
 */
const inferLimitHonoured = inferFromProbe((observation, evidence) => {
  const [pages, plain] = [listFirstPages(evidence), findPlainList(evidence)];
  if (countPopulation(evidence) < 2)
    return unknown('there are too few customers to infer this from', observation);
  if (countCustomers(observation) === 1) return certain('yes', observation);
  const applied = pages.find((page) => countCustomers(page) !== countCustomers(plain));
  return applied
    ? unknown('a limit of 1 is not applied, though another one is', observation, applied)
    : certain('no', observation);
});

/**
 * Answers which value of a repeated parameter counts, by the length of the page for `limit=1&limit=2`: `the first`, `the last` or
 * `neither`. Unknown if the list has less than three customers.
 */
const inferRepeatedParameter = inferFromProbe((observation, evidence) => {
  if (countPopulation(evidence) < 3)
    return unknown('there are too few customers to infer this from', observation);
  // The limits are 1 and 2, so the length of the page is the limit that was applied.
  const answersByLength = new Map([
    [1, 'the first'],
    [2, 'the last'],
  ]);
  return certain(answersByLength.get(countCustomers(observation)) ?? 'neither', observation);
});

/**
 * Answers whether `offset` counts customers (`records`) or `pages` (contract section 4.2), or has no effect (`nothing`), by the
 * pages at offset 0 and 1.
 */
const inferOffsetUnit: Inference = (evidence) => {
  const [page, pageAtOffset1] = [findPlainList(evidence), evidence.find('listCustomers?offset=1')];
  if (!page || !pageAtOffset1) return unknown(evidence.notAskedReason);
  if (countCustomers(page) < 2)
    return answerNonSuccess(page, evidence) ?? unknown('a page holds less than two customers', page);
  const rejection = answerNonSuccess(pageAtOffset1, evidence);
  if (rejection && countPopulation(evidence) === countCustomers(page))
    return unknown('a second page need not exist', page, pageAtOffset1);
  return rejection ?? unlessChanged(evidence, inferUnit(evidence, page, pageAtOffset1));
};

/**
 * Infers the unit of `offset` from two successful pages: `records`, `pages`, or `nothing` if both pages, and one far beyond the
 * end, begin with the same customer. Unknown if the order of the list changed.
 * @param page page at offset 0
 */
function inferUnit(evidence: Evidence, page: Observation, pageAtOffset1: Observation): InferredAnswer {
  const [ids, [first]] = [listIdentities(page), listIdentities(pageAtOffset1)];
  // The page at offset 1 is empty if one page holds all customers and `offset` counts pages.
  if (first === undefined) return likely('pages', page, pageAtOffset1);
  const unit = detectOffsetUnit(ids, listIdentities(pageAtOffset1));
  if (unit && inferOrder(evidence).answer !== 'no') return certain(unit, page, pageAtOffset1);
  if (first !== ids[0]) return unknown('the order of the list has changed', page, pageAtOffset1);
  const end = evidence.probe('beyond-the-end');
  return isSuccess(end) && listIdentities(end)[0] === first
    ? certain('nothing', page, pageAtOffset1, end)
    : unknown('`offset` has no effect between 0 and 1, and may have one beyond', page, pageAtOffset1);
}

/**
 * Answers what the page for a probe, such as `offset=1000000`, holds: `customers`, `an empty list`, or `no list`. Unknown for an
 * empty list.
 */
const inferPageContents = inferFromProbe((observation, evidence) => {
  if (countPopulation(evidence) === 0) return unknown('the list is empty', observation);
  if (observation.content?.lists.customers === undefined) return certain('no list', observation);
  return certain(countCustomers(observation) === 0 ? 'an empty list' : 'customers', observation);
});

/** Returns whether the identities that occur in both lists stand in the same order in both. */
export const hasSameOrder = (ids: string[], otherIds: string[]): boolean =>
  isSame(listCommon(ids, otherIds), listCommon(otherIds, ids));

/** Returns the identities that occur in both lists, once each, in the order of the first list. */
function listCommon(ids: string[], otherIds: string[]): string[] {
  const otherSet = new Set(otherIds);
  return [...new Set(ids)].filter((id) => otherSet.has(id));
}

/**
 * Answers whether the order of the customer list is stable: `yes, within a run` if all pages list customers in the order of the
 * longest page, else `no`. Unknown if no page shares two customers with it, or if the list changed meanwhile.
 */
function inferOrder(evidence: Evidence): InferredAnswer {
  const longest = findLongest(listFirstPages(evidence));
  const ids = listIdentities(longest);
  const overlapping = listPages(evidence).filter(
    (page) => page !== longest && listCommon(listIdentities(page), ids).length > 1,
  );
  if (!longest || overlapping.length === 0) return unknown('no two pages have customers in common');
  const wrong = overlapping.filter((page) => !hasSameOrder(listIdentities(page), ids));
  if (wrong.length === 0) return likely('yes, within a run', longest, ...overlapping.slice(0, 3));
  // A page in the order of the repeated longest page proves only that the list has changed.
  const again = evidence.again(longest);
  const proof = wrong.find((page) => again && !hasSameOrder(listIdentities(page), listIdentities(again)));
  return proof
    ? certain('no', longest, proof)
    : unknown('a customer has changed places while the list was requested', longest);
}

/**
 * Answers which headers or fields of a page may tell how many customers there are, such as `header x-total-count`; `no` if there is
 * none. Unknown if every page holds all known customers.
 */
const inferTotalAnnounced: Inference = (evidence) => {
  const [pages, all] = [listPages(evidence), countPopulation(evidence)];
  // If every page holds the whole list, a header such as `link` for the next page may be left out.
  if (pages.every((page) => countCustomers(page) === all)) return unknown('no page leaves customers out');
  const names = new Set(pages.flatMap(({ content }) => content?.announcements ?? []));
  return likely([...names].sort().join(', ') || 'no', ...pages.slice(0, 1));
};

const noComparison = 'there is no list to compare it with';

/**
 * Answers whether the path with a slash at its end returns `the same` customer list as the path without, or `an answer of its own`.
 */
const inferTrailingSlash = inferFromProbe((observation, evidence) => {
  const plain = findPlainList(evidence);
  if (countCustomers(plain) === 0) return unknown(noComparison, observation);
  if (isSame(listIdentities(plain), listIdentities(observation))) return certain('the same', observation);
  return unlessChanged(evidence, certain('an answer of its own', observation));
});

/**
 * Queries for three customer lists to compare: without `linked_source_type`, with `User` and with `Store`. The lists with
 * `limit=1000` come first, because they hold more customers; those without `limit` are sent even without probes.
 */
const sourceQueries = [
  ['?limit=1000', '?limit=1000&linked_source_type=User', '?limit=1000&linked_source_type=Store'],
  ['', '?linked_source_type=User', '?linked_source_type=Store'],
];

/**
 * Answers which customers a list without `linked_source_type` holds (contract section 4.2): `those of User`, `those of Store`, or
 * `those of both`. Unknown if the lists do not tell, for example because they do not hold all customers.
 */
const inferOmittedSource: Inference = (evidence) => {
  const pageTriples = sourceQueries.map((queries) =>
    queries.flatMap((query) => evidence.find(`listCustomers${query}`) ?? []),
  );
  const isComparable = (pages: Observation[]) => pages.length === 3 && pages.every(isSuccess);
  const [, pagesWithoutLimit = []] = pageTriples;
  const pages = pageTriples.find(isComparable) ?? pagesWithoutLimit;
  const [omitted] = pages;
  if (!omitted || pages.length < 3) return unknown(evidence.notAskedReason);
  const [all = [], users = [], stores = []] = pages.map(listIdentities);
  if (all.length === 0)
    return answerNonSuccess(omitted, evidence) ?? unknown('the list without a source is empty', omitted);
  if (haveSameCustomers(users, stores)) return unknown('both sources list the same', ...pages);
  const idsOnOtherPages = listPages(evidence)
    .flatMap(listIdentities)
    .filter((id) => !all.includes(id));
  // The first page may hold one source alone, and a later one the other; a customer may be of both.
  for (const [answer, ofSource, ofOtherSource] of [
    ['those of User', users, stores],
    ['those of Store', stores, users],
  ] as const)
    if (haveSameCustomers(all, ofSource) && !ofOtherSource.some((id) => idsOnOtherPages.includes(id)))
      return ofOtherSource.length > 0
        ? likely(answer, ...pages)
        : unknown('one source has no customers', ...pages);
  const isOfBoth = !isSubset(all, users) && !isSubset(all, stores) && isSubset(all, [...users, ...stores]);
  return isOfBoth
    ? unlessChanged(evidence, likely('those of both', ...pages))
    : unknown('these pages may not hold all customers', ...pages);
};

/**
 * Answers what a parameter of a probe, such as `limit=-1`, changes, by comparison with the customer list without parameters: `as if
 * it were not there`, `an empty list` or `other customers`. Unknown if there is no list to compare, or if it is too short to show
 * the effect of a `limit`.
 */
export function compareList(observation: Observation, evidence: Evidence): InferredAnswer {
  const [ids, plain] = [listIdentities(observation), findPlainList(evidence)];
  if (!isSuccess(plain) || countCustomers(plain) === 0) return unknown(noComparison, observation);
  if (ids.length === 0) return certain('an empty list', observation, plain);
  if (!haveSameCustomers(ids, listIdentities(plain)))
    return unlessChanged(evidence, certain('other customers', observation));
  const isLonger = countPopulation(evidence) > countCustomers(plain);
  // A list that fits on one page is the same with any limit.
  if (Object.hasOwn(observation.parameters, 'limit') && !isLonger)
    return unknown('the list is no longer than a page', observation);
  return (isLonger ? certain : likely)('as if it were not there', observation, plain);
}

/**
 * Answers whether `linked_source_type=store` is taken for the documented `Store`: `as if written as documented`, or else as
 * `compareList` answers. Unknown if no customer of `Store` is listed, or if the list is the same without the parameter.
 */
const inferLetterCase = inferFromProbe((observation, evidence) => {
  const [documented, plain] = [
    evidence.find('listCustomers?linked_source_type=Store'),
    findPlainList(evidence),
  ];
  if (countCustomers(documented) === 0) return unknown('no customer of `Store` is listed', observation);
  if (!haveSameCustomers(listIdentities(observation), listIdentities(documented)))
    return compareList(observation, evidence);
  return haveSameCustomers(listIdentities(observation), listIdentities(plain))
    ? unknown('the list is the same with `Store` and without a source', observation)
    : certain('as if written as documented', observation);
});

/** Functions that infer the answers to questions about the customer list, keyed by id of the question. */
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
