import type { Contract } from '../../schemas/contract/contract.ts';
import { requirementsOf } from '../../schemas/contract/requirements.ts';
import { readConfiguration, type Target } from '../../tests/configuration/target.ts';
import type { Behaviour } from '../../tests/probes/behaviour.ts';
import { evaluateResults, type Run, type RunResults } from '../../tests/run/results.ts';
import { concludeRun, type RunConclusion } from '../../tests/verdict/verdict.ts';
import type { Conformance } from '../conformance.ts';
import { hasOptional } from './completeness.ts';

/**
 * The verdicts on the requirements and gates of a report, by stored results.
 * @param runs those from which the results come
 * @param failed addresses of tests that noted that they failed
 */
export function evaluateStored(
  contract: Contract,
  report: Conformance,
  results: RunResults,
  runs: Run[],
  failed: ReadonlySet<string> = new Set(),
): RunConclusion {
  const target = { ...targetOf(contract, report, runs), traffic: results.traffic?.sources };
  const { requirements, gates = [], startedAt, shard } = report;
  return concludeRun({
    contract,
    target,
    results: { ...evaluateResults(contract, target, results), behaviour: results.behaviour ?? unobserved },
    addresses: [...requirements, ...gates].map(({ address }) => address),
    failed: new Set([...failedIn(report), ...failed]),
    problems: [],
    startedAt: new Date(startedAt),
    shard,
  });
}

/** Where no answer to what is open was stored, no gate passes that looks at one. */
const unobserved: Behaviour = {
  observed: [],
  findings: [],
  notes: [],
  comparable: 0,
  probed: 0,
  unrecorded: 'no observed behaviour was stored',
};

/** The first requirement or gate of a report that has another verdict by stored results; undefined where there is none. */
export function firstDifference(report: Conformance, conclusion: RunConclusion): string | undefined {
  const verdictsOf = ({ requirements, gates = [] }: Pick<Conformance, 'requirements' | 'gates'>) =>
    new Map([...requirements, ...gates].map(({ address, verdict }) => [address, verdict]));
  const [reported, derived] = [verdictsOf(report), verdictsOf(conclusion)];
  // Results that an earlier version has stored do not say how all gates were configured.
  const isKnown = (address: string) => derived.has(address) || !address.startsWith('run/');
  return [...reported]
    .filter(([address]) => isKnown(address))
    .find(([address, verdict]) => verdict !== derived.get(address))?.[0];
}

/**
 * The first requirement or gate whose test has begun, and that a report leaves out; undefined where there is none.
 * @param begun addresses of tests, those of requests among them
 */
export function firstLeftOut(contract: Contract, report: Conformance, begun: string[]): string | undefined {
  const reported = new Set([...report.requirements, ...(report.gates ?? [])].map(({ address }) => address));
  const known = new Set(requirementsOf(contract).map(({ address }) => address));
  const isJudged = (address: string) => known.has(address) || address.startsWith('run/');
  return begun.find((address) => isJudged(address) && !reported.has(address));
}

/** Addresses of tests that failed for another reason than their requirement: that is no matter of what was observed. */
const failedIn = ({ requirements }: Conformance): string[] =>
  requirements.filter(({ verdict }) => verdict === 'error').map(({ address }) => address);

/** The configuration of the shards, as far as a verdict depends on it. */
function targetOf(contract: Contract, report: Conformance, runs: Run[]): Target {
  const { target: name, profile, mock = false, gates = [] } = report;
  const has = (address: string) => gates.some((gate) => gate.address === address);
  return {
    ...readConfiguration({}, '/nonexistent').target,
    ...{ name, profile, isMock: mock, sweep: 'all' },
    minCoverage: has('run/coverage') ? Math.max(0, ...runs.map(({ minCoverage = 0 }) => minCoverage)) : 0,
    undeclaredFields: runs[0]?.undeclaredFields ?? (hasOptional(contract, [report]) ? 'fail' : 'report'),
    failOnServerError: has('run/server-errors'),
    failOnDrift: has('run/drift'),
    record: has('run/record'),
  };
}
