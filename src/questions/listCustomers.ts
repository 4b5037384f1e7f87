import { offsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import {
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  isSuccess,
  likely,
  nonSuccess,
  probed,
  unknown,
  unreadable,
} from './evidence.ts';

/** Identities of the customers of a response, in its order. */
const idsOf = (observation: Observation | undefined) => observation?.content?.lists.customers ?? [];
const countOf = (observation: Observation | undefined) => idsOf(observation).length;
const plainList = ({ asked }: Evidence) => asked('listCustomers');

/** Pages of the whole list, not narrowed to a source. */
const pagesOf = ({ recorded }: Evidence) =>
  recorded.filter(
    (observation) =>
      isSuccess(observation) &&
      observation.operation === 'listCustomers' &&
      !Object.hasOwn(observation.parameters, 'linked_source_type'),
  );

/** Those from the beginning, with a limit as any client may send it, or none. */
const firstPagesOf = (evidence: Evidence) =>
  pagesOf(evidence).filter(({ exchange }) => /^[^?]+(\?limit=\d{1,4})?$/.test(exchange));

const longestOf = (pages: Observation[]): Observation | undefined =>
  pages.toSorted((one, other) => countOf(other) - countOf(one))[0];

/** How many customers the list is known to have, at least. */
function population(evidence: Evidence): number {
  const pages = pagesOf(evidence);
  return Math.max(new Set(pages.flatMap(idsOf)).size, countOf(longestOf(pages)));
}

const isSame = (one: string[], other: string[]) => one.join() === other.join();
const isWithin = (ids: string[], others: string[]) =>
  new Set([...others, ...ids]).size === new Set(others).size;
const hasSame = (one: string[], other: string[]) => isWithin(one, other) && isWithin(other, one);

/** The list without parameters, and the longest list: other lists are compared with both. */
const referenceLists = (evidence: Evidence): Observation[] => {
  const lists = [plainList(evidence), longestOf(firstPagesOf(evidence))];
  return [...new Set(lists)].flatMap((list) => (list && isSuccess(list) ? list : []));
};

/** Lists the requests to repeat once all others were sent, as `operation?query`. */
export const requestsToRepeat = (evidence: Evidence): string[] =>
  referenceLists(evidence).map(({ operation, exchange }) => operation + exchange.replace(/^[^?]+/, ''));

/** An answer that rests on lists which are compared, unless one has changed meanwhile. */
function ifUnchanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const list of referenceLists(evidence)) {
    const [before, after] = [idsOf(list), idsOf(evidence.again(list) ?? list)];
    if (!isSame(before, after)) return unknown('the list has changed while it was requested', list);
  }
  return answer;
}

/** No answer, since the list is too short for one. */
const shortList = (observation: Observation): InferredAnswer => ({
  ...certain('not reached by this list', observation),
  confidence: 'unknown',
});

const defaultPageSize: Inference = (evidence) => {
  const page = plainList(evidence);
  if (!page) return unknown(evidence.notAskedReason);
  const size = countOf(page);
  if (size === 0) return nonSuccess(page, evidence) ?? unknown('the list is empty', page);
  return population(evidence) > size ? ifUnchanged(evidence, certain(`${size}`, page)) : shortList(page);
};

/** How long the longest page is, where a limit, and not the number of customers, sets that. */
const greatestPageSize: Inference = (evidence, { id }) => {
  const [asked, pages] = [evidence.probe(id), firstPagesOf(evidence)];
  const longest = longestOf(pages);
  if (!asked) return unknown(evidence.notAskedReason);
  if (!asked.content || !longest) return unknown(asked.content?.error?.label ?? unreadable, asked);
  const size = countOf(longest);
  if (size === 0) return unknown('the list is empty', asked);
  const limits = pages
    .filter((page) => countOf(page) === size)
    .map(({ parameters: { limit = '0' } }) => Number(limit));
  // A list that is as long without a limit, or with a greater one, may end there.
  const isLimit = countOf(plainList(evidence)) < size && limits.every((limit) => limit <= size);
  return isLimit || population(evidence) > size
    ? ifUnchanged(evidence, likely(`${size}`, longest, asked))
    : shortList(longest);
};

