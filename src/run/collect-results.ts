import type { Contract, Operation } from '../../schemas/contract/contract.ts';
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
import { describeRun, emptyResults } from './results.ts';
import { createTraceId, type RunIdentity } from './run-identity.ts';
import { partNames, sweepPart } from './run-session.ts';
import type { RunStore, StoredPart } from './store.ts';

type Parts = Record<string, StoredPart>;

/**
 * Merges the results that all workers of a run have stored. Includes the journal of an interrupted sweep, so that the report
 * shows it. With `TRAFFIC`, returns the results of the recordings.
 */
export async function collectResults(
  contract: Contract,
  target: Target,
  identity: RunIdentity,
  store: RunStore,
  secrets: Secrets,
): Promise<RunResults> {
  const parts = store.readAll();
  if (Object.keys(parts).length === 0 && store.listUnfinished().length === 0) return emptyResults;
  const judgedBefore = parts[partNames.run]?.judgedBefore;
  const { traffic } = parts[partNames.traffic] ?? {};
  if (traffic) return { ...traffic, judgedBefore };
  const { sweeps, observations: sweepObservations } = await collectSweeps(contract, target, store, parts);
  const ids = contract.operations.map(({ id }) => id);
  const ordinaryObservations = ids.flatMap((id) => selectOrdinaryObservations(parts, id));
  const contradictions = ids.flatMap((id) => parts[id]?.contradictions ?? []);
  const { behaviour, probes = [] } = parts[partNames.behaviour] ?? {};
  const [problem] = Object.values(parts).flatMap((part) => part.problem ?? []);
  const mockExchanges = selectMockExchanges(contract, [...ordinaryObservations, ...probes]);
  return {
    run: {
      ...describeRun(contract, target, secrets, identity.startedAt),
      mock: target.isMock,
      ...summarizeRequests(target, identity, parts, sweeps),
    },
    observations: [
      ...new Totals([...ordinaryObservations, ...contradictions]).observations,
      ...sweepObservations,
    ],
    operations: ids.filter((id) => parts[id]),
    behaviour,
    judgedBefore,
    requests: listRequests([...ordinaryObservations, ...sweepObservations], probes),
    ...(mockExchanges.length > 0 ? { mockExchanges } : {}),
    ...(hasSweep(target) ? { sweeps } : {}),
    ...(problem ? { problem } : {}),
  };
}

function summarizeRequests(target: Target, identity: RunIdentity, parts: Parts, sweeps: SweepResult[]) {
  const allParts = Object.values(parts);
  const sufficientRps = findSufficientRate(target, allParts);
  return {
    requests: countRequests(parts, sweeps),
    ...(target.requestId === 'off' ? {} : { trace: createTraceId(identity) }),
    repeated: allParts.reduce((sum, { retries }) => addCounts(sum, retries), {}),
    ...(sufficientRps === undefined ? {} : { sufficientRps }),
  };
}

function countRequests(parts: Parts, sweeps: SweepResult[]): number {
  const partCounts = Object.values(parts).map(({ sent }) => sent);
  // A part is stored only at the end of a sweep, so the requests of an interrupted sweep are counted in no part.
  const interruptedSweeps = sweeps.filter(({ operation }) => !parts[sweepPart(operation)]);
  const sweepCounts = interruptedSweeps.map(({ requests }) => requests);
  return [...partCounts, ...sweepCounts].reduce((sum, count) => sum + count, 0);
}

/** Selects the first success and the first rejection of each operation. Empty for a target other than the mock. */
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
 * Finds the rate, in requests a second, that the target accepted after it had rejected a faster one with HTTP 429. Undefined if
 * it rejected no rate, or even the slowest one.
 */
function findSufficientRate({ maxRps }: Target, parts: StoredPart[]): number | undefined {
  const shares = parts.map(({ rateShare = 1 }) => rateShare);
  const smallestShare = Math.min(1, ...shares);
  const acceptsFullRate = smallestShare === 1;
  const rejectsSlowestRate = smallestShare === 0;
  return acceptsFullRate || rejectsSlowestRate ? undefined : maxRps * smallestShare;
}

/** Returns the responses of an operation. If its requests could not be sent, returns those that `checkApi` got from it. */
function selectOrdinaryObservations(parts: Parts, id: string): Observation[] {
  const part = parts[id];
  if (part && !part.problem) return part.observations;
  const checkedResponses = parts[partNames.api]?.observations ?? [];
  return checkedResponses.filter(({ operation }) => operation === id);
}

async function collectSweeps(contract: Contract, target: Target, store: RunStore, parts: Parts) {
  const sweeps: SweepResult[] = [];
  const totals = new Totals();
  const unfinishedParts = store.listUnfinished();
  for (const operation of contract.operations) {
    const name = sweepPart(operation.id);
    sweeps.push(...(parts[name]?.sweeps ?? []));
    for (const observation of parts[name]?.observations ?? []) totals.add(observation);
    if (unfinishedParts.includes(name))
      sweeps.push(...(await readInterruptedSweeps(operation, target, totals)));
  }
  return { sweeps, observations: totals.observations.map((sum) => ({ ...sum, swept: true as const })) };
}

async function readInterruptedSweeps(operation: Operation, target: Target, totals: Totals) {
  const sweeps: SweepResult[] = [];
  for (const journal of await listSweepJournals(operation, target)) {
    const sweep = await readInterruptedSweep(target.reportsDir, journal, (observation) =>
      totals.add(observation),
    );
    if (sweep) sweeps.push(sweep);
  }
  return sweeps;
}
