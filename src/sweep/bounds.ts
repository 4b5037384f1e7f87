const confidence = 0.95;

/** Random sample of the units of a list. A unit is a record, or a whole page; it is broken if it violates a requirement. */
interface RandomSample {
  /** Number of records or pages in a random sample. */
  drawn: number;
  /** Number of records or pages in a random sample that violate a requirement. */
  broken: number;
  /** Number of records or pages in the whole list, from which a random sample was drawn. */
  of: number;
}

/**
 * Returns the largest share (0 to 1) of all records or pages that may violate a requirement, with 95 % confidence, by the number in
 * a random sample that do. The bound is one-sided and exact (hypergeometric distribution), because nothing is drawn twice.
 */
export function computeUpperBound({ drawn: sampleSize, broken, of: populationSize }: RandomSample): number {
  // Bisects for the largest number of broken units in the population for which the chance is still more than 5 % that a sample
  // holds as few broken ones as this sample.
  let [likely, unlikely] = [broken, populationSize + 1];
  while (unlikely - likely > 1) {
    const middle = Math.floor((likely + unlikely) / 2);
    const chance = hypergeometric(broken, populationSize, middle, sampleSize);
    if (chance > 1 - confidence) likely = middle;
    else unlikely = middle;
  }
  return likely / populationSize;
}

/**
 * Returns the largest share (0 to 1) of records that may violate a requirement, with 95 % confidence, if whole pages were drawn at
 * random. The bound counts pages, and takes every record of a broken page as broken: records of a page are not independent, because
 * one version of a program often wrote all of them.
 * @param pages sample of pages
 * @param pageSize number of records on a full page
 * @param records number of records of the list, or a lower bound
 */
export function computeUpperBoundByPages(pages: RandomSample, pageSize: number, records: number): number {
  const brokenPages = Math.round(computeUpperBound(pages) * pages.of);
  return Math.min(1, (brokenPages * pageSize) / records);
}

/**
 * Returns the chance (0 to 1) that a random sample without replacement holds at most `maxBroken` broken units: the cumulative
 * hypergeometric distribution.
 * @param broken number of broken units in the population
 */
export function hypergeometric(
  maxBroken: number,
  populationSize: number,
  broken: number,
  sampleSize: number,
): number {
  // A sample that is larger than the number of intact units must hold some broken ones.
  const least = Math.max(0, sampleSize + broken - populationSize);
  if (maxBroken < least) return 0;
  // The sample holds exactly `least` broken units if it shares none with the broken units, or if the rest shares none with the
  // intact ones.
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

/**
 * Returns the natural logarithm of the chance that two random sets of these sizes, drawn from one population, share no unit. The
 * chance itself may be too small for a double.
 */
function logChanceOfDisjointSets(populationSize: number, size: number, otherSize: number): number {
  const outside = populationSize - Math.max(size, otherSize);
  let logarithm = 0;
  for (let index = 0; index < Math.min(size, otherSize); index += 1)
    logarithm += Math.log((outside - index) / (populationSize - index));
  return logarithm;
}
