import type { RequirementResult } from './results.ts';

type RankedResult = Pick<RequirementResult, 'address' | 'verdict'>;

/**
 * Sorts results so that a cause comes before what it may break: what could not be judged, the envelope, HTTP and parameters of whole
 * operations, fields, and rules. Every output lists violations in this order. Keeps the order of the contract within a rank.
 */
export const sortByCause = <Result extends RankedResult>(results: Result[]): Result[] =>
  results.toSorted((result, otherResult) => rankCause(result) - rankCause(otherResult));

/** Returns the rank of a result by its verdict and the steps of its address: `getCard/code` is a part of the envelope. */
function rankCause({ address, verdict }: RankedResult): number {
  if (verdict === 'blocked' || verdict === 'error') return 0;
  const [, group = '', ...furtherSteps] = address.split('/');
  if (furtherSteps.length === 0) return 1;
  if (group === 'http' || group === 'parameters') return 2;
  return group === 'rules' ? 4 : 3;
}
