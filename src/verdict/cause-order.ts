import type { RequirementResult } from './results.ts';

type RankedResult = Pick<RequirementResult, 'address' | 'verdict'>;

/**
 * Sorts results so that a likely cause comes before its effects: first `blocked` and `error`, then requirements of the top level of
 * the body, of HTTP and parameters, of fields, and of rules. Keeps the given order of equally ranked results.
 */
export const sortLikelyCausesFirst = <Result extends RankedResult>(results: Result[]): Result[] =>
  results.toSorted((result, otherResult) => rankCause(result) - rankCause(otherResult));

function rankCause({ address, verdict }: RankedResult): number {
  if (verdict === 'blocked' || verdict === 'error') return 0;
  const [, group = '', ...furtherSteps] = address.split('/');
  // `getCard/code` and `getCard/data` are members of the envelope (contract section 2.1).
  if (furtherSteps.length === 0) return 1;
  if (group === 'http' || group === 'parameters') return 2;
  return group === 'rules' ? 4 : 3;
}
