const confidence = 0.95;

/** Random sample of a list, drawn without replacement. The units of the sample are either records or pages. */
interface RandomSample {
  sampleSize: number;
  /** Number of units in the sample that have a violation. */
  broken: number;
  populationSize: number;
}

/** Computes an upper bound on the share of broken units in the population, from 0 to 1. The confidence is 95 %. */
export function computeUpperBound({ sampleSize, broken, populationSize }: RandomSample): number {
  // Bisects for the largest number of broken units in the population with which a sample like this one has a chance of more than 5 %.
  let largestLikely = broken;
  let smallestUnlikely = populationSize + 1;
  while (smallestUnlikely - largestLikely > 1) {
    const middle = Math.floor((largestLikely + smallestUnlikely) / 2);
    const chance = computeChanceOfAtMost(broken, populationSize, middle, sampleSize);
    if (chance > 1 - confidence) largestLikely = middle;
    else smallestUnlikely = middle;
  }
  return largestLikely / populationSize;
}

/** Computes an upper bound on the share of broken records, from 0 to 1. The sample consists of pages. The confidence is 95 %. */
export function computeUpperBoundByPages(pages: RandomSample, pageSize: number, recordCount: number): number {
  const maxBrokenPages = Math.round(computeUpperBound(pages) * pages.populationSize);
  // In the worst case, all records of a broken page are broken.
  const maxBrokenRecords = maxBrokenPages * pageSize;
  return Math.min(1, maxBrokenRecords / recordCount);
}

/**
 * Returns the probability that a sample has at most `maxBrokenInSample` broken units (hypergeometric distribution).
 * @param brokenInPopulation number of broken units in the whole population
 */
export function computeChanceOfAtMost(
  maxBrokenInSample: number,
  populationSize: number,
  brokenInPopulation: number,
  sampleSize: number,
): number {
  const intactInPopulation = populationSize - brokenInPopulation;
  // Example: with 3 intact units, a sample of 5 has at least 2 broken ones.
  const minBrokenInSample = Math.max(0, sampleSize - intactInPopulation);
  if (maxBrokenInSample < minBrokenInSample) return 0;
  let logChance = computeLogChanceOfFewestBroken(populationSize, brokenInPopulation, sampleSize);
  let sumOfChances = Math.exp(logChance);
  for (let count = minBrokenInSample + 1; count <= maxBrokenInSample; count += 1) {
    // Ratio of the chance of `count` broken units to the chance of `count - 1` (hypergeometric distribution).
    const numerator = (brokenInPopulation - count + 1) * (sampleSize - count + 1);
    const denominator = count * (intactInPopulation - sampleSize + count);
    logChance += Math.log(numerator / denominator);
    sumOfChances += Math.exp(logChance);
  }
  return sumOfChances;
}

function computeLogChanceOfFewestBroken(populationSize: number, broken: number, sampleSize: number): number {
  const intact = populationSize - broken;
  // There are enough intact units for a sample with no broken unit: the broken units and the sample are disjoint.
  if (sampleSize <= intact) return computeLogChanceOfDisjointSets(populationSize, broken, sampleSize);
  // Otherwise, such a sample has all intact units: the intact units and the units outside the sample are disjoint.
  const outsideSample = populationSize - sampleSize;
  return computeLogChanceOfDisjointSets(populationSize, intact, outsideSample);
}

function computeLogChanceOfDisjointSets(populationSize: number, size: number, otherSize: number): number {
  const smallerSize = Math.min(size, otherSize);
  const outsideLarger = populationSize - Math.max(size, otherSize);
  // A logarithm, because the chance itself may be too small for a floating-point number.
  let logarithm = 0;
  // Draws the members of the smaller subset one by one. Each must be outside the larger subset.
  for (let drawn = 0; drawn < smallerSize; drawn += 1)
    logarithm += Math.log((outsideLarger - drawn) / (populationSize - drawn));
  return logarithm;
}
