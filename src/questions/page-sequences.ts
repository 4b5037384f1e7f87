import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import { certain, type Evidence, type Inference, isSuccess, likely, unknown } from './evidence.ts';
import { countCustomers, hasSameOrder, listIdentities, unlessChanged } from './listCustomers.ts';

/* Contract section 4.2 has `limit` and `offset`, but does not say how pages join. So a lost customer is an answer, no violation. */

/**
 * Pages of the customer list as a client follows them: the page at offset 0, and then each page whose `offset` is the end of the
 * page before it.
 */
type PageSequence = Observation[];

/** Selects all successful pages of the customer list, whatever their parameters. */
const listAllPages = ({ recorded }: Evidence) =>
  recorded.filter((observation) => isSuccess(observation) && observation.operation === 'listCustomers');

/** Groups pages whose parameters are equal. @param except names of parameters that may differ within a group, such as `offset` */
function groupPages(pages: Observation[], except: string[]): Observation[][] {
  const groups = new Map<string, Observation[]>();
  for (const page of pages) {
    const values = Object.entries(page.parameters).filter(([name]) => !except.includes(name));
    const key = JSON.stringify(values.sort());
    groups.set(key, [...(groups.get(key) ?? []), page]);
  }
  return [...groups.values()];
}

/** Puts pages into sequences, one for each group of pages that differ only in `offset`. A sequence may be empty. */
const listSequences = (pages: Observation[]): PageSequence[] =>
  groupPages(pages, ['offset']).map(followPages);

/**
 * Puts pages that differ only in `offset` into a sequence, from offset 0. The sequence ends before an offset that was not
 * requested, and before a page without a new customer: it is empty, `offset` has no effect, or the target repeats its last page.
 * Empty without a page at offset 0.
 */
function followPages(pages: Observation[]): PageSequence {
  const pagesWithNumber = pages.filter(({ parameters: { offset = '0' } }) => /^\d{1,9}$/.test(offset));
  const byOffset = new Map(pagesWithNumber.map((page) => [Number(page.parameters.offset ?? 0), page]));
  const isInPages = isCountedInPages(listIdentities(byOffset.get(0)), listIdentities(byOffset.get(1)));
  const [sequence, ids]: [PageSequence, Set<string>] = [[], new Set()];
  let [offset, page] = [0, byOffset.get(0)];
  while (page && listIdentities(page).some((id) => !ids.has(id))) {
    sequence.push(page);
    for (const id of listIdentities(page)) ids.add(id);
    offset += isInPages ? 1 : countCustomers(page);
    page = byOffset.get(offset);
  }
  return sequence;
}

/**
 * Returns whether `offset` counts pages, by the customers on the pages at offset 0 and 1: the pages share none. Also true if the
 * second page begins with the last customer of a longer first page, because the target may let pages overlap by one.
 */
const isCountedInPages = (ids: string[], idsAtOffset1: string[]): boolean =>
  detectOffsetUnit(ids, idsAtOffset1) === 'pages' || (ids.length > 2 && ids.at(-1) === idsAtOffset1[0]);

/** Returns each page of a sequence but the last one, paired with the page after it. */
const listPairs = (sequence: PageSequence): [page: Observation, next: Observation][] =>
  sequence.slice(1).map((next, index) => [sequence[index] as Observation, next]);

/** Answers whether any page of the customer list lists a customer twice: `yes` or `no`. Unknown if no page has two customers. */
const inferRepeatedCustomer: Inference = (evidence) => {
  const pages = listAllPages(evidence).filter((page) => countCustomers(page) > 1);
  const repeating = pages.filter((page) => new Set(listIdentities(page)).size < countCustomers(page));
  if (repeating.length > 0) return certain('yes', ...repeating.slice(0, 3));
  if (pages.length === 0) return unknown('no page shows two customers');
  return { ...likely('no'), evidence: [`${pages.length} pages of several customers`] };
};