const limitHonoured = probed((observation, evidence) => {
  const [pages, plain] = [firstPagesOf(evidence), plainList(evidence)];
  if (population(evidence) < 2) return unknown('there are too few customers to infer this from', observation);
  if (countOf(observation) === 1) return certain('yes', observation);
  const applied = pages.find((page) => countOf(page) !== countOf(plain));
  return applied
    ? unknown('a limit of 1 is not applied, though another one is', observation, applied)
    : certain('no', observation);
});

const repeatedParameter = probed((observation, evidence) => {
  if (population(evidence) < 3) return unknown('there are too few customers to infer this from', observation);
  const size = countOf(observation);
  return certain(size === 1 ? 'the first' : size === 2 ? 'the last' : 'neither', observation);
});

/** What `offset` counts. */
const offsetCounts: Inference = (evidence) => {
  const [page, moved] = [plainList(evidence), evidence.asked('listCustomers?offset=1')];
  if (!page || !moved) return unknown(evidence.notAskedReason);
  if (countOf(page) < 2)
    return nonSuccess(page, evidence) ?? unknown('a page holds less than two customers', page);
  const rejected = nonSuccess(moved, evidence);
  if (rejected && population(evidence) === countOf(page))
    return unknown('a second page need not exist', page, moved);
  return rejected ?? ifUnchanged(evidence, unitOf(evidence, page, moved));
};

function unitOf(evidence: Evidence, page: Observation, moved: Observation): InferredAnswer {
  const [ids, [first]] = [idsOf(page), idsOf(moved)];
  // The moved page may be empty when one page was all.
  if (first === undefined) return likely('pages', page, moved);
  const unit = offsetUnit(ids, idsOf(moved));
  if (unit && orderOf(evidence).answer !== 'no') return certain(unit, page, moved);
  if (first !== ids[0]) return unknown('the order of the list has changed', page, moved);
  const end = evidence.probe('beyond-the-end');
  return end && isSuccess(end) && idsOf(end)[0] === first
    ? certain('nothing', page, moved, end)
    : unknown('`offset` has no effect between 0 and 1, and may have one beyond', page, moved);
}

/** Whether a page that may be empty holds customers. */
const held = probed((observation, evidence) => {
  if (population(evidence) === 0) return unknown('the list is empty', observation);
  return certain(countOf(observation) === 0 ? 'an empty list' : 'customers', observation);
});

/** Whether customers whom two pages show stand in the same order in both. */
const isInOrder = (one: Observation, other: Observation) => isSame(common(one, other), common(other, one));
const common = (one: Observation, other: Observation) => {
  const ids = new Set(idsOf(other));
  return [...new Set(idsOf(one))].filter((id) => ids.has(id));
};

function orderOf(evidence: Evidence): InferredAnswer {
  const longest = longestOf(firstPagesOf(evidence));
  const shared = pagesOf(evidence).filter(
    (page) => longest && page !== longest && common(page, longest).length > 1,
  );
  if (!longest || shared.length === 0) return unknown('no two pages have customers in common');
  const wrong = shared.filter((page) => !isInOrder(page, longest));
  if (wrong.length === 0) return likely('yes, within a run', longest, ...shared.slice(0, 3));
  // One customer who has moved meanwhile stands elsewhere from then on.
  const again = evidence.again(longest);
  const other = wrong.find((page) => again && !isInOrder(page, again));
  return other
    ? certain('no', longest, other)
    : unknown('a customer has changed places while the list was requested', longest);
}

const totalAnnounced: Inference = (evidence) => {
  const [pages, all] = [pagesOf(evidence), population(evidence)];
  // Some announce the next page alone.
  if (pages.every((page) => countOf(page) === all)) return unknown('no page leaves customers out');
  const names = new Set(pages.flatMap(({ content }) => content?.announcements ?? []));
  return likely([...names].sort().join(', ') || 'no', ...pages.slice(0, 1));
};

const noComparison = 'there is no list to compare it with';

