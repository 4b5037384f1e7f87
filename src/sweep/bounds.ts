import { binomialBound, hypergeometric } from './chances.ts';

/** How sure a bound is. */
export const confidence = 0.95;

/** Units (records, or pages) that were drawn at random from all that there are, and how many of them are broken. */
export interface Drawn {
  drawn: number;
  broken: number;
  /** How many there are; undefined where that is not known. */
  of?: number | undefined;
}

/**
 * The share of units that are broken at most, with 95 % confidence, one-sided and exact: hypergeometric where it is known of
 * how many the sample was drawn without putting back, else binomial (Clopper and Pearson).
 */
export function upperBound({ drawn, broken, of }: Drawn): number {
  if (drawn === 0 || broken >= drawn) return 1;
  return of === undefined ? binomialBound(broken, drawn, 1 - confidence) : maxBroken(drawn, broken, of) / of;
}

/** The greatest number of broken ones among all of which no more than so many are drawn with a chance above 5 %. */
function maxBroken(drawn: number, broken: number, of: number): number {
  const isLikely = (all: number) => hypergeometric(broken, of, all, drawn) > 1 - confidence;
  let [likely, unlikely] = [broken, of - (drawn - broken) + 1];
  while (unlikely - likely > 1) {
    const middle = Math.floor((likely + unlikely) / 2);
    if (isLikely(middle)) likely = middle;
    else unlikely = middle;
  }
  return likely;
}

/** Pages that were drawn, of pages that hold so many records at most, and how many of them hold a broken one. */
export interface DrawnPages extends Drawn {
  of: number;
  pageSize: number;
  /** Whether that number is sure, since nothing showed that the list moved. */
  isStill: boolean;
  /** How many records there are, at least. */
  records: number;
}

/**
 * The share of records that are broken at most, where whole pages were drawn. Records of a page are not independent: no more is
 * taken for sure than that at most so many pages hold a broken one, and each record of these may be.
 */
export function upperBoundByPages({ pageSize, records, isStill, of, ...pages }: DrawnPages): number {
  const share = upperBound({ ...pages, of: isStill ? of : undefined });
  const brokenPages = isStill ? Math.round(share * of) : share * of;
  return Math.min(1, (brokenPages * pageSize) / records);
}
