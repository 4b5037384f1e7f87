/** Verdicts of requirements, the most severe first. Every report uses these words in this order. */
export const verdicts = ['violation', 'error', 'blocked', 'deviation', 'not exercised', 'pass'] as const;

export type Verdict = (typeof verdicts)[number];

/**
 * Verdicts of runs and gates. `fail`: a requirement is violated, or a gate failed. `error`: neither `pass` nor `fail` can be
 * stated.
 */
export const runVerdicts = ['pass', 'fail', 'error'] as const;

export type RunVerdict = (typeof runVerdicts)[number];

export const notSelected = 'not selected';

/** Sign that is shown before a verdict, so that colours are not needed to read it. */
export const signs: Record<Verdict | typeof notSelected, string> = {
  violation: '✗',
  error: '!',
  blocked: '⊘',
  deviation: '≈',
  'not exercised': '○',
  pass: '✓',
  [notSelected]: '–',
};

export const headings: Record<Verdict, string> = {
  violation: 'Violations',
  error: 'Errors of this suite',
  blocked: 'Blocked',
  deviation: 'Known deviations',
  'not exercised': 'Not exercised',
  pass: 'Pass',
};

/** Returns whether a verdict means that responses were judged: `violation`, `deviation` or `pass`. */
export const isJudged = (verdict: string | undefined): boolean =>
  verdict === 'violation' || verdict === 'deviation' || verdict === 'pass';

export const hasJudged = (results: { verdict: string }[]): boolean =>
  results.some(({ verdict }) => isJudged(verdict));

/**
 * Counts the results with each verdict. Returns pairs such as `["violation", 3]`, the most severe verdict first. Omits verdicts
 * without results.
 */
export function countByVerdict(results: { verdict: Verdict }[]): (readonly [Verdict, number])[] {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  return verdicts
    .map((verdict) => [verdict, count(verdict)] as const)
    .filter(([, countOfVerdict]) => countOfVerdict > 0);
}

/**
 * Formats a verdict after a number: "violation" for 1, and otherwise "violations". "pass", "blocked" and "not exercised" have no
 * plural.
 */
export const pluralizeVerdict = (verdict: Verdict, count: number): string =>
  /^(violation|error|deviation)$/.test(verdict) && count !== 1 ? `${verdict}s` : verdict;

export const formatVerdictCounts = (results: { verdict: Verdict }[]): string[] =>
  countByVerdict(results).map(([verdict, count]) => `${count} ${pluralizeVerdict(verdict, count)}`);
