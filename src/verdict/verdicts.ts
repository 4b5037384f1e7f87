/** What a run says of a requirement, from the gravest to the lightest. Every output uses these words, in this order. */
export const verdicts = ['violation', 'error', 'blocked', 'deviation', 'not exercised', 'pass'] as const;

/** One of the verdicts of a requirement. */
export type Verdict = (typeof verdicts)[number];

/** What a run says as a whole: `fail` when the contract is broken, or a gate failed; `error` when nothing sure can be said. */
export const runVerdicts = ['pass', 'fail', 'error'] as const;

/** One of the verdicts of a run. */
export type RunVerdict = (typeof runVerdicts)[number];

/** What a place of the contract has that the run did not select. */
export const notSelected = 'not selected';

/** A sign for each verdict, for readers who do not see its colour. */
export const signs: Record<Verdict | typeof notSelected, string> = {
  violation: '✗',
  error: '!',
  blocked: '⊘',
  deviation: '≈',
  'not exercised': '○',
  pass: '✓',
  [notSelected]: '–',
};

/** Heading of the requirements of a verdict, where they are listed. */
export const headings: Record<Verdict, string> = {
  violation: 'Violations',
  error: 'Errors of this suite',
  blocked: 'Blocked',
  deviation: 'Known deviations',
  'not exercised': 'Not exercised',
  pass: 'Pass',
};

/** Whether a verdict rests on something that was received. */
export const isJudged = (verdict: string | undefined): boolean =>
  verdict === 'violation' || verdict === 'deviation' || verdict === 'pass';

/** Whether any requirement has such a verdict. */
export const hasJudged = (all: { verdict: string }[]): boolean =>
  all.some(({ verdict }) => isJudged(verdict));

/** How many have each verdict, the gravest first, without those that nothing has. */
export function countByVerdict(all: { verdict: Verdict }[]): (readonly [Verdict, number])[] {
  const count = (verdict: Verdict) => all.filter((one) => one.verdict === verdict).length;
  return verdicts.map((verdict) => [verdict, count(verdict)] as const).filter(([, number]) => number > 0);
}

/** The word for so many requirements of a verdict: "violations", but "pass". */
export const verdictWord = (verdict: Verdict, count: number): string =>
  /^(violation|error|deviation)$/.test(verdict) && count !== 1 ? `${verdict}s` : verdict;

/** "3 violations, 119 pass", as parts. */
export const verdictCounts = (all: { verdict: Verdict }[]): string[] =>
  countByVerdict(all).map(([verdict, count]) => `${count} ${verdictWord(verdict, count)}`);
