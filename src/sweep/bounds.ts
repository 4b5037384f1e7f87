const confidence = 0.95;

/** Random sample, drawn without replacement from a population of records, or of whole pages of records. */
interface RandomSample {
  sampleSize: number;
  /** Number of records (or pages) in the sample that violate a requirement. */
  broken: number;
  populationSize: number;
}

/**
 * Returns an upper bound, at 95 % confidence, on the share (0 to 1) of a population that violates a requirement. The bound is
 * exact and one-sided (hypergeometric distribution), because the sample was drawn without replacement.
 */
export function computeUpperBound({ sampleSize, broken, populationSize }: RandomSample): number {
  // Bisects for the largest number of broken units in the population that is still likely: with it, the chance that a sample holds
  // at most as many broken units as this sample (`broken`) is more than 5 %.
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

/**
 * Returns an upper bound, at 95 % confidence, on the share (0 to 1) of the records of a list that violate a requirement. Counts
 * all records of a page as broken if one of them is, because the records of one page are not independent.
 * @param pages sample of pages; `pages.broken` is the number of sampled pages with at least one broken record
 */
export function computeUpperBoundByPages(pages: RandomSample, pageSize: number, recordCount: number): number {
  const brokenPages = Math.round(computeUpperBound(pages) * pages.populationSize);
  return Math.min(1, (brokenPages * pageSize) / recordCount);
}

/**
 * Returns the probability (0 to 1) that a random sample, drawn without replacement, contains at most `maxBroken` broken units
 * (cumulative hypergeometric distribution). A unit is a record, or a page of records.
 * @param broken number of broken units in the whole population
 */
export function computeChanceOfAtMost(
  maxBroken: number,
  populationSize: number,
  broken: number,
  sampleSize: number,
): number {
  const intact = populationSize - broken;
  // A sample that is larger than the number of intact units must hold some broken ones.
  const minBroken = Math.max(0, sampleSize - intact);
  if (maxBroken < minBroken) return 0;
  let logChance = logChanceOfFewestBroken(populationSize, broken, sampleSize);
  let sum = Math.exp(logChance);
  // The chance of `count` broken units follows from that of `count - 1`, by the ratio of neighbouring terms of the distribution.
  for (let count = minBroken + 1; count <= maxBroken; count += 1) {
    const numerator = (broken - count + 1) * (sampleSize - count + 1);
    const denominator = count * (intact - sampleSize + count);
    logChance += Math.log(numerator / denominator);
    sum += Math.exp(logChance);
  }
  return sum;
}

/** Returns the logarithm of the chance that a sample holds the smallest possible number of broken units. */
function logChanceOfFewestBroken(populationSize: number, broken: number, sampleSize: number): number {
  const intact = populationSize - broken;
  // With enough intact units, the smallest number is 0: sample and broken units are disjoint.
  if (sampleSize <= intact) return logChanceOfDisjointSets(populationSize, broken, sampleSize);
  // Otherwise, the sample must hold all intact units: these and the units outside the sample are disjoint.
  return logChanceOfDisjointSets(populationSize, intact, populationSize - sampleSize);
}

/** Returns the logarithm of the chance that two random subsets of a population are disjoint: the chance may be too small for a double. */
function logChanceOfDisjointSets(populationSize: number, size: number, otherSize: number): number {
  const [smallerSize, largerSize] = [Math.min(size, otherSize), Math.max(size, otherSize)];
  const outsideLarger = populationSize - largerSize;
  let logarithm = 0;
  // Draws the members of the smaller subset one by one: each must be outside the larger subset.
  for (let drawn = 0; drawn < smallerSize; drawn += 1)
    logarithm += Math.log((outsideLarger - drawn) / (populationSize - drawn));
  return logarithm;
}
