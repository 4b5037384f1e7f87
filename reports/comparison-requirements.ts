import type { Found, Runs } from './comparison.ts';
import type { Conformance, RequirementResult } from './conformance.ts';

const judged = new Set<string | undefined>(['pass', 'deviation', 'violation']);

/**
 * Requirements whose verdicts differ. One that a run did not judge is undecided; of a whole branch that was not
 * there, only the root is told, and nothing below a field that is told already as never present.
 */
export function compareRequirements(runs: Runs, neverPresent: ReadonlySet<string>): Found[] {
  const [first, second] = runs.map(resultsOf) as [Results, Results];
  const addresses = [...new Set([...first.keys(), ...second.keys()])];
  const differing = addresses.filter((one) => first.get(one)?.verdict !== second.get(one)?.verdict);
  const certain = (one: string) =>
    judged.has(first.get(one)?.verdict) && judged.has(second.get(one)?.verdict);
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

type Results = Map<string, RequirementResult>;

const resultsOf = ({ requirements }: Conformance): Results =>
  new Map(requirements.map((one) => [one.address, one]));

/** Whether a place that holds this one is among the roots. */
function hasAncestor(address: string, roots: ReadonlySet<string>): boolean {
  const steps = address.split('/');
  return steps.some((_, index) => index > 0 && roots.has(steps.slice(0, index).join('/')));
}

/** A verdict with the number of places and requests that show it. */
function sideOf(run: Conformance, result: RequirementResult | undefined): string {
  if (!result) return 'not part of this run';
  const { verdict, reason, exercised } = result;
  if (verdict === 'violation' || verdict === 'deviation') return `${verdict} ${extentOf(run, result)}`;
  if (verdict === 'pass') return `pass in ${placesOf(exercised)}`;
  return reason ? `${verdict}: ${reason}` : verdict;
}

/** How far a finding of a requirement reaches: "in 16 of 226 places, in 3 requests". No values. */
export function extentOf({ findings }: Conformance, result: RequirementResult): string {
  const own = findings.filter(
    ({ kind, requirement }) => kind === result.verdict && requirement === result.address,
  );
  const requests = new Set(own.map(({ exchange }) => exchange)).size;
  const total = Math.max(own.length, result.exercised);
  return `in ${own.length} of ${placesOf(total)}, in ${requests} ${requests === 1 ? 'request' : 'requests'}`;
}

const placesOf = (count: number) => `${count} ${count === 1 ? 'place' : 'places'}`;
