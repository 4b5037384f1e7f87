import { groupBy } from '../../schemas/group-by.ts';
import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import { createCertainAnswer, createLikelyAnswer, createUnknownAnswer, type Inference } from './evidence.ts';
import {
  countCustomers,
  haveSameRelativeOrder,
  listAllPages,
  listCommonIds,
  listCustomerIds,
  unknownIfListChanged,
} from './listCustomers.ts';

// Contract section 4.2 does not say how pages join, so a lost customer is an answer, not a violation.

/** Pages in reading order, from offset 0 on. */
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

/**
 * Selects consecutive pages from the start of the list, such as the pages at offset 0, 50 and 100.
 * @param pages pages that differ only in `offset`
 */
function createSequence(pages: Observation[]): PageSequence {
  const pageByOffset = indexByOffset(pages);
  const idsAtOffset0 = listCustomerIds(pageByOffset.get(0));
  const idsAtOffset1 = listCustomerIds(pageByOffset.get(1));
  const isOffsetInPages = offsetCountsPages(idsAtOffset0, idsAtOffset1);
  const sequence: PageSequence = [];
  const knownIds = new Set<string>();
  let offset = 0;
  let page = pageByOffset.get(offset);
  const hasNewCustomer = (ids: string[]) => ids.some((id) => !knownIds.has(id));
  // A page without a new customer is empty, or the target ignores `offset`.
  while (page && hasNewCustomer(listCustomerIds(page))) {
    sequence.push(page);
    for (const id of listCustomerIds(page)) knownIds.add(id);
    offset += isOffsetInPages ? 1 : countCustomers(page);
    page = pageByOffset.get(offset);
  }
  return sequence;
}

function indexByOffset(pages: Observation[]): Map<number, Observation> {
  const pageByOffset = new Map<number, Observation>();
  for (const page of pages) {
    const { offset = '0' } = page.parameters;
    if (/^\d{1,9}$/.test(offset)) pageByOffset.set(Number(offset), page);
  }
  return pageByOffset;
}

function offsetCountsPages(idsAtOffset0: string[], idsAtOffset1: string[]): boolean {
  if (detectOffsetUnit(idsAtOffset0, idsAtOffset1) === 'pages') return true;
  // Some targets repeat the last customer of a page on the next page: A B C and C D E. With pages of two, such as A B and B C, `offset`
  // may also count customers.
  const beginsWithLastCustomer = idsAtOffset0.at(-1) === idsAtOffset1[0];
  return beginsWithLastCustomer && idsAtOffset0.length > 2;
}

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

const inferLostCustomer: Inference = (evidence) => {
  const comparisons = groupPages(listAllPages(evidence), ['limit', 'offset']).flatMap(listComparisons);
  const comparisonWithLoss = comparisons.find(losesCustomer);
  const comparison = comparisonWithLoss ?? comparisons.find(containsBoundary);
  if (!comparison)
    return createUnknownAnswer('no other page shows where one page ends and the next page begins');
  const { sequence, otherPage } = comparison;
  const answer = comparisonWithLoss ? 'yes' : 'no';
  return unknownIfListChanged(evidence, createLikelyAnswer(answer, ...sequence.slice(0, 3), otherPage));
};

/** Pages of one list. `otherPage` is not part of `sequence`, for example because it has another `limit`. */
interface SequenceComparison {
  sequence: PageSequence;
  otherPage: Observation;
}

function listComparisons(pages: Observation[]): SequenceComparison[] {
  const comparisons: SequenceComparison[] = [];
  for (const sequence of createSequences(pages)) {
    const ids = joinPages(sequence);
    const otherPages = pages.filter((page) => !sequence.includes(page));
    // Only a page that lists the common customers in the same order shows which customer follows which.
    const comparablePages = otherPages.filter((page) => haveSameRelativeOrder(ids, listCustomerIds(page)));
    comparisons.push(...comparablePages.map((otherPage) => ({ sequence, otherPage })));
  }
  return comparisons;
}

const joinPages = (sequence: PageSequence): string[] => sequence.flatMap(listCustomerIds);

/** Returns whether the sequence misses a customer that `otherPage` shows. */
function losesCustomer({ sequence, otherPage }: SequenceComparison): boolean {
  const ids = joinPages(sequence);
  // A customer after the end of the sequence is not missed, because the client has not read that far.
  const idsBeforeLast = ids.filter((id) => id !== ids.at(-1));
  // For example, the sequence A B D misses C if the other page lists B C D.
  const neighbours = pairNeighbours(listCustomerIds(otherPage));
  return neighbours.some(([id, nextId]) => idsBeforeLast.includes(id) && !ids.includes(nextId));
}

function containsBoundary({ sequence, otherPage }: SequenceComparison): boolean {
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
