const confidence = 0.95;

/** Random sample of records, or of whole pages, with the number of those that are broken. */
interface RandomSample {
  /** Size of the sample. */
  drawn: number;
  /** Number of broken units in the sample. */
  broken: number;
  /** Size of the population. */
  of: number;
}

/**
 * Returns the largest share of the population that may be broken, with 95 % confidence. The bound is one-sided and exact
 * (hypergeometric), because nothing is drawn twice.
 */
export function computeUpperBound({ drawn: sampleSize, broken, of: populationSize }: RandomSample): number {
  // Bisects for the largest number of broken units in the population with which the sample still has a chance of more than 5 %
  // to hold as few broken units as it does.
  let [likely, unlikely] = [broken, populationSize + 1];
  while (unlikely - likely > 1) {
    const middle = Math.floor((likely + unlikely) / 2);
    if (hypergeometric(broken, populationSize, middle, sampleSize) > 1 - confidence) likely = middle;
    else unlikely = middle;
  }
  return likely / populationSize;
}

/**
 * Returns the largest share of records that may be broken, with 95 % confidence, if whole pages were drawn. Records of a page are
 * not independent, since one version of a program often wrote all of them, so the bound counts pages, and takes each record of a
 * broken page as broken.
 * @param pageSize number of records on a full page
 * @param records number of records of the list, or a lower bound
 */
export const computeUpperBoundByPages = (pages: RandomSample, pageSize: number, records: number): number =>
  Math.min(1, (Math.round(computeUpperBound(pages) * pages.of) * pageSize) / records);

/**
 * Returns the chance that a sample, drawn without replacement, holds at most `maxBroken` broken units.
 * @param broken number of broken units in the population
 */
export function hypergeometric(
  maxBroken: number,
  populationSize: number,
  broken: number,
  sampleSize: number,
): number {
  const least = Math.max(0, sampleSize + broken - populationSize);
  if (maxBroken < least) return 0;
  // The chance of `least` broken units: the broken units are disjoint from the sample, or the intact ones from the rest.
  const sets =
    least === 0
      ? ([broken, sampleSize] as const)
      : ([populationSize - broken, populationSize - sampleSize] as const);
  let logarithm = logChanceOfDisjointSets(populationSize, ...sets);
  let sum = Math.exp(logarithm);
  // Each further chance follows from the one before, by the ratio of neighbouring terms of the distribution.
  for (let count = least + 1; count <= maxBroken; count += 1) {
    logarithm += Math.log(
      ((broken - count + 1) * (sampleSize - count + 1)) /
        (count * (populationSize - broken - sampleSize + count)),
    );
    sum += Math.exp(logarithm);
  }
  return sum;
}

/** Returns the logarithm of the chance that two random sets share no unit. The chance itself may be too small for a double. */
function logChanceOfDisjointSets(populationSize: number, size: number, otherSize: number): number {
  const outside = populationSize - Math.max(size, otherSize);
  let logarithm = 0;
  for (let index = 0; index < Math.min(size, otherSize); index += 1)
    logarithm += Math.log((outside - index) / (populationSize - index));
  return logarithm;
}
