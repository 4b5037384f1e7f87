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
  // The greatest number of broken ones of which no more than so many are drawn with a chance above 5 %.
  let [likely, unlikely] = [broken, of + 1];
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

/** The chance of at most `k` broken ones among `drawn` of `of`, without putting back, where `broken` of all are. */
export function hypergeometric(k: number, of: number, broken: number, drawn: number): number {
  const whole = of - broken;
  let sum = 0;
  for (let at = Math.max(0, drawn - whole); at <= k; at += 1)
    sum += Math.exp(lnChoices(broken, at) + lnChoices(whole, drawn - at) - lnChoices(of, drawn));
  return sum;
}

/** The logarithm of n over k. */
const lnChoices = (n: number, k: number) => lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k);

/** ln(n!) by Stirling's series, to eleven digits of the factorial; below 50 that of the next number. */
function lnFactorial(n: number): number {
  if (n < 50) return lnFactorial(n + 1) - Math.log(n + 1);
  return (n + 0.5) * Math.log(n) - n + Math.log(2 * Math.PI) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);
}