const trailingSlash = probed((observation, evidence) => {
  const plain = plainList(evidence);
  if (countOf(plain) === 0) return unknown(noComparison, observation);
  if (isSame(idsOf(plain), idsOf(observation))) return certain('the same', observation);
  return ifUnchanged(evidence, certain('an answer of its own', observation));
});

/** Pages without a source, of User and of Store: the longest ones, and those without a limit. */
const sourceQueries = [
  ['?limit=1000', '?limit=1000&linked_source_type=User', '?limit=1000&linked_source_type=Store'],
  ['', '?linked_source_type=User', '?linked_source_type=Store'],
];

const omittedSource: Inference = (evidence) => {
  const sets = sourceQueries.map((queries) =>
    queries.flatMap((query) => evidence.asked(`listCustomers${query}`) ?? []),
  );
  const isComparable = (set: Observation[]) => set.length === 3 && set.every(isSuccess);
  const pages = sets.find(isComparable) ?? sets[1] ?? [];
  const [omitted] = pages;
  if (!omitted || pages.length < 3) return unknown(evidence.notAskedReason);
  const [all = [], users = [], stores = []] = pages.map(idsOf);
  if (all.length === 0)
    return nonSuccess(omitted, evidence) ?? unknown('the list without a source is empty', omitted);
  if (hasSame(users, stores)) return unknown('both sources list the same', ...pages);
  const beyond = pagesOf(evidence)
    .flatMap(idsOf)
    .filter((id) => !all.includes(id));
  // The first page may hold one source alone, and a later one the other; a customer may be of both.
  for (const [answer, own, others] of [
    ['those of User', users, stores],
    ['those of Store', stores, users],
  ] as const)
    if (hasSame(all, own) && !others.some((id) => beyond.includes(id)))
      return others.length > 0 ? likely(answer, ...pages) : unknown('one source has no customers', ...pages);
  const isOfBoth = !isWithin(all, users) && !isWithin(all, stores) && isWithin(all, [...users, ...stores]);
  return isOfBoth
    ? ifUnchanged(evidence, likely('those of both', ...pages))
    : unknown('these pages may not hold all customers', ...pages);
};

/** How a page with an odd parameter compares to the one without it. */
export function comparedList(observation: Observation, evidence: Evidence): InferredAnswer {
  const [ids, plain] = [idsOf(observation), plainList(evidence)];
  if (!plain || !isSuccess(plain) || countOf(plain) === 0) return unknown(noComparison, observation);
  if (ids.length === 0) return certain('an empty list', observation, plain);
  if (!hasSame(ids, idsOf(plain))) return ifUnchanged(evidence, certain('other customers', observation));
  const isLonger = population(evidence) > countOf(plain);
  // Of a list that is no longer than a page, a page without bounds is the same.
  if (Object.hasOwn(observation.parameters, 'limit') && !isLonger)
    return unknown('the list is no longer than a page', observation);
  return (isLonger ? certain : likely)('as if it were not there', observation, plain);
}

const letterCase = probed((observation, evidence) => {
  const [documented, plain] = [evidence.asked('listCustomers?linked_source_type=Store'), plainList(evidence)];
  if (countOf(documented) === 0) return unknown('no customer of `Store` is listed', observation);
  if (!hasSame(idsOf(observation), idsOf(documented))) return comparedList(observation, evidence);
  return hasSame(idsOf(observation), idsOf(plain))
    ? unknown('the list is the same with `Store` and without a source', observation)
    : certain('as if written as documented', observation);
});

/** How questions about lists of customers are answered. */
export const customers: Record<string, Inference> = {
  'default-page-size': defaultPageSize,
  'greatest-page-size': greatestPageSize,
  'limit-honoured': limitHonoured,
  'offset-unit': offsetCounts,
  'order-stability': orderOf,
  'repeated-parameter': repeatedParameter,
  'beyond-the-end': held,
  'limit-huge': held,
  'total-announced': totalAnnounced,
  'trailing-slash': trailingSlash,
  'omitted-source': omittedSource,
  'source-letter-case': letterCase,
};
