import { randomUUID } from 'node:crypto';
import type { Contract } from '../../../schemas/contract/contract.ts';
import { getComparedListIds } from '../../../src/operations/operation-file.ts';
import type { RequestContext } from '../../../src/operations/request.ts';
import { type OperationResult, Session } from '../../../src/operations/session.ts';
import type { Observation } from '../../../src/redact/observation.ts';

/** Sends the requests of all operations. Returns their observations, then those of contradictions between two responses. */
export async function requestAll(context: RequestContext): Promise<Observation[]> {
  const { contract } = context;
  const session = new Session(context, randomUUID());
  // If this first request cannot connect to the target, `session` sends no further requests.
  await session.checkApi();
  const resultsById = new Map<string, OperationResult>();
  for (const id of sortListsFirst(contract)) resultsById.set(id, await session.run(id));
  const results = contract.operations.flatMap(({ id }) => resultsById.get(id) ?? []);
  const observations = results.flatMap(({ requests }) => requests.map(({ observation }) => observation));
  const contradictions = results.flatMap((result) => result.contradictions);
  return [...observations, ...contradictions];
}

function sortListsFirst({ operations }: Contract): string[] {
  const ids = operations.map(({ id }) => id);
  const listIds = operations.flatMap(getComparedListIds).filter((id) => ids.includes(id));
  return [...new Set([...listIds, ...ids])];
}
