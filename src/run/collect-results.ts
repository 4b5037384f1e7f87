import type { Contract } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import type { Secrets } from '../redact/secrets.ts';
import { hasSweep } from '../sweep/shards.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { readInterruptedSweep } from '../sweep/sweep.ts';
import { listSweepJournals } from '../sweep/sweep-operation.ts';
import { listRequests } from '../verdict/requests-made.ts';
import type { Run, RunResults } from '../verdict/results.ts';
import { addCounts, Totals } from '../verdict/totals.ts';
import { describeRun } from './results.ts';
import { createTraceId, type RunIdentity } from './run-identity.ts';
import { partNames, sweepPart } from './run-session.ts';
import type { RunStore, StoredPart } from './store.ts';

type Parts = Record<string, StoredPart>;

/**
 * Merges the parts that the workers of a run have stored (`RunStore`) into one result. Can be called during a run and after an
 * interruption: reads a sweep that has not ended from its journal. If no part was begun, `run` is undefined. With `TRAFFIC`,
 * returns the results of the recordings.
 */
export async function collectResults(
  contract: Contract,
  target: Target,
  identity: RunIdentity,
  store: RunStore,
  secrets: Secrets,
): Promise<RunResults> {
  const parts = store.readAll();
  if (Object.keys(parts).length === 0 && store.unfinished().length === 0)
    return { run: undefined, observations: [] };
  const judgedBefore = parts[partNames.run]?.judgedBefore;
  const { traffic } = parts[partNames.traffic] ?? {};
  if (traffic) return { ...traffic, judgedBefore };
  const { sweeps, observations: sweepObservations } = await collectSweeps(contract, target, store, parts);
  const ids = contract.operations.map(({ id }) => id);
  const ordinaryObservations = ids.flatMap((id) => selectObservations(parts, id));
  const contradictions = ids.flatMap((id) => parts[id]?.contradictions ?? []);
  const { behaviour, probes = [] } = parts[partNames.behaviour] ?? {};
  const allParts = Object.values(parts);
  const [problem] = allParts.flatMap((part) => part.problem ?? []);
  // A part is stored only at the end of a sweep, so the requests of an interrupted sweep are counted in no part.
  const interruptedSweeps = sweeps.filter(({ operation }) => !parts[sweepPart(operation)]);
  const requestCounts = [
    ...allParts.map(({ sent }) => sent),
    ...interruptedSweeps.map(({ requests }) => requests),
  ];
  return {
    run: {
      ...describeRun(contract, target, secrets, identity.startedAt),
      mock: target.isMock,
      requests: requestCounts.reduce((sum, count) => sum + count, 0),
      ...(target.requestId === 'off' ? {} : { trace: createTraceId(identity) }),
      repeated: allParts.reduce((sum, { retries }) => addCounts(sum, retries), {}),
      ...findSufficientRate(target, allParts),
    },
    observations: [
      ...new Totals([...ordinaryObservations, ...contradictions]).observations,
      ...sweepObservations,
    ],
    operations: ids.filter((id) => parts[id]),
    behaviour,
    judgedBefore,
    requests: listRequests([...ordinaryObservations, ...sweepObservations], probes),
    ...selectMockExchanges(contract, [...ordinaryObservations, ...probes]),
    ...(hasSweep(target) ? { sweeps } : {}),
    ...(problem ? { problem } : {}),
  };
}

/**
 * Selects the first success and the first rejection of each operation as whole exchanges, in `mockExchanges`. Returns `{}` for any
 * target but the mock, whose observations alone hold whole exchanges.
 */
function selectMockExchanges(
  { operations }: Contract,
  observations: Observation[],
): Pick<RunResults, 'mockExchanges'> {
  const mockExchanges = operations.flatMap(({ id }) =>
    (['success', 'rejection'] as const).flatMap((wantedKind) => {
      const isWanted = ({ operation, kind, mockExchange }: Observation) =>
        operation === id && kind === wantedKind && mockExchange;
      const { mockExchange } = observations.find(isWanted) ?? {};
      return mockExchange ? [{ operation: id, ...mockExchange }] : [];
    }),
  );
  return mockExchanges.length > 0 ? { mockExchanges } : {};
}

/**
 * Returns in `sufficientRps` the rate, in requests a second, to which the run slowed down because of HTTP 429, and which the target
 * then accepted. Returns `{}` if the target limited no rate, or even the slowest one of a part of the run (`StoredPart.rateShare` is 0).
 */
function findSufficientRate({ maxRps }: Target, parts: StoredPart[]): Pick<Run, 'sufficientRps'> {
  const share = Math.min(...parts.map(({ rateShare = 1 }) => rateShare));
  const isReduced = share < 1;
  const isSlowestLimited = share === 0;
  return isReduced && !isSlowestLimited ? { sufficientRps: maxRps * share } : {};
}

/**
 * Selects the observations of an operation. If its requests were not sent, returns those API checks at the start of the run that
 * requested the operation.
 * @param id id of the operation, such as `getCard`
 */
function selectObservations(parts: Parts, id: string): Observation[] {
  const part = parts[id];
  if (part && !part.problem) return part.observations;
  const checks = parts[partNames.api]?.observations ?? [];
  return checks.filter(({ operation }) => operation === id);
}

/**
 * Collects the results of finished sweeps from the stored parts, and those of interrupted sweeps from their journals. Sums up their
 * observations, and sets `swept` in each.
 */
async function collectSweeps(contract: Contract, target: Target, store: RunStore, parts: Parts) {
  const sweeps: SweepResult[] = [];
  const totals = new Totals();
  const unfinished = store.unfinished();
  for (const operation of contract.operations) {
    const part = parts[sweepPart(operation.id)];
    sweeps.push(...(part?.sweeps ?? []));
    for (const observation of part?.observations ?? []) totals.add(observation);
    if (!unfinished.includes(sweepPart(operation.id))) continue;
    for (const journal of await listSweepJournals(operation, target)) {
      const sweep = await readInterruptedSweep(target.reportsDir, journal, (observation) =>
        totals.add(observation),
      );
      if (sweep) sweeps.push(sweep);
    }
  }
  return { sweeps, observations: totals.observations.map((sum) => ({ ...sum, swept: true as const })) };
}
