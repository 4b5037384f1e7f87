import { linksOf } from '../customers.ts';
import type { Source } from '../records.ts';

/** Links repeat after so many customers, so that a place in a filtered list is found without reading those before. */
const period = 30;

const placesOf = (source: Source | 'all'): number[] =>
  Array.from({ length: period }, (_, index) => index).filter(
    (index) => source === 'all' || linksOf(index).includes(source),
  );
const places = { all: placesOf('all'), User: placesOf('User'), Store: placesOf('Store') };

/** The index of the customer that stands at a place among those linked to a source. */
export function indexAt(source: Source | 'all', rank: number): number {
  const own = places[source];
  return Math.floor(rank / own.length) * period + (own[rank % own.length] ?? 0);
}

/** How many customers before an index are linked to a source. */
export function rankOf(source: Source | 'all', index: number): number {
  const own = places[source];
  const inPeriod = own.filter((place) => place < index % period).length;
  return Math.floor(index / period) * own.length + inPeriod;
}
