import type { Contract } from '../../schemas/contract/contract.ts';
import { omitUndefined } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import type { Secrets } from '../redact/secrets.ts';
import { hasSweep } from '../sweep/shards.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { listSweepJournals } from '../sweep/sweep-operation.ts';
import { listRequests } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { addCounts, Totals } from '../verdict/totals.ts';
import { emptyResults, selectReportedSettings } from './results.ts';
import { createTraceId, type RunIdentity } from './run-identity.ts';
import { getSweepResultName, type RunStore, resultNames, type StoredResult } from './store.ts';

type ResultMap = Record<string, StoredResult>;

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
  // Set if the run judges recordings instead of sending requests.
  const trafficResults = results[resultNames.traffic]?.traffic;
  if (trafficResults) return { ...trafficResults, judgedBefore: results[resultNames.run]?.judgedBefore };
  const { sweeps, sweepObservations } = await collectSweeps(contract, target, store, results);
  const settings = selectReportedSettings(contract, target, secrets, identity.startedAt);
  const requestSummary = summarizeRequests(target, identity, results, sweeps);
  const firstFailedResult = Object.values(results).find((result) => result.problem);
  return omitUndefined({
    run: { ...settings, mock: target.isMock, ...requestSummary },
    ...mergeOperationResults(contract, results, sweepObservations),
    sweeps: hasSweep(target) ? sweeps : undefined,
    problem: firstFailedResult?.problem,
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

function selectMockExchanges(
  { operations }: Contract,
  observations: Observation[],
): NonNullable<RunResults['mockExchanges']> {
  const exchanges: NonNullable<RunResults['mockExchanges']> = [];
  for (const { id } of operations) {
    const observationsWithExchange = observations.filter(
      (observation) => observation.operation === id && observation.mockExchange,
    );
    const firstSuccess = observationsWithExchange.find(({ kind }) => kind === 'success');
    const firstRejection = observationsWithExchange.find(({ kind }) => kind === 'rejection');
    for (const observation of [firstSuccess, firstRejection])
      if (observation?.mockExchange) exchanges.push({ operation: id, ...observation.mockExchange });
  }
  return exchanges;
}

function findAcceptedRate({ maxRps }: Target, results: StoredResult[]): number | undefined {
  // For example, 0.5 means that a worker slowed down to half of `maxRps`, and 0 that no slower rate helped.
  const rateShares = results.map(({ rateShare = 1 }) => rateShare);
  const smallestShare = Math.min(1, ...rateShares);
  const hasSlowedDown = smallestShare < 1;
  const hasGivenUp = smallestShare === 0;
  return hasSlowedDown && !hasGivenUp ? maxRps * smallestShare : undefined;
}

function selectUnsweptObservations(results: ResultMap, id: string): Observation[] {
  const result = results[id];
  if (result && !result.problem) return result.observations;
  // The requests of the operation failed, or were not sent. The check at the beginning of the run may have requested this operation.
  const observationsOfCheck = results[resultNames.api]?.observations ?? [];
  return observationsOfCheck.filter(({ operation }) => operation === id);
}

async function collectSweeps(
  contract: Contract,
  target: Target,
  store: RunStore,
  results: ResultMap,
): Promise<{ sweeps: SweepResult[]; sweepObservations: Observation[] }> {
  const sweeps: SweepResult[] = [];
  const totals = new Totals();
  const addObservation = (observation: Observation) => totals.add(observation);
  const unfinishedNames = store.listUnfinishedNames();
  for (const operation of contract.operations) {
    const name = getSweepResultName(operation.id);
    const storedResult = results[name];
    sweeps.push(...(storedResult?.sweeps ?? []));
    for (const observation of storedResult?.observations ?? []) addObservation(observation);
    const isInterrupted = unfinishedNames.includes(name);
    if (!isInterrupted) continue;
    // An interrupted sweep has stored no result, but its journals are in `REPORTS_DIR`.
    const { readInterruptedSweep } = await import('../sweep/sweep.ts');
    for (const journal of await listSweepJournals(operation, target)) {
      const sweep = await readInterruptedSweep(target.reportsDir, journal, addObservation);
      if (sweep) sweeps.push(sweep);
    }
  }
  const sweepObservations = totals.observations.map((sum) => ({ ...sum, swept: true as const }));
  return { sweeps, sweepObservations };
}
