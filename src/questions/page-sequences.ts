import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import { certain, type Evidence, type Inference, isSuccess, likely, unknown } from './evidence.ts';
import { countCustomers, hasSameOrder, listIdentities, unlessChanged } from './listCustomers.ts';

/* Contract section 4.2 has `limit` and `offset`, and promises nothing of how pages join: bugs there are answers, not violations. */

/** Pages of the list in a row: the first page, and each next page at the offset after the page before. */
type PageSequence = Observation[];

/** Lists all successful pages of the list, whatever their parameters. */
const listAllPages = ({ recorded }: Evidence) =>
  recorded.filter((observation) => isSuccess(observation) && observation.operation === 'listCustomers');

/** Groups pages by the values of their parameters, except the named parameters. */
function groupPages(pages: Observation[], except: string[]): Observation[][] {
  const groups = new Map<string, Observation[]>();
  for (const page of pages) {
    const values = Object.entries(page.parameters).filter(([name]) => !except.includes(name));
    const key = JSON.stringify(values.sort());
    groups.set(key, [...(groups.get(key) ?? []), page]);
  }
  return [...groups.values()];
}

/** Lists the sequences of pages that differ in `offset` only. */
const listSequences = (pages: Observation[]): PageSequence[] =>
  groupPages(pages, ['offset']).map(followPages);

/**
 * Follows pages of one limit from the first page. A page without a new customer ends the sequence: it is empty, `offset` has no
 * effect, or the target shows the last page again after the end.
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

/** Checks that `offset` counts pages. The last customer of the first page may begin the second page, if pages overlap. */
const isCountedInPages = (ids: string[], idsAtOffset1: string[]): boolean =>
  detectOffsetUnit(ids, idsAtOffset1) === 'pages' || (ids.length > 2 && ids.at(-1) === idsAtOffset1[0]);

/** Lists each page of a sequence that follows another page, after that page. */
const listPairs = (sequence: PageSequence): [page: Observation, next: Observation][] =>
  sequence.slice(1).map((next, index) => [sequence[index] as Observation, next]);

/** Answers whether any page shows a customer twice. */
const inferRepeatedCustomer: Inference = (evidence) => {
  const pages = listAllPages(evidence).filter((page) => countCustomers(page) > 1);
  const repeating = pages.filter((page) => new Set(listIdentities(page)).size < countCustomers(page));
  if (repeating.length > 0) return certain('yes', ...repeating.slice(0, 3));
  if (pages.length === 0) return unknown('no page shows two customers');
  return { ...likely('no'), evidence: [`${pages.length} pages of several customers`] };
};

/** Answers whether a page shows customers of the page before. */
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

/** Answers whether pages in a row leave out a customer that a page of another limit or offset shows among theirs. */
const inferLostCustomer: Inference = (evidence) => {
  const comparisons = groupPages(listAllPages(evidence), ['limit', 'offset']).flatMap(listComparisons);
  const loss = comparisons.find(([sequence, page]) => losesCustomer(sequence, page));
  const comparison = loss ?? comparisons.find(([sequence, page]) => isSpanned(sequence, page));
  if (!comparison) return unknown('no other page shows where one page ends and the next page begins');
  const [sequence, page] = comparison;
  return unlessChanged(evidence, likely(loss ? 'yes' : 'no', ...sequence.slice(0, 3), page));
};

/** A sequence, and a page that is not part of the sequence and has the same order of customers. */
type SequenceComparison = [sequence: PageSequence, page: Observation];

const listComparisons = (pages: Observation[]): SequenceComparison[] =>
  listSequences(pages).flatMap((sequence) =>
    pages
      .filter((page) => !sequence.includes(page) && hasSameOrder(joinPages(sequence), listIdentities(page)))
      .map((page): SequenceComparison => [sequence, page]),
  );

const joinPages = (sequence: PageSequence): string[] => sequence.flatMap(listIdentities);

/** Checks that another page shows a customer the sequence lacks, right after a customer that does not end the sequence. */
function losesCustomer(sequence: PageSequence, otherPage: Observation): boolean {
  const [ids, otherIds] = [joinPages(sequence), listIdentities(otherPage)];
  return otherIds.some((id, index) => {
    const before = otherIds[index - 1] ?? '';
    return !ids.includes(id) && ids.includes(before) && before !== ids.at(-1);
  });
}

/** Checks that another page shows both the end of one page of the sequence and the beginning of the next page. */
const isSpanned = (sequence: PageSequence, otherPage: Observation): boolean =>
  listPairs(sequence).some(([page, next]) => {
    const ids = listIdentities(otherPage);
    return ids.includes(listIdentities(page).at(-1) ?? '') && ids.includes(listIdentities(next)[0] ?? '');
  });

/** Inferences about how pages of customers join, by id of the question. */
export const pageSequences: Record<string, Inference> = {
  'repeated-customer': inferRepeatedCustomer,
  'page-overlap': inferPageOverlap,
  'lost-customer': inferLostCustomer,
};
