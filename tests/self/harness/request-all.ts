import { randomUUID } from 'node:crypto';
import type { Contract } from '../../../schemas/contract/contract.ts';
import type { RequestContext } from '../../../src/operations/request.ts';
import { Session } from '../../../src/operations/session.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { getComparedListIds } from '../../../src/run/run-session.ts';

/** Returns the observations of requests, in the order of the contract, and then those of contradictions. */
export async function requestAll(context: RequestContext): Promise<Observation[]> {
  const { contract } = context;
  const session = new Session(context, randomUUID());
  await session.checkApi();
  const observations = new Map<string, Observation[]>();
  const contradictions = new Map<string, Observation[]>();
  for (const id of sortByDependence(contract)) {
    const result = await session.run(id);
    const requestObservations = result.requests.map(({ observation }) => observation);
    observations.set(id, requestObservations);
    contradictions.set(id, result.contradictions);
  }
  const ids = contract.operations.map(({ id }) => id);
  return [observations, contradictions].flatMap((parts) => ids.flatMap((id) => parts.get(id) ?? []));
}

/** Returns the ids of operations, lists first, because lookups are compared with lists. */
function sortByDependence({ operations }: Contract): string[] {
  const ids = operations.map(({ id }) => id);
  const lists = operations.flatMap(getComparedListIds).filter((id) => ids.includes(id));
  return [...new Set([...lists, ...ids])];
}
