import { loadContract } from '../schemas/contract.ts';
import type { Finding, Observation } from '../tests/client/observation.ts';
import type { Target } from '../tests/client/target.ts';
import { type Coverage, coverageOf } from '../tests/contract/coverage.ts';
import type { Results } from '../tests/contract/results.ts';
import { expiredNotes, gatesOf, hollowNotes, runFindings } from '../tests/contract/run.ts';
import type { Standing } from '../tests/contract/standing.ts';
import { type Conformance, resultOf, type Shard, verdictOf } from './conformance.ts';

/** All that a run has left behind. */
export interface Ended {
  target: Target;
  results: Results;
  /** Addresses of the requirements that were selected. */
  addresses: string[];
  /** Addresses of the tests that failed. */
  failed: ReadonlySet<string>;
  /** Sentences on what prevented the run. */
  problems: string[];
  /** When the run began, should it have left no word of that. */
  startedAt: Date;
  endedAt: Date;
  /** Set when the judging was divided. */
  shard?: Shard | undefined;
}

/** What a run comes to. Pure but for the contract and the ledger, which it reads. */
export function conclude(ended: Ended): Conformance {
  const { target, results, addresses, failed, problems, endedAt, shard } = ended;
  const { run, observations, standing } = results;
  const selected = standing
    .filter(({ address }) => addresses.includes(address))
    .map((one) => unexpected(one, failed));
  const coverage = coverageOf(loadContract(), observations);
  const whole = run !== undefined && (shard !== undefined || selected.length === standing.length);
  const findings = findingsOf(target, results, selected, whole ? coverage : undefined);
  const requirements = selected.map(resultOf);
  const startedAt = run?.startedAt ?? ended.startedAt.toISOString();
  return {
    schemaVersion: 1,
    target: target.name,
    profile: target.profile,
    startedAt,
    durationMs: endedAt.getTime() - Date.parse(startedAt),
    requests: run?.requests ?? 0,
    verdict:
      run && problems.length === 0
        ? verdictOf(requirements, findings, gatesOf(target), shard ? standing : requirements)
        : 'error',
    ...(shard ? { shard } : {}),
    notes: [
      ...problems,
      ...(shard ? [] : partNote(selected, standing)),
      ...repetitionNotes(run),
      ...expiredNotes(target, startedAt.slice(0, 10)),
      ...hollowNotes(target, observations),
      ...(results.behaviour?.notes ?? []),
    ],
    contract: loadContract().hash,
    requirements,
    findings,
    coverage,
    observed: results.behaviour?.observed ?? [],
  };
}

/** A target that needed a second asking is not what it should be, though nothing is wrong with its answers. */
const repetitionNotes = (run: Results['run']) =>
  Object.entries(run?.repeated ?? {}).map(([reason, count]) => `repeated ${count} times: ${reason}`);

/** A verdict on a part of the contract must not read like one on the whole. */
function partNote({ length: some }: Standing[], { length: all }: Standing[]): string[] {
  return some > 0 && some < all ? [`only ${some} of ${all} requirements were selected`] : [];
}

/** A test that failed for another reason than its requirement is a fault of this suite. */
function unexpected(standing: Standing, failed: ReadonlySet<string>): Standing {
  const wrong = failed.has(standing.address) && standing.verdict !== 'violation';
  return wrong ? { ...standing, verdict: 'error', reason: 'the test failed without a violation' } : standing;
}

/** Findings of the selected requirements and, given its coverage, of the run as a whole. */
function findingsOf(target: Target, results: Results, selected: Standing[], coverage?: Coverage): Finding[] {
  return [
    ...selected.flatMap((one) => one.findings),
    ...(target.undeclaredFields === 'report' ? undeclaredOf(results.observations) : []),
    ...(coverage ? runFindings(target, coverage, results) : []),
    ...(results.behaviour?.findings ?? []),
  ];
}

const undeclaredOf = (observations: Observation[]) =>
  observations.flatMap(({ findings }) => findings).filter(({ kind }) => kind === 'undeclared');
