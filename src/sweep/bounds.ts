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
  // Bisects for the largest number of broken units in the population that fits this sample: the chance of a sample with so few
  // broken units is more than 5 %.
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
 * Returns an upper bound, at 95 % confidence, on the share (0 to 1) of the records of a list that violate a requirement. For a sample
 * of whole pages.
 * @param pages `broken` is the number of sampled pages with at least one broken record
 */
export function computeUpperBoundByPages(pages: RandomSample, pageSize: number, recordCount: number): number {
  const maxBrokenPages = Math.round(computeUpperBound(pages) * pages.populationSize);
  // In the worst case, all records of a broken page are broken.
  const maxBrokenRecords = maxBrokenPages * pageSize;
  return Math.min(1, maxBrokenRecords / recordCount);
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
  let logChance = computeLogChanceOfFewestBroken(populationSize, broken, sampleSize);
  let sumOfChances = Math.exp(logChance);
  for (let count = minBroken + 1; count <= maxBroken; count += 1) {
    // Ratio of the chance of `count` broken units to the chance of `count - 1` (hypergeometric distribution).
    const numerator = (broken - count + 1) * (sampleSize - count + 1);
    const denominator = count * (intact - sampleSize + count);
    logChance += Math.log(numerator / denominator);
    sumOfChances += Math.exp(logChance);
  }
  return sumOfChances;
}

/** Returns the logarithm of the chance that a sample has as few broken units as possible: 0 of them, if there are enough intact ones. */
function computeLogChanceOfFewestBroken(populationSize: number, broken: number, sampleSize: number): number {
  const intact = populationSize - broken;
  // No broken unit is in the sample.
  if (sampleSize <= intact) return computeLogChanceOfDisjointSets(populationSize, broken, sampleSize);
  // The sample is larger than the number of intact units, so it must hold all of them: no intact unit is outside the sample.
  const outsideSample = populationSize - sampleSize;
  return computeLogChanceOfDisjointSets(populationSize, intact, outsideSample);
}

/**
 * Returns the logarithm of the chance that two random subsets of a population have no member in common. A logarithm, because the chance
 * itself may be too small for a double.
 */
function computeLogChanceOfDisjointSets(populationSize: number, size: number, otherSize: number): number {
  const smallerSize = Math.min(size, otherSize);
  const outsideLarger = populationSize - Math.max(size, otherSize);
  let logarithm = 0;
  // Draws the members of the smaller subset one by one. Each must be outside the larger subset.
  for (let drawn = 0; drawn < smallerSize; drawn += 1)
    logarithm += Math.log((outsideLarger - drawn) / (populationSize - drawn));
  return logarithm;
}
