import { randomUUID } from 'node:crypto';
import type { Contract } from '../../../schemas/contract/contract.ts';
import type { RequestContext } from '../../../src/operations/request.ts';
import { type OperationResult, Session } from '../../../src/operations/session.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { getComparedListIds } from '../../../src/run/run-session.ts';

/** Sends all requests of a run. Returns an observation for each request, by operation, and then one for each contradiction of responses. */
export async function requestAll(context: RequestContext): Promise<Observation[]> {
  const { contract } = context;
  const session = new Session(context, randomUUID());
  await session.checkApi();
  const resultById = new Map<string, OperationResult>();
  for (const id of sortByDependence(contract)) resultById.set(id, await session.run(id));
  const results = contract.operations.flatMap(({ id }) => resultById.get(id) ?? []);
  const observations = results.flatMap(({ requests }) => requests.map(({ observation }) => observation));
  const contradictions = results.flatMap((result) => result.contradictions);
  return [...observations, ...contradictions];
}

/** Returns the ids of operations, lists first, because lookups are compared with lists. */
function sortByDependence({ operations }: Contract): string[] {
  const ids = operations.map(({ id }) => id);
  const lists = operations.flatMap(getComparedListIds).filter((id) => ids.includes(id));
  return [...new Set([...lists, ...ids])];
}
