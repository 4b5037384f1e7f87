import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import {
  answerNonSuccess,
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  isSuccess,
  likely,
  probed,
  unknown,
  unreadable,
} from './evidence.ts';

/** Returns the hashed identities of the customers that a response lists, in the order of the response; empty without a list. */
export const listIdentities = (observation: Observation | undefined) =>
  observation?.content?.lists.customers ?? [];
/** Counts the elements of the customer list of a response; a customer that is listed twice counts twice. */
export const countCustomers = (observation: Observation | undefined) => listIdentities(observation).length;
/** Finds the response to the list without parameters. */
const findPlainList = ({ find }: Evidence) => find('listCustomers');

/** Lists the successful pages of the customer list that were requested without `linked_source_type`. */
const listPages = ({ recorded }: Evidence) =>
  recorded.filter(
    (observation) =>
      isSuccess(observation) &&
      observation.operation === 'listCustomers' &&
      !Object.hasOwn(observation.parameters, 'linked_source_type'),
  );

/** Lists the pages that were requested with no parameter, or only with a `limit` of up to four digits. */
const listFirstPages = (evidence: Evidence) =>
  listPages(evidence).filter(({ exchange }) => /^[^?]+(\?limit=\d{1,4})?$/.test(exchange));

const findLongest = (pages: Observation[]): Observation | undefined =>
  pages.toSorted((a, b) => countCustomers(b) - countCustomers(a))[0];

/** Counts the different customers on all pages, or the elements of the longest page if these are more: a minimum of the list. */
function countPopulation(evidence: Evidence): number {
  const pages = listPages(evidence);
  return Math.max(new Set(pages.flatMap(listIdentities)).size, countCustomers(findLongest(pages)));
}

const isSame = (a: string[], b: string[]) => a.join() === b.join();
const isSubset = (ids: string[], otherIds: string[]) =>
  new Set([...otherIds, ...ids]).size === new Set(otherIds).size;
const haveSameCustomers = (a: string[], b: string[]) => isSubset(a, b) && isSubset(b, a);

/** Lists the successful responses with which other lists are compared: without parameters, and the longest from the beginning. */
const findReferenceLists = (evidence: Evidence): Observation[] => {
  const lists = [findPlainList(evidence), findLongest(listFirstPages(evidence))];
  return [...new Set(lists)].filter(isSuccess);
};

/** Lists the requests to repeat after all others, to see whether the list has changed, such as `listCustomers?limit=1000`. */
export const listRepeatedRequests = (evidence: Evidence): string[] =>
  findReferenceLists(evidence).map(({ operation, exchange }) => operation + exchange.replace(/^[^?]+/, ''));

/** Returns an answer that comes from comparing lists, or `unknown` if a repeated list shows that the list changed during the run. */
export function unlessChanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const list of findReferenceLists(evidence)) {
    const [before, after] = [listIdentities(list), listIdentities(evidence.again(list) ?? list)];
    if (!isSame(before, after)) return unknown('the list has changed while it was requested', list);
  }
  return answer;
}

/** Creates an answer of confidence `unknown`, because the list is too short to reach the limit in question. */
const answerForShortList = (observation: Observation): InferredAnswer => ({
  ...certain('not reached by this list', observation),
  confidence: 'unknown',
});

/** Answers with the length of the page without `limit`, if other pages show that the list goes on. */
const inferDefaultPageSize: Inference = (evidence) => {
  const page = findPlainList(evidence);
  if (!page) return unknown(evidence.notAskedReason);
  const size = countCustomers(page);
  if (size === 0) return answerNonSuccess(page, evidence) ?? unknown('the list is empty', page);
  return countPopulation(evidence) > size
    ? unlessChanged(evidence, certain(`${size}`, page))
    : answerForShortList(page);
};

/** Answers with the length of the longest page, if it ends because of a maximum of the target, not because the list ends. */
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
  // A list that is as long without a limit, or with a greater limit, may end there.
  const isLimit = countCustomers(findPlainList(evidence)) < size && limits.every((limit) => limit <= size);
  return isLimit || countPopulation(evidence) > size
    ? unlessChanged(evidence, likely(`${size}`, longest, probe))
    : answerForShortList(longest);
};

