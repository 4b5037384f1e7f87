import { oneLine } from '../tests/run/plain-error.ts';
import { concludeRun, type RunInput, type Shard } from '../tests/verdict/verdict.ts';
import { type Conformance, type ReportedShard, resultOf } from './conformance.ts';
import { durationsOf } from './durations.ts';

/** `conformance.json` of a run. Pure. */
export function buildReport(input: RunInput, endedAt: Date): Conformance {
  const { contract, target, results, shard } = input;
  const { verdict, complete, requirements, gates, selection, findings, coverage, sweeps, notes, startedAt } =
    concludeRun(input);
  return {
    schemaVersion: 2,
    target: target.name,
    mock: target.isMock,
    profile: target.profile,
    startedAt,
    durationMs: Math.max(0, endedAt.getTime() - Date.parse(startedAt)),
    requests: results.run?.requests ?? 0,
    verdict,
    ...(shard ? { shard: reportedShard(shard, input, complete) } : {}),
    ...(selection ? { selection } : {}),
    gates,
    notes,
    contract: contract.hash,
    requirements: requirements.map(resultOf),
    findings,
    coverage,
    ...(sweeps ? { sweeps } : {}),
    observed: results.behaviour?.observed ?? [],
    requestsMade: results.requests ?? [],
    ...(results.traffic ? { traffic: results.traffic } : {}),
    durations: durationsOf(results.requests ?? []),
  };
}

/** A shard with what was selected for all of them: requirements and gates, since other tests only list what was requested. */
function reportedShard(shard: Shard, { results, selected }: RunInput, complete: boolean): ReportedShard {
  const known = new Set(results.requirementResults.map(({ address }) => address));
  const judged = selected?.filter((address) => known.has(address) || address.startsWith('run/'));
  return { ...shard, ...(judged ? { selected: judged } : {}), complete };
}

const nothing = { exercised: 0, total: 0, percentage: 0, missing: [] };

/** `conformance.json` of a run that could not begin, and of which nothing can be read but why. */
export const failedReport = (
  { name, profile }: Pick<RunInput['target'], 'name' | 'profile'>,
  notes: string[],
  startedAt: Date,
): Conformance => ({
  schemaVersion: 2,
  target: name,
  profile,
  startedAt: startedAt.toISOString(),
  durationMs: 0,
  requests: 0,
  verdict: 'error',
  gates: [],
  notes: notes.map(oneLine),
  contract: '0'.repeat(12),
  requirements: [],
  findings: [],
  coverage: { nodes: nothing, states: nothing, seen: {} },
  observed: [],
});
