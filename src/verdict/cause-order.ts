import type { RequirementResult } from './results.ts';

type RankedResult = Pick<RequirementResult, 'address' | 'verdict'>;

/**
 * Sorts results so that a likely cause comes before its effects: first the verdicts `blocked` and `error`, then members of the
 * envelope, HTTP and parameters, fields, and rules. Keeps the order of the contract otherwise.
 */
export const sortByCause = <Result extends RankedResult>(results: Result[]): Result[] =>
  results.toSorted((result, otherResult) => rankCause(result) - rankCause(otherResult));

function rankCause({ address, verdict }: RankedResult): number {
  if (verdict === 'blocked' || verdict === 'error') return 0;
  const [, group = '', ...furtherSteps] = address.split('/');
  // `getCard/code` and `getCard/data` are members of the envelope (contract section 2.1).
  if (furtherSteps.length === 0) return 1;
  if (group === 'http' || group === 'parameters') return 2;
  return group === 'rules' ? 4 : 3;
}
