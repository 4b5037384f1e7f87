import type { Contract } from '../../schemas/contract/contract.ts';
import { omitUndefined } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import type { Secrets } from '../redact/secrets.ts';
import { hasSweep } from '../sweep/shards.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { readInterruptedSweep } from '../sweep/sweep.ts';
import { listSweepJournals } from '../sweep/sweep-operation.ts';
import { listRequests } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { addCounts, Totals } from '../verdict/totals.ts';
import { emptyResults, selectReportedSettings } from './results.ts';
import { createTraceId, type RunIdentity } from './run-identity.ts';
import { getSweepResultName, resultNames } from './run-session.ts';
import type { RunStore, StoredResult } from './store.ts';

type ResultMap = Record<string, StoredResult>;

/**
 * Merges the stored results of all workers, and the journal of an interrupted sweep, into one result. With `TRAFFIC`, returns
 * the stored result of judging the recordings instead.
 */
export async function collectResults(
  contract: Contract,
  target: Target,
  identity: RunIdentity,
  store: RunStore,
  secrets: Secrets,
): Promise<RunResults> {
  const results = store.readAll();
  const hasBegun = Object.keys(results).length > 0 || store.listUnfinishedNames().length > 0;
  if (!hasBegun) return emptyResults;
  const traffic = results[resultNames.traffic]?.traffic;
  if (traffic) return { ...traffic, judgedBefore: results[resultNames.run]?.judgedBefore };
  const sweptResults = await collectSweeps(contract, target, store, results);
  const settings = selectReportedSettings(contract, target, secrets, identity.startedAt);
  const requestSummary = summarizeRequests(target, identity, results, sweptResults.sweeps);
  return omitUndefined({
    run: { ...settings, mock: target.isMock, ...requestSummary },
    ...mergeOperationResults(contract, results, sweptResults.observations),
    sweeps: hasSweep(target) ? sweptResults.sweeps : undefined,
    problem: Object.values(results).find((result) => result.problem)?.problem,
  });
}

function mergeOperationResults(contract: Contract, results: ResultMap, sweepObservations: Observation[]) {
  const operationIds = contract.operations.map(({ id }) => id);
  const unsweptObservations = operationIds.flatMap((id) => selectUnsweptObservations(results, id));
  const contradictions = operationIds.flatMap((id) => results[id]?.contradictions ?? []);
  const unsweptSums = new Totals([...unsweptObservations, ...contradictions]).observations;
  const { behaviour, probes = [] } = results[resultNames.behaviour] ?? {};
  const mockExchanges = selectMockExchanges(contract, [...unsweptObservations, ...probes]);
  return {
    // The observations of sweeps are sums already.
    observations: [...unsweptSums, ...sweepObservations],
    operations: operationIds.filter((id) => results[id]),
    behaviour,
    judgedBefore: results[resultNames.run]?.judgedBefore,
    requests: listRequests([...unsweptObservations, ...sweepObservations], probes),
    mockExchanges: mockExchanges.length > 0 ? mockExchanges : undefined,
  };
}

function summarizeRequests(target: Target, identity: RunIdentity, results: ResultMap, sweeps: SweepResult[]) {
  const allResults = Object.values(results);
  return omitUndefined({
    requests: countRequests(results, sweeps),
    trace: target.traceHeaders === 'off' ? undefined : createTraceId(identity),
    repeated: allResults.map(({ retries }) => retries).reduce(addCounts, {}),
    sufficientRps: findAcceptedRate(target, allResults),
  });
}

function countRequests(results: ResultMap, sweeps: SweepResult[]): number {
  let requestCount = 0;
  for (const { sent } of Object.values(results)) requestCount += sent;
  // The result of a sweep is stored at its end, so no stored result counts the requests of an interrupted sweep.
  const interruptedSweeps = sweeps.filter(({ operation }) => !results[getSweepResultName(operation)]);
  for (const { requests } of interruptedSweeps) requestCount += requests;
  return requestCount;
}

/** Selects the first success and the first rejection of each operation. Empty unless the target is the embedded mock. */
function selectMockExchanges({ operations }: Contract, observations: Observation[]) {
  const exchanges: NonNullable<RunResults['mockExchanges']> = [];
  for (const { id } of operations)
    for (const wantedKind of ['success', 'rejection']) {
      const isWanted = ({ operation, kind, mockExchange }: Observation) =>
        operation === id && kind === wantedKind && mockExchange;
      const { mockExchange } = observations.find(isWanted) ?? {};
      if (mockExchange) exchanges.push({ operation: id, ...mockExchange });
    }
  return exchanges;
}

/**
 * Returns the highest rate, in requests a second, that the target accepted after it had rejected a faster one with HTTP 429.
 * Undefined if it rejected none, or even the slowest.
 */
function findAcceptedRate({ maxRps }: Target, results: StoredResult[]): number | undefined {
  const shares = results.map(({ rateShare = 1 }) => rateShare);
  const smallestShare = Math.min(1, ...shares);
  const acceptsFullRate = smallestShare === 1;
  const rejectsSlowestRate = smallestShare === 0;
  return acceptsFullRate || rejectsSlowestRate ? undefined : maxRps * smallestShare;
}

/** Returns the observations of an operation, without those of its sweep. If its result has a `problem`, returns those of `checkApi`. */
function selectUnsweptObservations(results: ResultMap, id: string): Observation[] {
  const result = results[id];
  if (result && !result.problem) return result.observations;
  const firstObservationsOfRun = results[resultNames.api]?.observations ?? [];
  return firstObservationsOfRun.filter(({ operation }) => operation === id);
}

async function collectSweeps(contract: Contract, target: Target, store: RunStore, results: ResultMap) {
  const sweeps: SweepResult[] = [];
  const totals = new Totals();
  const addObservation = (observation: Observation) => totals.add(observation);
  const unfinishedNames = store.listUnfinishedNames();
  for (const operation of contract.operations) {
    const name = getSweepResultName(operation.id);
    sweeps.push(...(results[name]?.sweeps ?? []));
    for (const observation of results[name]?.observations ?? []) addObservation(observation);
    if (!unfinishedNames.includes(name)) continue;
    for (const journal of await listSweepJournals(operation, target)) {
      const sweep = await readInterruptedSweep(target.reportsDir, journal, addObservation);
      if (sweep) sweeps.push(sweep);
    }
  }
  return { sweeps, observations: totals.observations.map((sum) => ({ ...sum, swept: true as const })) };
}
