import { detectOffsetUnit } from '../operations/offset-unit.ts';
import type { Observation } from '../redact/observation.ts';
import { createCertainAnswer, createLikelyAnswer, createUnknownAnswer, type Inference } from './evidence.ts';
import {
  countCustomers,
  hasSameOrder,
  listAllPages,
  listIdentities,
  unknownIfListChanged,
} from './listCustomers.ts';

// Contract section 4.2 does not say how pages join, so a lost customer is an answer, not a violation.

/** Pages as a client reads them: the page at offset 0, then each page that begins where the page before ends. */
type PageSequence = Observation[];

function groupPages(pages: Observation[], ignoredParameters: string[]): Observation[][] {
  const groups = new Map<string, Observation[]>();
  for (const page of pages) {
    const values = Object.entries(page.parameters).filter(([name]) => !ignoredParameters.includes(name));
    const key = JSON.stringify(values.sort());
    groups.set(key, [...(groups.get(key) ?? []), page]);
  }
  return [...groups.values()];
}

const followAllPages = (pages: Observation[]): PageSequence[] =>
  groupPages(pages, ['offset']).map(followPages);

/** Follows pages that differ only in `offset`, from offset 0 to the first page that was not requested or has no new customer. */
function followPages(pages: Observation[]): PageSequence {
  const pagesWithNumericOffset = pages.filter(({ parameters: { offset = '0' } }) => /^\d{1,9}$/.test(offset));
  const pagesByOffset = new Map(
    pagesWithNumericOffset.map((page) => [Number(page.parameters.offset ?? 0), page]),
  );
  const listIdsAt = (offset: number) => listIdentities(pagesByOffset.get(offset));
  const countsPages = offsetCountsPages(listIdsAt(0), listIdsAt(1));
  const sequence: PageSequence = [];
  const knownIds = new Set<string>();
  let offset = 0;
  let page = pagesByOffset.get(offset);
  while (page && listIdentities(page).some((id) => !knownIds.has(id))) {
    sequence.push(page);
    for (const id of listIdentities(page)) knownIds.add(id);
    offset += countsPages ? 1 : countCustomers(page);
    page = pagesByOffset.get(offset);
  }
  return sequence;
}

/**
 * Returns whether `offset` counts pages: the pages at offset 0 and 1 have no customer in common. Overlapping pages may share one:
 * the last customer of the first page, if that has more than two, may be the first of the second.
 */
const offsetCountsPages = (ids: string[], idsAtOffset1: string[]): boolean =>
  detectOffsetUnit(ids, idsAtOffset1) === 'pages' || (ids.length > 2 && ids.at(-1) === idsAtOffset1[0]);

const pairNeighbours = (sequence: PageSequence): [page: Observation, next: Observation][] =>
  sequence.slice(1).map((next, index) => [sequence[index] as Observation, next]);

const inferRepeatedCustomer: Inference = (evidence) => {
  const pages = listAllPages(evidence).filter((page) => countCustomers(page) > 1);
  const repeating = pages.filter((page) => new Set(listIdentities(page)).size < countCustomers(page));
  if (repeating.length > 0) return createCertainAnswer('yes', ...repeating.slice(0, 3));
  if (pages.length === 0) return createUnknownAnswer('no page shows two customers');
  return { ...createLikelyAnswer('no'), evidence: [`${pages.length} pages of several customers`] };
};

const inferPageOverlap: Inference = (evidence) => {
  const pairs = followAllPages(listAllPages(evidence)).flatMap(pairNeighbours);
  const [firstPair] = pairs;
  if (!firstPair) return createUnknownAnswer('no page follows another page');
  const overlap = pairs.find(([page, next]) => shareCustomer(page, next));
  const answer = overlap ? createLikelyAnswer('yes', ...overlap) : createLikelyAnswer('no', ...firstPair);
  return unknownIfListChanged(evidence, answer);
};

function shareCustomer(page: Observation, otherPage: Observation): boolean {
  const ids = new Set(listIdentities(page));
  return listIdentities(otherPage).some((id) => ids.has(id));
}

/**
 * Infers whether a client that reads page after page misses a customer. This shows on a page with another `limit` or `offset`
 * that lists the customers around the end of a page.
 */
const inferLostCustomer: Inference = (evidence) => {
  const comparisons = groupPages(listAllPages(evidence), ['limit', 'offset']).flatMap(listComparisons);
  const loss = comparisons.find(([sequence, page]) => losesCustomer(sequence, page));
  const comparison = loss ?? comparisons.find(([sequence, page]) => spansPageEnd(sequence, page));
  if (!comparison)
    return createUnknownAnswer('no other page shows where one page ends and the next page begins');
  const [sequence, page] = comparison;
  return unknownIfListChanged(
    evidence,
    createLikelyAnswer(loss ? 'yes' : 'no', ...sequence.slice(0, 3), page),
  );
};

/** Sequence of pages, and another page with customers in the same order. */
type SequenceComparison = [sequence: PageSequence, page: Observation];

const listComparisons = (pages: Observation[]): SequenceComparison[] =>
  followAllPages(pages).flatMap((sequence) =>
    pages
      .filter((page) => !sequence.includes(page) && hasSameOrder(joinPages(sequence), listIdentities(page)))
      .map((page): SequenceComparison => [sequence, page]),
  );

const joinPages = (sequence: PageSequence): string[] => sequence.flatMap(listIdentities);

/**
 * Returns whether a client that reads the sequence misses a customer: another page lists it right after a customer of the
 * sequence. Does not look after the last customer of the sequence, because the list may continue there.
 */
function losesCustomer(sequence: PageSequence, otherPage: Observation): boolean {
  const [ids, otherIds] = [joinPages(sequence), listIdentities(otherPage)];
  return otherIds.some((id, index) => {
    const idBefore = otherIds[index - 1] ?? '';
    const isWithinSequence = ids.includes(idBefore) && idBefore !== ids.at(-1);
    return isWithinSequence && !ids.includes(id);
  });
}

/** Returns whether another page shows how two pages join: it lists the last customer of one and the first of the next. */
const spansPageEnd = (sequence: PageSequence, otherPage: Observation): boolean =>
  pairNeighbours(sequence).some(([page, next]) => {
    const ids = listIdentities(otherPage);
    return ids.includes(listIdentities(page).at(-1) ?? '') && ids.includes(listIdentities(next)[0] ?? '');
  });

export const pageSequences: Record<string, Inference> = {
  'repeated-customer': inferRepeatedCustomer,
  'page-overlap': inferPageOverlap,
  'lost-customer': inferLostCustomer,
};
