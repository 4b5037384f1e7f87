/** How sure a bound is. */
const confidence = 0.95;

/** Units (records, or pages) that were drawn at random from all that there are, and how many of them are broken. */
interface Drawn {
  drawn: number;
  broken: number;
  /** How many there are. */
  of: number;
}

/** The share of units that are broken at most, with 95 % confidence, one-sided and exact: hypergeometric, since nothing is drawn twice. */
export function upperBound({ drawn, broken, of }: Drawn): number {
  if (drawn === 0 || broken >= drawn) return 1;
  // The greatest number of broken ones of which no more than so many are drawn with a chance above 5 %.
  let [likely, unlikely] = [broken, of - (drawn - broken) + 1];
  while (unlikely - likely > 1) {
    const middle = Math.floor((likely + unlikely) / 2);
    if (hypergeometric(broken, of, middle, drawn) > 1 - confidence) likely = middle;
    else unlikely = middle;
  }
  return likely / of;
}

/**
 * The share of records that are broken at most, where whole pages of so many records at most were drawn. Records of a page are
 * not independent: no more is taken for sure than that at most so many pages hold a broken one, and each record of these may be.
 * @param records how many there are, at least
 */
export const upperBoundByPages = (pages: Drawn, pageSize: number, records: number): number =>
  Math.min(1, (Math.round(upperBound(pages) * pages.of) * pageSize) / records);

/*
 * Chances of drawing so many broken ones, to the precision of a double also for millions: by the saddle point of C. Loader, "Fast
 * and accurate computation of binomial probabilities" (2000), which subtracts no large logarithms.
 */

/** ln(n!) less Stirling's approximation of it. */
function stirlingError(n: number): number {
  if (n < 16) return logFactorials[n] as number;
  const square = n * n;
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square) / square) / square) / n;
}

/** The same of small numbers, from n! itself; 0 of 0, which the formulas below do not ask for. */
const logFactorials = Array.from({ length: 16 }, (_, n) => {
  let factorial = 1;
  for (let factor = 2; factor <= n; factor += 1) factorial *= factor;
  return n === 0 ? 0 : Math.log(factorial) - (n + 0.5) * Math.log(n) + n - Math.log(2 * Math.PI) / 2;
});

/** x · ln(x / mean) + mean − x, without cancellation where both are close. */
function deviance(x: number, mean: number): number {
  if (Math.abs(x - mean) >= 0.1 * (x + mean)) return x * Math.log(x / mean) + mean - x;
  const ratio = (x - mean) / (x + mean);
  let sum = (x - mean) * ratio;
  let term = 2 * x * ratio;
  for (let odd = 3; odd < 2000; odd += 2) {
    term *= ratio * ratio;
    const next = sum + term / odd;
    if (next === sum) return sum;
    sum = next;
  }
  return sum;
}

/** The chance of exactly `k` of `n` at a share. */
function binomial(k: number, n: number, share: number): number {
  if (share === 0 || share === 1) return k === n * share ? 1 : 0;
  if (k === 0) return Math.exp(n * Math.log1p(-share));
  if (k === n) return Math.exp(n * Math.log(share));
  const exponent =
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(n - k) -
    deviance(k, n * share) -
    deviance(n - k, n * (1 - share));
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * k * (n - k)));
}

/** The sum of a term and those below it. @param ratio of a term to the one above it */
function sumDown(term: number, from: number, ratio: (k: number) => number): number {
  let [sum, next] = [term, term];
  for (let k = from; k > 0 && next > sum * Number.EPSILON * 0.1; k -= 1) {
    next *= ratio(k);
    sum += next;
  }
  return sum;
}

/** The chance of at most `k` broken ones among `drawn` of `of`, without putting back, where `broken` of all are. */
export function hypergeometric(k: number, of: number, broken: number, drawn: number): number {
  const whole = of - broken;
  if (k >= Math.min(broken, drawn)) return 1;
  if (k < drawn - whole) return 0;
  // The smaller tail, so that no term is too small for a double: what is not broken is drawn the other way about.
  if (k * of > broken * drawn) return 1 - hypergeometric(drawn - k - 1, of, whole, drawn);
  const share = drawn / of;
  const term = (binomial(k, broken, share) * binomial(drawn - k, whole, share)) / binomial(drawn, of, share);
  return sumDown(term, k, (at) => (at / (broken - at + 1)) * ((whole - drawn + at) / (drawn - at + 1)));
}
