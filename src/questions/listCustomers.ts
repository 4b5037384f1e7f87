import { offsetUnit } from '../operations/offset-unit.ts';
import type { Digest } from './digest.ts';
import {
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  likely,
  nonSuccess,
  probed,
  unknown,
} from './evidence.ts';

/** Identities of the customers of a response, in its order. */
const idsOf = (digest: Digest | undefined) => digest?.lists.customers?.ids ?? [];
const countOf = (digest: Digest | undefined) => digest?.lists.customers?.count ?? 0;
const plainList = ({ asked }: Evidence) => asked('listCustomers');

/** Pages of the whole list, not narrowed to a source. */
const pagesOf = ({ recorded }: Evidence) =>
  recorded.filter(
    ({ operation, kind, parameters }) =>
      operation === 'listCustomers' && kind === 'success' && !parameters.has('linked_source_type'),
  );

/** Those from the beginning, with a limit as any client may send it, or none. */
const firstPagesOf = (evidence: Evidence) =>
  pagesOf(evidence).filter(({ parameters }) => /^(limit=\d{1,4})?$/.test(`${parameters}`));

const longestOf = (pages: Digest[]): Digest | undefined =>
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

/** Lists to request again once all others were: the one without parameters, and the longest. */
export const listsAgain = (evidence: Evidence): Digest[] => {
  const lists = [plainList(evidence), longestOf(firstPagesOf(evidence))];
  return [...new Set(lists)].flatMap((list) => (list?.kind === 'success' ? list : []));
};

/** An answer that rests on lists which are compared, unless one has changed meanwhile. */
function ifUnchanged(evidence: Evidence, answer: InferredAnswer): InferredAnswer {
  for (const list of listsAgain(evidence)) {
    const [before, after] = [idsOf(list), idsOf(evidence.again(list) ?? list)];
    if (!isSame(before, after)) return unknown('the list has changed while it was requested', list);
  }
  return answer;
}

/** No answer, since the list is too short for one. */
const shortList = (digest: Digest): InferredAnswer => ({
  ...certain('not reached by this list', digest),
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
  if (!asked.kind || !longest) return unknown(asked.label, asked);
  const size = countOf(longest);
  if (size === 0) return unknown('the list is empty', asked);
  const limits = pages
    .filter((page) => countOf(page) === size)
    .map((page) => Number(page.parameters.get('limit')));
  // A list that is as long without a limit, or with a greater one, may end there.
  const isLimit = countOf(plainList(evidence)) < size && limits.every((limit) => limit <= size);
  return isLimit || population(evidence) > size
    ? ifUnchanged(evidence, likely(`${size}`, longest, asked))
    : shortList(longest);
};

const limitHonoured = probed((digest, evidence) => {
  const [pages, plain] = [firstPagesOf(evidence), plainList(evidence)];
  if (population(evidence) < 2) return unknown('there are too few customers to infer this from', digest);
  if (countOf(digest) === 1) return certain('yes', digest);
  const applied = pages.find((page) => countOf(page) !== countOf(plain));
  return applied
    ? unknown('a limit of 1 is not applied, though another one is', digest, applied)
    : certain('no', digest);
});

const repeatedParameter = probed((digest, evidence) => {
  if (population(evidence) < 3) return unknown('there are too few customers to infer this from', digest);
  const size = countOf(digest);
  return certain(size === 1 ? 'the first' : size === 2 ? 'the last' : 'neither', digest);
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

function unitOf(evidence: Evidence, page: Digest, moved: Digest): InferredAnswer {
  const [ids, [first]] = [idsOf(page), idsOf(moved)];
  // The moved page may be empty when one page was all.
  if (first === undefined) return likely('pages', page, moved);
  const unit = offsetUnit(ids, idsOf(moved));
  if (unit && orderOf(evidence).answer !== 'no') return certain(unit, page, moved);
  if (first !== ids[0]) return unknown('the order of the list has changed', page, moved);
  const end = evidence.probe('beyond-the-end');
  return end?.kind === 'success' && idsOf(end)[0] === first
    ? certain('nothing', page, moved, end)
    : unknown('`offset` has no effect between 0 and 1, and may have one beyond', page, moved);
}

/** Whether a page that may be empty holds customers. */
const held = probed((digest, evidence) => {
  if (population(evidence) === 0) return unknown('the list is empty', digest);
  return certain(countOf(digest) === 0 ? 'an empty list' : 'customers', digest);
});

/** Whether customers whom two pages show stand in the same order in both. */
const isInOrder = (one: Digest, other: Digest) => isSame(common(one, other), common(other, one));
const common = (one: Digest, other: Digest) => {
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
  const names = new Set(pages.flatMap(({ announcements }) => announcements));
  return likely([...names].sort().join(', ') || 'no', ...pages.slice(0, 1));
};

const noComparison = 'there is no list to compare it with';

const trailingSlash = probed((digest, evidence) => {
  const plain = plainList(evidence);
  if (countOf(plain) === 0) return unknown(noComparison, digest);
  if (isSame(idsOf(plain), idsOf(digest))) return certain('the same', digest);
  return ifUnchanged(evidence, certain('an answer of its own', digest));
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
  const isComparable = (set: Digest[]) => set.length === 3 && set.every(({ kind }) => kind === 'success');
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
export function comparedList(digest: Digest, evidence: Evidence): InferredAnswer {
  const [ids, plain] = [idsOf(digest), plainList(evidence)];
  if (plain?.kind !== 'success' || countOf(plain) === 0) return unknown(noComparison, digest);
  if (ids.length === 0) return certain('an empty list', digest, plain);
  if (!hasSame(ids, idsOf(plain))) return ifUnchanged(evidence, certain('other customers', digest));
  const isLonger = population(evidence) > countOf(plain);
  // Of a list that is no longer than a page, a page without bounds is the same.
  if (digest.parameters.has('limit') && !isLonger)
    return unknown('the list is no longer than a page', digest);
  return (isLonger ? certain : likely)('as if it were not there', digest, plain);
}

const letterCase = probed((digest, evidence) => {
  const [documented, plain] = [evidence.asked('listCustomers?linked_source_type=Store'), plainList(evidence)];
  if (countOf(documented) === 0) return unknown('no customer of `Store` is listed', digest);
  if (!hasSame(idsOf(digest), idsOf(documented))) return comparedList(digest, evidence);
  return hasSame(idsOf(digest), idsOf(plain))
    ? unknown('the list is the same with `Store` and without a source', digest)
    : certain('as if written as documented', digest);
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
