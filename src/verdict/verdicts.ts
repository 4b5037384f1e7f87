/** Verdicts of requirements, the most severe first. */
export const verdicts = ['violation', 'error', 'blocked', 'deviation', 'not exercised', 'pass'] as const;

export type Verdict = (typeof verdicts)[number];

/** Verdicts of a run or gate. The verdict is `error` if the suite cannot decide between `pass` and `fail`. */
export const runVerdicts = ['pass', 'fail', 'error'] as const;

export type RunVerdict = (typeof runVerdicts)[number];

export const notSelected = 'not selected';

/** Signs that HTML pages show before a verdict, for reading without colour. */
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

export const isJudged = (verdict: string | undefined): boolean =>
  verdict === 'violation' || verdict === 'deviation' || verdict === 'pass';

export const hasJudged = (results: { verdict: string }[]): boolean =>
  results.some(({ verdict }) => isJudged(verdict));

/** Counts the results of each verdict that occurs, the most severe first: `[['violation', 3], ['pass', 117]]`. */
export function countByVerdict(results: { verdict: Verdict }[]): (readonly [Verdict, number])[] {
  const counts = verdicts.map((verdict) => {
    const resultsWithVerdict = results.filter((result) => result.verdict === verdict);
    return [verdict, resultsWithVerdict.length] as const;
  });
  return counts.filter(([, count]) => count > 0);
}

export const pluralizeVerdict = (verdict: Verdict, count: number): string =>
  /^(violation|error|deviation)$/.test(verdict) && count !== 1 ? `${verdict}s` : verdict;

export const formatVerdictCounts = (results: { verdict: Verdict }[]): string[] =>
  countByVerdict(results).map(([verdict, count]) => `${count} ${pluralizeVerdict(verdict, count)}`);
