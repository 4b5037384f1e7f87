import { placesOf } from '../../tests/verdict/extent.ts';
import { isJudged } from '../../tests/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';
import { extentOf } from '../extent.ts';
import type { Found, Runs } from './compare-runs.ts';

/**
 * Requirements whose verdicts differ. One that a run did not judge is undecided; of a whole branch that was not
 * there, only the root is listed, and nothing below a field that is listed already as never present.
 */
export function compareRequirements(runs: Runs, neverPresent: ReadonlySet<string>): Found[] {
  const [first, second] = runs.map(resultsOf) as [Results, Results];
  const addresses = [...new Set([...first.keys(), ...second.keys()])];
  const differing = addresses.filter((one) => first.get(one)?.verdict !== second.get(one)?.verdict);
  const certain = (one: string) => isJudged(first.get(one)?.verdict) && isJudged(second.get(one)?.verdict);
  const roots = new Set([...neverPresent, ...differing.filter((one) => !certain(one))]);
  return differing
    .filter((one) => certain(one) || !(neverPresent.has(one) || hasAncestor(one, roots)))
    .map((id) => ({
      certain: certain(id),
      difference: {
        id,
        statement: (first.get(id) ?? second.get(id))?.statement ?? '',
        sides: [sideOf(runs[0], first.get(id)), sideOf(runs[1], second.get(id))],
      },
    }));
}

type Results = Map<string, ReportedRequirement>;

const resultsOf = ({ requirements }: Conformance): Results =>
  new Map(requirements.map((one) => [one.address, one]));

/** Whether a place that holds this one is among the roots. */
function hasAncestor(address: string, roots: ReadonlySet<string>): boolean {
  const steps = address.split('/');
  return steps.some((_, index) => index > 0 && roots.has(steps.slice(0, index).join('/')));
}

/** A verdict with the number of places and requests that show it. */
function sideOf(run: Conformance, result: ReportedRequirement | undefined): string {
  if (!result) return 'not part of this run';
  const { verdict, reason, exercised } = result;
  if (verdict === 'violation' || verdict === 'deviation') return `${verdict} ${extentOf(run, result)}`;
  if (verdict === 'pass') return `pass in ${placesOf(exercised)}`;
  return reason ? `${verdict}: ${reason}` : verdict;
}
