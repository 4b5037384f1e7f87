import { groupBy } from '../../schemas/group-by.ts';
import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import { createCertainAnswer, createLikelyAnswer, createUnknownAnswer, type Inference } from './evidence.ts';
import {
  countCustomers,
  hasSameOrder,
  listAllPages,
  listCommonIds,
  listCustomerIds,
  unknownIfListChanged,
} from './listCustomers.ts';

// Contract section 4.2 does not say how pages join, so a lost customer is an answer, not a violation.

/** Pages as a client reads them one after another: the page at offset 0, then always the page at the next offset. */
type PageSequence = Observation[];

function groupPages(pages: Observation[], ignoredParameters: string[]): Observation[][] {
  const formatOtherParameters = ({ parameters }: Observation) => {
    const otherParameters = Object.entries(parameters).filter(([name]) => !ignoredParameters.includes(name));
    return JSON.stringify(otherParameters.sort());
  };
  return [...groupBy(pages, formatOtherParameters).values()];
}

const createSequences = (pages: Observation[]): PageSequence[] =>
  groupPages(pages, ['offset']).map(createSequence);

/** Orders pages that differ only in `offset` as a client reads them. Ends before a missing page, or one without a new customer. */
function createSequence(pages: Observation[]): PageSequence {
  const pagesWithNumericOffset = pages.filter(({ parameters: { offset = '0' } }) => /^\d{1,9}$/.test(offset));
  const pageByOffset = new Map(
    pagesWithNumericOffset.map((page) => [Number(page.parameters.offset ?? 0), page]),
  );
  const listIdsAt = (offset: number) => listCustomerIds(pageByOffset.get(offset));
  const isOffsetInPages = offsetCountsPages(listIdsAt(0), listIdsAt(1));
  const sequence: PageSequence = [];
  const knownIds = new Set<string>();
  let offset = 0;
  let page = pageByOffset.get(offset);
  while (page && listCustomerIds(page).some((id) => !knownIds.has(id))) {
    sequence.push(page);
    for (const id of listCustomerIds(page)) knownIds.add(id);
    offset += isOffsetInPages ? 1 : countCustomers(page);
    page = pageByOffset.get(offset);
  }
  return sequence;
}

/**
 * Returns whether `offset` counts pages, not customers: the pages at offset 0 and 1 share no customer, or only the last customer of
 * the first page. With two customers on the first page, this customer may instead mean that `offset` counts customers.
 */
const offsetCountsPages = (ids: string[], idsAtOffset1: string[]): boolean =>
  detectOffsetUnit(ids, idsAtOffset1) === 'pages' || (ids.length > 2 && ids.at(-1) === idsAtOffset1[0]);

const pairNeighbours = <Item>(items: Item[]): [item: Item, nextItem: Item][] =>
  items.slice(1).map((nextItem, index) => [items[index] as Item, nextItem]);

const inferRepeatedCustomer: Inference = (evidence) => {
  const pages = listAllPages(evidence).filter((page) => countCustomers(page) > 1);
  const hasDuplicates = (page: Observation) => new Set(listCustomerIds(page)).size < countCustomers(page);
  const pagesWithDuplicates = pages.filter(hasDuplicates);
  if (pagesWithDuplicates.length > 0) return createCertainAnswer('yes', ...pagesWithDuplicates.slice(0, 3));
  if (pages.length === 0) return createUnknownAnswer('no page shows two customers');
  return { ...createLikelyAnswer('no'), evidence: [`${pages.length} pages of several customers`] };
};

const inferPageOverlap: Inference = (evidence) => {
  const pairs = createSequences(listAllPages(evidence)).flatMap(pairNeighbours);
  const [firstPair] = pairs;
  if (!firstPair) return createUnknownAnswer('no page follows another page');
  const overlappingPair = pairs.find(([page, nextPage]) => shareCustomer(page, nextPage));
  const answer = overlappingPair
    ? createLikelyAnswer('yes', ...overlappingPair)
    : createLikelyAnswer('no', ...firstPair);
  return unknownIfListChanged(evidence, answer);
};

const shareCustomer = (page: Observation, otherPage: Observation): boolean =>
  listCommonIds(listCustomerIds(page), listCustomerIds(otherPage)).length > 0;

/**
 * Infers whether a client that reads page after page misses a customer between two pages. Compares the two pages with a third one,
 * of another `limit` or `offset`, that lists the end of the first page and the start of the second page.
 */
const inferLostCustomer: Inference = (evidence) => {
  const comparisons = groupPages(listAllPages(evidence), ['limit', 'offset']).flatMap(listComparisons);
  const comparisonWithLoss = comparisons.find(([sequence, page]) => losesCustomer(sequence, page));
  const comparison =
    comparisonWithLoss ?? comparisons.find(([sequence, page]) => containsBoundary(sequence, page));
  if (!comparison)
    return createUnknownAnswer('no other page shows where one page ends and the next page begins');
  const [sequence, page] = comparison;
  const answer = comparisonWithLoss ? 'yes' : 'no';
  return unknownIfListChanged(evidence, createLikelyAnswer(answer, ...sequence.slice(0, 3), page));
};

/** Sequence of pages, and a page outside of the sequence that lists their common customers in the same order. */
type SequenceComparison = [sequence: PageSequence, page: Observation];

function listComparisons(pages: Observation[]): SequenceComparison[] {
  const comparisons: SequenceComparison[] = [];
  for (const sequence of createSequences(pages)) {
    const ids = joinPages(sequence);
    for (const page of pages)
      if (!sequence.includes(page) && hasSameOrder(ids, listCustomerIds(page)))
        comparisons.push([sequence, page]);
  }
  return comparisons;
}

const joinPages = (sequence: PageSequence): string[] => sequence.flatMap(listCustomerIds);

/**
 * Returns whether the sequence lacks a customer that the other page lists right after a customer of the sequence. Ignores what
 * follows the last customer of the sequence, because the list may continue there.
 */
function losesCustomer(sequence: PageSequence, otherPage: Observation): boolean {
  const ids = joinPages(sequence);
  const idsBeforeLast = ids.filter((id) => id !== ids.at(-1));
  return pairNeighbours(listCustomerIds(otherPage)).some(
    ([id, nextId]) => idsBeforeLast.includes(id) && !ids.includes(nextId),
  );
}

/** Returns whether `otherPage` lists both the last customer of a page of the sequence and the first customer of the next page. */
function containsBoundary(sequence: PageSequence, otherPage: Observation): boolean {
  const otherIds = listCustomerIds(otherPage);
  return pairNeighbours(sequence).some(([page, nextPage]) => {
    const lastId = listCustomerIds(page).at(-1) ?? '';
    const [firstIdOfNextPage = ''] = listCustomerIds(nextPage);
    return otherIds.includes(lastId) && otherIds.includes(firstIdOfNextPage);
  });
}

export const pageSequences: Record<string, Inference> = {
  'repeated-customer': inferRepeatedCustomer,
  'page-overlap': inferPageOverlap,
  'lost-customer': inferLostCustomer,
};