/**
 * Answers whether pages of the customer list overlap: `yes` if a page lists a customer of the page before it, else `no`. Unknown if
 * no page follows another one, or if the list changed during the run.
 */
const inferPageOverlap: Inference = (evidence) => {
  const pairs = listSequences(listAllPages(evidence)).flatMap(listPairs);
  const overlap = pairs.find(([page, next]) => sharesCustomer(page, next));
  const [pair] = overlap ? [overlap] : pairs;
  return pair
    ? unlessChanged(evidence, likely(overlap ? 'yes' : 'no', ...pair))
    : unknown('no page follows another page');
};

/** Returns whether a customer is listed on both pages. */
function sharesCustomer(page: Observation, otherPage: Observation): boolean {
  const ids = new Set(listIdentities(page));
  return listIdentities(otherPage).some((id) => ids.has(id));
}

/**
 * Answers whether a client that reads page after page misses a customer. `yes`: a page with another `limit` or `offset` lists a
 * customer between two of the sequence, and the sequence lacks it. `no`: a page with another `limit` or `offset` spans the end of
 * one page and the beginning of the next, and lists nothing between them. Unknown without such a page, or if the list changed.
 */
const inferLostCustomer: Inference = (evidence) => {
  const comparisons = groupPages(listAllPages(evidence), ['limit', 'offset']).flatMap(listComparisons);
  const loss = comparisons.find(([sequence, page]) => losesCustomer(sequence, page));
  const comparison = loss ?? comparisons.find(([sequence, page]) => isSpanned(sequence, page));
  if (!comparison) return unknown('no other page shows where one page ends and the next page begins');
  const [sequence, page] = comparison;
  return unlessChanged(evidence, likely(loss ? 'yes' : 'no', ...sequence.slice(0, 3), page));
};

/** Sequence of pages, and a page outside of the sequence that lists their common customers in the same order. */
type SequenceComparison = [sequence: PageSequence, page: Observation];

/**
 * Puts pages into sequences, and pairs each sequence with each page outside of it that lists their common customers in the same
 * order.
 */
const listComparisons = (pages: Observation[]): SequenceComparison[] =>
  listSequences(pages).flatMap((sequence) =>
    pages
      .filter((page) => !sequence.includes(page) && hasSameOrder(joinPages(sequence), listIdentities(page)))
      .map((page): SequenceComparison => [sequence, page]),
  );

/** Lists the identities of the customers on all pages of a sequence, in order. */
const joinPages = (sequence: PageSequence): string[] => sequence.flatMap(listIdentities);

/**
 * Returns whether a sequence of pages lacks a customer that another page lists right after a customer of the sequence. The last
 * customer of the sequence does not count, because the list goes on after it.
 */
function losesCustomer(sequence: PageSequence, otherPage: Observation): boolean {
  const [ids, otherIds] = [joinPages(sequence), listIdentities(otherPage)];
  return otherIds.some((id, index) => {
    const idBefore = otherIds[index - 1] ?? '';
    const isWithinSequence = ids.includes(idBefore) && idBefore !== ids.at(-1);
    return isWithinSequence && !ids.includes(id);
  });
}

/**
 * Returns whether another page lists both the last customer of a page of a sequence and the first customer of its next page, so
 * that it shows how the two join.
 */
const isSpanned = (sequence: PageSequence, otherPage: Observation): boolean =>
  listPairs(sequence).some(([page, next]) => {
    const ids = listIdentities(otherPage);
    return ids.includes(listIdentities(page).at(-1) ?? '') && ids.includes(listIdentities(next)[0] ?? '');
  });

/** Functions that infer the answers to questions about how pages of the customer list join, keyed by id of the question. */
export const pageSequences: Record<string, Inference> = {
  'repeated-customer': inferRepeatedCustomer,
  'page-overlap': inferPageOverlap,
  'lost-customer': inferLostCustomer,
};
