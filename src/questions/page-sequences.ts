import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import { certain, type Evidence, type Inference, isSuccess, likely, unknown } from './evidence.ts';
import { countCustomers, hasSameOrder, listIdentities, unlessChanged } from './listCustomers.ts';

/* Contract section 4.2 has `limit` and `offset`, but does not say how pages join. So a lost customer is an answer, no violation. */

/** Pages of the customer list that follow each other: the page at offset 0, then each page that begins where the one before ends. */
type PageSequence = Observation[];

/** Lists all successful pages of the customer list, whatever their parameters. */
const listAllPages = ({ recorded }: Evidence) =>
  recorded.filter((observation) => isSuccess(observation) && observation.operation === 'listCustomers');

/** Groups pages that have equal parameters, apart from the ones named in `except`. */
function groupPages(pages: Observation[], except: string[]): Observation[][] {
  const groups = new Map<string, Observation[]>();
  for (const page of pages) {
    const values = Object.entries(page.parameters).filter(([name]) => !except.includes(name));
    const key = JSON.stringify(values.sort());
    groups.set(key, [...(groups.get(key) ?? []), page]);
  }
  return [...groups.values()];
}

/** Lists the sequences among pages, one for each group of pages that differ only in `offset`. */
const listSequences = (pages: Observation[]): PageSequence[] =>
  groupPages(pages, ['offset']).map(followPages);

/**
 * Puts pages that differ only in `offset` into a sequence, from offset 0. A missing page ends the sequence, and so does one without
 * a new customer: it is empty, `offset` has no effect, or the target repeats its last page.
 */
function followPages(pages: Observation[]): PageSequence {
  const numbered = pages.filter(({ parameters: { offset = '0' } }) => /^\d{1,9}$/.test(offset));
  const byOffset = new Map(numbered.map((page) => [Number(page.parameters.offset ?? 0), page]));
  const isCounted = isCountedInPages(listIdentities(byOffset.get(0)), listIdentities(byOffset.get(1)));
  const [sequence, ids]: [PageSequence, Set<string>] = [[], new Set()];
  let [offset, page] = [0, byOffset.get(0)];
  while (page && listIdentities(page).some((id) => !ids.has(id))) {
    sequence.push(page);
    for (const id of listIdentities(page)) ids.add(id);
    offset += isCounted ? 1 : countCustomers(page);
    page = byOffset.get(offset);
  }
  return sequence;
}

/**
 * Checks that `offset` counts pages, by the identities on the pages at offset 0 and 1. If pages overlap, the second page may begin
 * with the last customer of the first.
 */
const isCountedInPages = (ids: string[], idsAtOffset1: string[]): boolean =>
  detectOffsetUnit(ids, idsAtOffset1) === 'pages' || (ids.length > 2 && ids.at(-1) === idsAtOffset1[0]);

/** Lists each two pages of a sequence that follow each other. */
const listPairs = (sequence: PageSequence): [page: Observation, next: Observation][] =>
  sequence.slice(1).map((next, index) => [sequence[index] as Observation, next]);

/** Answers whether one page lists a customer twice. */
const inferRepeatedCustomer: Inference = (evidence) => {
  const pages = listAllPages(evidence).filter((page) => countCustomers(page) > 1);
  const repeating = pages.filter((page) => new Set(listIdentities(page)).size < countCustomers(page));
  if (repeating.length > 0) return certain('yes', ...repeating.slice(0, 3));
  if (pages.length === 0) return unknown('no page shows two customers');
  return { ...likely('no'), evidence: [`${pages.length} pages of several customers`] };
};

/** Answers whether a page lists a customer that the page before it in a sequence lists as well. */
const inferPageOverlap: Inference = (evidence) => {
  const pairs = listSequences(listAllPages(evidence)).flatMap(listPairs);
  const overlap = pairs.find(([page, next]) => sharesCustomer(page, next));
  const [pair] = overlap ? [overlap] : pairs;
  return pair
    ? unlessChanged(evidence, likely(overlap ? 'yes' : 'no', ...pair))
    : unknown('no page follows another page');
};

function sharesCustomer(page: Observation, otherPage: Observation): boolean {
  const ids = new Set(listIdentities(page));
  return listIdentities(otherPage).some((id) => ids.has(id));
}

/** Answers whether a sequence leaves out a customer that a page with another `limit` or `offset` lists between two of its customers. */
const inferLostCustomer: Inference = (evidence) => {
  const comparisons = groupPages(listAllPages(evidence), ['limit', 'offset']).flatMap(listComparisons);
  const loss = comparisons.find(([sequence, page]) => losesCustomer(sequence, page));
  const comparison = loss ?? comparisons.find(([sequence, page]) => isSpanned(sequence, page));
  if (!comparison) return unknown('no other page shows where one page ends and the next page begins');
  const [sequence, page] = comparison;
  return unlessChanged(evidence, likely(loss ? 'yes' : 'no', ...sequence.slice(0, 3), page));
};

/** Sequence, and a page outside of it that lists their common customers in the same order. */
type SequenceComparison = [sequence: PageSequence, page: Observation];

/** Pairs each sequence among pages with each page outside of it that has the same order. */
const listComparisons = (pages: Observation[]): SequenceComparison[] =>
  listSequences(pages).flatMap((sequence) =>
    pages
      .filter((page) => !sequence.includes(page) && hasSameOrder(joinPages(sequence), listIdentities(page)))
      .map((page): SequenceComparison => [sequence, page]),
  );

const joinPages = (sequence: PageSequence): string[] => sequence.flatMap(listIdentities);

/** Checks that another page lists a customer that the sequence lacks, right after one that is in the sequence but not its last. */
function losesCustomer(sequence: PageSequence, otherPage: Observation): boolean {
  const [ids, otherIds] = [joinPages(sequence), listIdentities(otherPage)];
  return otherIds.some((id, index) => {
    const before = otherIds[index - 1] ?? '';
    return !ids.includes(id) && ids.includes(before) && before !== ids.at(-1);
  });
}

/** Checks that another page lists both the last customer of a page of the sequence and the first one of the next page. */
const isSpanned = (sequence: PageSequence, otherPage: Observation): boolean =>
  listPairs(sequence).some(([page, next]) => {
    const ids = listIdentities(otherPage);
    return ids.includes(listIdentities(page).at(-1) ?? '') && ids.includes(listIdentities(next)[0] ?? '');
  });

/** Functions that answer the questions about how pages of customers join, by id of the question. */
export const pageSequences: Record<string, Inference> = {
  'repeated-customer': inferRepeatedCustomer,
  'page-overlap': inferPageOverlap,
  'lost-customer': inferLostCustomer,
};
