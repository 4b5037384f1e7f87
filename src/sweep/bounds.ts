const confidence = 0.95;

/** Random sample of records, or of whole pages. One that violates a requirement is broken. */
interface RandomSample {
  sampleSize: number;
  broken: number;
  populationSize: number;
}

/**
 * Returns the largest share (0 to 1) of all records that may be broken, with 95 % confidence. The bound is one-sided and exact
 * (hypergeometric distribution), because no record is drawn twice.
 */
export function computeUpperBound({ sampleSize, broken, populationSize }: RandomSample): number {
  // Bisects for the largest number of broken units in the population for which the chance is still more than 5 % that a sample
  // holds as few broken ones as this sample.
  let largestLikely = broken;
  let smallestUnlikely = populationSize + 1;
  while (smallestUnlikely - largestLikely > 1) {
    const middle = Math.floor((largestLikely + smallestUnlikely) / 2);
    const chance = hypergeometric(broken, populationSize, middle, sampleSize);
    if (chance > 1 - confidence) largestLikely = middle;
    else smallestUnlikely = middle;
  }
  return largestLikely / populationSize;
}

/**
 * Returns the largest share (0 to 1) of records that may be broken, with 95 % confidence, if whole pages were drawn at random.
 * Counts every record of a broken page as broken, because records of one page are not independent.
 */
export function computeUpperBoundByPages(pages: RandomSample, pageSize: number, records: number): number {
  const brokenPages = Math.round(computeUpperBound(pages) * pages.populationSize);
  return Math.min(1, (brokenPages * pageSize) / records);
}

/**
 * Returns the chance (0 to 1) that a random sample without replacement holds at most `maxBroken` broken units (cumulative
 * hypergeometric distribution).
 * @param broken number of broken units in the population
 */
export function hypergeometric(
  maxBroken: number,
  populationSize: number,
  broken: number,
  sampleSize: number,
): number {
  // A sample that is larger than the number of intact units must hold some broken ones.
  const minBroken = Math.max(0, sampleSize + broken - populationSize);
  if (maxBroken < minBroken) return 0;
  // The sample holds exactly `minBroken` broken units if it shares none with the broken units, or if the rest shares none with the
  // intact ones.
  const sets =
    minBroken === 0
      ? ([broken, sampleSize] as const)
      : ([populationSize - broken, populationSize - sampleSize] as const);
  let logarithm = logChanceOfDisjointSets(populationSize, ...sets);
  let sum = Math.exp(logarithm);
  // Each further chance follows from the one before, by the ratio of neighbouring terms of the distribution.
  for (let count = minBroken + 1; count <= maxBroken; count += 1) {
    logarithm += Math.log(
      ((broken - count + 1) * (sampleSize - count + 1)) /
        (count * (populationSize - broken - sampleSize + count)),
    );
    sum += Math.exp(logarithm);
  }
  return sum;
}

/**
 * Returns the natural logarithm of the chance that two random sets from one population share no unit. The chance itself may be too
 * small for a double.
 */
function logChanceOfDisjointSets(populationSize: number, size: number, otherSize: number): number {
  const outside = populationSize - Math.max(size, otherSize);
  let logarithm = 0;
  for (let index = 0; index < Math.min(size, otherSize); index += 1)
    logarithm += Math.log((outside - index) / (populationSize - index));
  return logarithm;
}
