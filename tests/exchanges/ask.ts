import type { Contract } from '../../schemas/contract.ts';
import type { Entry } from '../../schemas/ledger.ts';
import { curlOf } from '../client/curl.ts';
import type { HttpClient } from '../client/http-client.ts';
import type { Observation } from '../client/observation.ts';
import type { Target } from '../client/target.ts';
import { asksOrdinarily } from '../sweep/divide.ts';
import type { Part } from '../sweep/paging.ts';
import { exchangesOf } from './files.ts';
import { Recorder } from './recorder.ts';

/**
 * Asks and judges everything, each distinct request once, in two stages: each operation asks by itself, then what
 * the responses have shown is looked up. Ends in bounded time for any target.
 */
export async function askEverything(
  contract: Contract,
  target: Target,
  client: HttpClient,
  entries: Entry[],
  part?: Part,
): Promise<Observation[]> {
  const asked = await Promise.all(
    contract.operations.map(async (operation) => {
      const exchanges = await exchangesOf(operation);
      const recorder = new Recorder(operation, client, entries, exchanges.summarize, curlOf(target));
      const isAsked = asksOrdinarily(part, exchanges, target);
      const result = isAsked ? await exchanges.default({ target, operation, ask: recorder.ask }) : undefined;
      return { id: operation.id, recorder, ...result };
    }),
  );
  const recorders = new Map(asked.map(({ id, recorder }) => [id, recorder]));
  const lookups = asked.flatMap((one) => one.lookups ?? []);
  await Promise.all(lookups.map(({ operation, parameters }) => recorders.get(operation)?.ask(parameters)));
  return asked.flatMap(({ recorder, openErrors }) => recorder.observations(openErrors));
}

/** The greatest number of requests that a run sends, repetitions aside: what each exchanges file says of itself. */
export async function mostRequests({ operations }: Contract, target: Target): Promise<number> {
  const counts = await Promise.all(
    operations.map(async (operation) => (await exchangesOf(operation)).maxRequests(target, operation)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
