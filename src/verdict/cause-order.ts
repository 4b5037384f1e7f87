import type { RequirementResult } from './results.ts';

type RankedResult = Pick<RequirementResult, 'address' | 'verdict'>;

/** Sorts results so that likely causes, such as `getCard/http/status`, come before their effects. */
export const sortLikelyCausesFirst = <Result extends RankedResult>(results: Result[]): Result[] =>
  results.toSorted((result, otherResult) => rankCause(result) - rankCause(otherResult));

const causeRanks = { unjudged: 0, envelope: 1, request: 2, field: 3, rule: 4 };

function rankCause({ address, verdict }: RankedResult): number {
  if (verdict === 'blocked' || verdict === 'error') return causeRanks.unjudged;
  // `getCard/code` has no further steps; `getCard/http/status` has the further step `status`.
  const [, firstStep = '', ...furtherSteps] = address.split('/');
  if (furtherSteps.length === 0) return causeRanks.envelope;
  if (firstStep === 'http' || firstStep === 'parameters') return causeRanks.request;
  return firstStep === 'rules' ? causeRanks.rule : causeRanks.field;
}
