import { loadContract } from '../schemas/contract.ts';
import { concludeRun, type RunInput } from '../tests/verdict/verdict.ts';
import { type Conformance, resultOf } from './conformance.ts';

/** `conformance.json` of a run. Pure but for the contract and the ledger, which it reads. */
export function buildReport(input: RunInput, endedAt: Date): Conformance {
  const { target, results, shard } = input;
  const { verdict, standing, findings, coverage, notes, startedAt } = concludeRun(input);
  return {
    schemaVersion: 1,
    target: target.name,
    mock: target.isMock,
    profile: target.profile,
    startedAt,
    durationMs: Math.max(0, endedAt.getTime() - Date.parse(startedAt)),
    requests: results.run?.requests ?? 0,
    verdict,
    ...(shard ? { shard } : {}),
    notes,
    contract: loadContract().hash,
    requirements: standing.map(resultOf),
    findings,
    coverage,
    observed: results.behaviour?.observed ?? [],
    requestsMade: results.requests ?? [],
  };
}
