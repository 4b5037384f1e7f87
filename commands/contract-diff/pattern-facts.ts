import fc from 'fast-check';

const samples = 200;

/**
 * What samples show of two patterns: that one set of strings holds the other cannot be decided by them, but that it does
 * not can. Empty where a pattern cannot be sampled.
 */
export function patternFacts(before: string, now: string): string {
  try {
    const rejected = some(before, now);
    const added = some(now, before);
    const first = rejected ? 'it rejects some of what it accepted' : 'it accepts all that it accepted';
    const second = added ? 'accepts some of what it rejected' : 'nothing that it rejected';
    return `: ${first}, and ${second}, in ${samples} samples of each`;
  } catch {
    return '';
  }
}

/** Whether a sample of one pattern does not match another. The seed is fixed, so that a report can be repeated. */
function some(from: string, to: string): boolean {
  const pattern = new RegExp(to, 'u');
  return fc
    .sample(fc.stringMatching(new RegExp(from, 'u')), { seed: 11, numRuns: samples })
    .some((text) => !pattern.test(text));
}
