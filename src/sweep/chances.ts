/**
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

/** The share at which at most `broken` of `drawn` are drawn with a chance of `chance`: the bound of Clopper and Pearson. */
export function binomialBound(broken: number, drawn: number, chance: number): number {
  let [low, high] = [broken / drawn, 1];
  let share = Math.min((low + (broken + 3) / drawn) / 2, (low + high) / 2);
  for (let round = 0; round < 200; round += 1) {
    const term = binomial(broken, drawn, share);
    const odds = (1 - share) / share;
    const cumulative = sumDown(term, broken, (k) => (k / (drawn - k + 1)) * odds);
    if (cumulative > chance) low = share;
    else high = share;
    // Newton's step of the logarithm, which is nearly straight; halved where it leaves what is known.
    const step =
      share + (Math.log(cumulative / chance) * cumulative * (1 - share)) / ((drawn - broken) * term);
    const next = step > low && step < high ? step : (low + high) / 2;
    if (Math.abs(next - share) <= share * Number.EPSILON) return next;
    share = next;
  }
  return share;
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
