import { certain, type Evidence, type Inference, likely, unknown } from '../../../probes/evidence.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';
import { knownIdsOf, longestOf, pagesOf } from './lists.ts';

/** Two pages that show customers in another order, or else what shows that there are none. */
function disorder(evidence: Evidence): {
  longest?: RecordedExchange;
  wrong?: RecordedExchange;
  shared: RecordedExchange[];
} {
  const pages = pagesOf(evidence);
  const longest = longestOf(pages);
  const shared = pages.filter((page) => page !== longest && commonPlaces(page, longest).length > 1);
  const wrong = shared.find((page) => !isInOrder(page, longest));
  return { shared, ...(longest ? { longest } : {}), ...(wrong ? { wrong } : {}) };
}

/** Pages to ask for again, one after the other, where they show customers in another order. */
export function pagesInDisorder(evidence: Evidence): RecordedExchange[] {
  const { longest, wrong } = disorder(evidence);
  return longest && wrong ? [longest, wrong] : [];
}

/** Whether pages show what they have in common in the same order. */
export const orderStability: Inference = (evidence) => {
  const { longest, wrong, shared } = disorder(evidence);
  if (!longest || shared.length === 0) return unknown('no two pages have customers in common');
  if (!wrong) return likely('yes, within a run', longest, ...shared.slice(0, 3));
  const [first, second] = [evidence.again(longest), evidence.again(wrong)];
  const isSettled =
    first && second && isInOrder(first, second) && [longest, wrong].some((page) => isInOrder(page, first));
  return isSettled
    ? unknown('a customer has changed places while the list was requested', longest, wrong)
    : certain('no', longest, wrong);
};

const isInOrder = (page: RecordedExchange, other: RecordedExchange | undefined) =>
  isSorted(commonPlaces(page, other));

/** Where the customers of a page stand in another one. */
function commonPlaces(page: RecordedExchange, other: RecordedExchange | undefined): number[] {
  const places = placesOf(knownIdsOf(other));
  return [...placesOf(knownIdsOf(page)).keys()].flatMap((id) => places.get(id) ?? []);
}

/** Where each customer stands; one that is listed twice stands nowhere. */
function placesOf(ids: string[]): Map<string, number> {
  const places = new Map(ids.map((id, place) => [id, place]));
  for (const [place, id] of ids.entries()) if (places.get(id) !== place) places.delete(id);
  return places;
}

const isSorted = (places: number[]) =>
  places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
