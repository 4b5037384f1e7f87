import type { Contract } from '../../schemas/contract/contract.ts';
import { isOptional, requirementsOf } from '../../schemas/contract/requirements.ts';
import { readConfiguration, type Target } from '../../tests/configuration/target.ts';
import { evaluateResults, type Run, type RunResults } from '../../tests/run/results.ts';
import { concludeRun } from '../../tests/verdict/verdict.ts';
import type { Conformance } from '../conformance.ts';

/** The first requirement of a report of which the observations of its run show something else; undefined where there is none. */
export function notShownBy(
  contract: Contract,
  report: Conformance,
  results: RunResults & { run: Run },
): string | undefined {
  const target = targetOf(contract, report, [results.run]);
  const { requirements } = concludeRun({
    contract,
    target,
    results: evaluateResults(contract, target, results),
    addresses: report.requirements.map(({ address }) => address),
    failed: new Set(failedIn(report)),
    problems: [],
    startedAt: new Date(report.startedAt),
    shard: report.shard,
  });
  const shown = new Map(requirements.map(({ address, verdict }) => [address, verdict]));
  return report.requirements.find(({ address, verdict }) => shown.get(address) !== verdict)?.address;
}

/** Addresses of tests that failed for another reason than their requirement: that is no matter of what was observed. */
export const failedIn = ({ requirements }: Conformance): string[] =>
  requirements.filter(({ verdict }) => verdict === 'error').map(({ address }) => address);

/** The configuration of the shards, as far as a verdict depends on it. */
export function targetOf(
  contract: Contract,
  { target: name, profile, mock = false, requirements, gates = [] }: Conformance,
  runs: Run[],
): Target {
  const has = (address: string) => gates.some((gate) => gate.address === address);
  const optional = new Set(
    requirementsOf(contract)
      .filter(isOptional)
      .map(({ address }) => address),
  );
  const hasOptional = requirements.some(({ address }) => optional.has(address));
  return {
    ...readConfiguration({}, '/nonexistent').target,
    ...{ name, profile, isMock: mock, sweep: 'all' },
    minCoverage: has('run/coverage') ? Math.max(0, ...runs.map(({ minCoverage = 0 }) => minCoverage)) : 0,
    undeclaredFields: hasOptional ? 'fail' : 'report',
    failOnServerError: has('run/server-errors'),
    failOnDrift: has('run/drift'),
    record: has('run/record'),
  };
}