/** Answers whether `limit=1` is applied: the page has one customer. */
const inferLimitHonoured = probed((observation, evidence) => {
  const [pages, plain] = [listFirstPages(evidence), findPlainList(evidence)];
  if (countPopulation(evidence) < 2)
    return unknown('there are too few customers to infer this from', observation);
  if (countCustomers(observation) === 1) return certain('yes', observation);
  const applied = pages.find((page) => countCustomers(page) !== countCustomers(plain));
  return applied
    ? unknown('a limit of 1 is not applied, though another one is', observation, applied)
    : certain('no', observation);
});

/** Answers which value of a repeated parameter, `limit=1&limit=2`, is applied, by the length of the page. */
const inferRepeatedParameter = probed((observation, evidence) => {
  if (countPopulation(evidence) < 3)
    return unknown('there are too few customers to infer this from', observation);
  // The limits are 1 and 2, so the length of the page is the limit that was applied.
  const answersByLength = new Map([
    [1, 'the first'],
    [2, 'the last'],
  ]);
  return certain(answersByLength.get(countCustomers(observation)) ?? 'neither', observation);
});

/** Answers whether `offset` counts customers or pages. */
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

/** Infers the unit of `offset` from the pages at offset 0 and 1; `nothing` if `offset` has no effect at all. */
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

/** Answers whether the page of the question holds `customers` or `an empty list`. */
const inferPageContents = probed((observation, evidence) => {
  if (countPopulation(evidence) === 0) return unknown('the list is empty', observation);
  if (observation.content?.lists.customers === undefined) return certain('no list', observation);
  return certain(countCustomers(observation) === 0 ? 'an empty list' : 'customers', observation);
});

/** Checks that the identities which two lists have in common stand in the same order in both. */
export const hasSameOrder = (ids: string[], otherIds: string[]): boolean =>
  isSame(listCommon(ids, otherIds), listCommon(otherIds, ids));

/** Lists the identities that both lists have, once each, in the order of the first list. */
function listCommon(ids: string[], otherIds: string[]): string[] {
  const otherSet = new Set(otherIds);
  return [...new Set(ids)].filter((id) => otherSet.has(id));
}

/** Answers whether all pages list customers in the order of the longest page. */
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

/** Answers which headers or fields of a page may announce how many customers there are, such as `header x-total-count`. */
const inferTotalAnnounced: Inference = (evidence) => {
  const [pages, all] = [listPages(evidence), countPopulation(evidence)];
  // If every page holds the whole list, a header such as `link` for the next page may be left out.
  if (pages.every((page) => countCustomers(page) === all)) return unknown('no page leaves customers out');
  const names = new Set(pages.flatMap(({ content }) => content?.announcements ?? []));
  return likely([...names].sort().join(', ') || 'no', ...pages.slice(0, 1));
};

const noComparison = 'there is no list to compare it with';

/** Answers whether the path with a slash at the end returns the list that the path without it returns. */
const inferTrailingSlash = probed((observation, evidence) => {
  const plain = findPlainList(evidence);
  if (countCustomers(plain) === 0) return unknown(noComparison, observation);
  if (isSame(listIdentities(plain), listIdentities(observation))) return certain('the same', observation);
  return unlessChanged(evidence, certain('an answer of its own', observation));
});

/**
 * Queries for three pages to compare: without `linked_source_type`, of `User` and of `Store`. The pages with `limit=1000` hold more
 * customers; those without it were sent in any case.
 */
const sourceQueries = [
  ['?limit=1000', '?limit=1000&linked_source_type=User', '?limit=1000&linked_source_type=Store'],
  ['', '?linked_source_type=User', '?linked_source_type=Store'],
];

/** Answers which customers a list without `linked_source_type` holds: those of `User`, of `Store`, or of both. */
const inferOmittedSource: Inference = (evidence) => {
  const sets = sourceQueries.map((queries) =>
    queries.flatMap((query) => evidence.find(`listCustomers${query}`) ?? []),
  );
  const isComparable = (set: Observation[]) => set.length === 3 && set.every(isSuccess);
  const pages = sets.find(isComparable) ?? sets[1] ?? [];
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

/** Compares the page of a probe, such as `limit=-1`, with the list without parameters: "other customers", "as if it were not there". */
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

/** Answers whether a source in other letters, such as `store`, is taken for the documented `Store`. */
const inferLetterCase = probed((observation, evidence) => {
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

/** Functions that answer the questions about the customer list, by id of the question. */
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
