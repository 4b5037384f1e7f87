import type { RequirementResult } from './results.ts';

type RankedResult = Pick<RequirementResult, 'address' | 'verdict'>;

/**
 * Sorts results so that a likely cause comes before its effects: `blocked` and `error`; members of the envelope, such as
 * `getCard/code`; HTTP and parameters; fields; rules. Keeps the given order of equally ranked results.
 */
export const sortLikelyCausesFirst = <Result extends RankedResult>(results: Result[]): Result[] =>
  results.toSorted((result, otherResult) => rankCause(result) - rankCause(otherResult));

function rankCause({ address, verdict }: RankedResult): number {
  if (verdict === 'blocked' || verdict === 'error') return 0;
  const [, group = '', ...furtherSteps] = address.split('/');
  const isMemberOfEnvelope = furtherSteps.length === 0;
  if (isMemberOfEnvelope) return 1;
  if (group === 'http' || group === 'parameters') return 2;
  return group === 'rules' ? 4 : 3;
}
