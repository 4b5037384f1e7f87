/** Verdicts of a requirement, the most severe first. Every output uses these words, in this order. */
export const verdicts = ['violation', 'error', 'blocked', 'deviation', 'not exercised', 'pass'] as const;

/** Verdict of a requirement. */
export type Verdict = (typeof verdicts)[number];

/** Verdicts of a run: `fail` for a violation or a failed gate, `error` if nothing certain can be stated. */
export const runVerdicts = ['pass', 'fail', 'error'] as const;

/** Verdict of a run. */
export type RunVerdict = (typeof runVerdicts)[number];

/** Word for a requirement that the run did not select. */
export const notSelected = 'not selected';

/** Sign of each verdict, readable without its colour. */
export const signs: Record<Verdict | typeof notSelected, string> = {
  violation: '✗',
  error: '!',
  blocked: '⊘',
  deviation: '≈',
  'not exercised': '○',
  pass: '✓',
  [notSelected]: '–',
};

/** Heading for the requirements of each verdict. */
export const headings: Record<Verdict, string> = {
  violation: 'Violations',
  error: 'Errors of this suite',
  blocked: 'Blocked',
  deviation: 'Known deviations',
  'not exercised': 'Not exercised',
  pass: 'Pass',
};

/** Returns whether a verdict rests on a response. */
export const isJudged = (verdict: string | undefined): boolean =>
  verdict === 'violation' || verdict === 'deviation' || verdict === 'pass';

/** Returns whether any result was judged. */
export const hasJudged = (results: { verdict: string }[]): boolean =>
  results.some(({ verdict }) => isJudged(verdict));

/** Counts the results of each verdict, the most severe first; omits verdicts without results. */
export function countByVerdict(results: { verdict: Verdict }[]): (readonly [Verdict, number])[] {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  return verdicts
    .map((verdict) => [verdict, count(verdict)] as const)
    .filter(([, countOfVerdict]) => countOfVerdict > 0);
}

/** Returns the word for a number of requirements: "violations", but "pass". */
export const pluralizeVerdict = (verdict: Verdict, count: number): string =>
  /^(violation|error|deviation)$/.test(verdict) && count !== 1 ? `${verdict}s` : verdict;

/** Formats the counts of verdicts: "3 violations", "119 pass". */
export const formatVerdictCounts = (results: { verdict: Verdict }[]): string[] =>
  countByVerdict(results).map(([verdict, count]) => `${count} ${pluralizeVerdict(verdict, count)}`);
