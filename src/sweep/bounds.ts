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
  const least = Math.max(0, drawn + broken - of);
  if (k < least) return 0;
  let ln = lnDisjoint(
    of,
    ...(least === 0 ? ([broken, drawn] as const) : ([of - broken, of - drawn] as const)),
  );
  let sum = Math.exp(ln);
  for (let at = least + 1; at <= k; at += 1) {
    ln += Math.log(((broken - at + 1) * (drawn - at + 1)) / (at * (of - broken - drawn + at)));
    sum += Math.exp(ln);
  }
  return sum;
}

/** The logarithm of the chance that two draws of so many out of `of` have nothing in common: a sum, which no size of theirs makes 0. */
function lnDisjoint(of: number, one: number, other: number): number {
  const rest = of - Math.max(one, other);
  let ln = 0;
  for (let at = 0; at < Math.min(one, other); at += 1) ln += Math.log((rest - at) / (of - at));
  return ln;
}
