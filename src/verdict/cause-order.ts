import type { RequirementResult } from './results.ts';

type RankedResult = Pick<RequirementResult, 'address' | 'verdict'>;

/**
 * Sorts results so that a cause comes before its effects: `blocked` and `error` first, then the envelope, HTTP and parameters,
 * fields, and rules. Keeps the order of the contract within a rank.
 */
export const sortByCause = <Result extends RankedResult>(results: Result[]): Result[] =>
  results.toSorted((result, otherResult) => rankCause(result) - rankCause(otherResult));

/** Returns a rank from 0 for a likely cause to 4 for a rule such as `getCard/rules/…`. */
function rankCause({ address, verdict }: RankedResult): number {
  if (verdict === 'blocked' || verdict === 'error') return 0;
  const [, group = '', ...furtherSteps] = address.split('/');
  // `getCard/code` and `getCard/data` are members of the envelope (contract section 2.1).
  if (furtherSteps.length === 0) return 1;
  if (group === 'http' || group === 'parameters') return 2;
  return group === 'rules' ? 4 : 3;
}
