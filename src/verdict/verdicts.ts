/** Verdicts of a requirement, the most severe first. Every output uses these words, in this order. */
export const verdicts = ['violation', 'error', 'blocked', 'deviation', 'not exercised', 'pass'] as const;

/** Verdict of a requirement, such as `violation`. */
export type Verdict = (typeof verdicts)[number];

/** Verdicts of a run: `fail` for a violation or a failed gate, `error` if the run can state neither `pass` nor `fail`. */
export const runVerdicts = ['pass', 'fail', 'error'] as const;

/** Verdict of a run or of a gate: `pass`, `fail`, or `error` if neither can be stated. */
export type RunVerdict = (typeof runVerdicts)[number];

/** Word that reports show instead of a verdict for a requirement whose test the run did not select. */
export const notSelected = 'not selected';

/** Characters that reports show before a verdict, so that no reader depends on colours. */
export const signs: Record<Verdict | typeof notSelected, string> = {
  violation: '✗',
  error: '!',
  blocked: '⊘',
  deviation: '≈',
  'not exercised': '○',
  pass: '✓',
  [notSelected]: '–',
};

/** Headings in reports above the requirements with a verdict, keyed by that verdict. */
export const headings: Record<Verdict, string> = {
  violation: 'Violations',
  error: 'Errors of this suite',
  blocked: 'Blocked',
  deviation: 'Known deviations',
  'not exercised': 'Not exercised',
  pass: 'Pass',
};

/** Returns whether responses were judged for a verdict: `violation`, `deviation` or `pass`. */
export const isJudged = (verdict: string | undefined): boolean =>
  verdict === 'violation' || verdict === 'deviation' || verdict === 'pass';

/** Returns whether any requirement was judged: its verdict is `violation`, `deviation` or `pass`. */
export const hasJudged = (results: { verdict: string }[]): boolean =>
  results.some(({ verdict }) => isJudged(verdict));

/**
 * Counts the results with each verdict: pairs such as `['violation', 3]`, the most severe verdict first. Omits verdicts without
 * results.
 */
export function countByVerdict(results: { verdict: Verdict }[]): (readonly [Verdict, number])[] {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  return verdicts
    .map((verdict) => [verdict, count(verdict)] as const)
    .filter(([, countOfVerdict]) => countOfVerdict > 0);
}

/**
 * Returns the word for a number of results with a verdict: "violation" for 1, "violations" for any other count. The words "pass",
 * "blocked" and "not exercised" have no plural.
 */
export const pluralizeVerdict = (verdict: Verdict, count: number): string =>
  /^(violation|error|deviation)$/.test(verdict) && count !== 1 ? `${verdict}s` : verdict;

/** Formats how many results have each verdict, the most severe verdict first: `['3 violations', '119 pass']`. */
export const formatVerdictCounts = (results: { verdict: Verdict }[]): string[] =>
  countByVerdict(results).map(([verdict, count]) => `${count} ${pluralizeVerdict(verdict, count)}`);
