import type { Contract } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { curlOf } from '../client/curl.ts';
import type { HttpClient } from '../client/http-client.ts';
import type { Target } from '../configuration/target.ts';
import type { Observation } from '../redaction/observation.ts';
import { applyRelations } from '../relations/apply-relations.ts';
import type { AskAgain } from '../relations/doubt.ts';
import { judgeRelations, maxAskedAgain } from '../relations/judge-relations.ts';
import { relationsOf } from '../relations/plan.ts';
import { Sightings } from '../relations/sightings-of-run.ts';
import { sendsOrdinaryRequests } from '../sweep/divide.ts';
import type { Part } from '../sweep/paging.ts';
import { exchangesOf } from './files.ts';
import { Recorder, type Source } from './recorder.ts';

/**
 * Asks and judges everything, in three stages: each operation asks by itself, each distinct request once; then what
 * the responses have shown is looked up; then some are asked again, for the rules between them. Ends in bounded time
 * for any target.
 */
export async function askEverything(
  contract: Contract,
  target: Target,
  client: HttpClient,
  entries: Entry[],
  part?: Part,
): Promise<Observation[]> {
  const sightings = new Sightings<Source>(relationsOf(contract));
  const asked = await Promise.all(
    contract.operations.map(async (operation) => {
      const exchanges = await exchangesOf(operation);
      const recorder = new Recorder(operation, client, entries, exchanges.summarize, curlOf(target), (seen) =>
        sightings.add(seen),
      );
      const result = sendsOrdinaryRequests(part, target)
        ? await exchanges.default({ target, operation, ask: recorder.ask })
        : undefined;
      return { id: operation.id, recorder, ...result };
    }),
  );
  const recorders = new Map(asked.map(({ id, recorder }) => [id, recorder]));
  const lookups = asked.flatMap((one) => one.lookups ?? []);
  await Promise.all(lookups.map(({ operation, parameters }) => recorders.get(operation)?.ask(parameters)));
  const related = applyRelations(await judgeRelations(sightings, askAgain(recorders), isConfigured), entries);
  return asked.flatMap(({ recorder, openErrors }) => recorder.observations(openErrors, related));
}

const isConfigured = ({ observation }: Source) => observation.configured;

/** Sends a request again with the recorder that has sent it. */
const askAgain =
  (recorders: Map<string, Recorder>): AskAgain<Source> =>
  (source) => {
    const recorder = recorders.get(source.observation.operation);
    if (!recorder) throw new Error(`there is no recorder of ${source.observation.operation}`);
    return recorder.askAgain(source);
  };

/** The greatest number of requests that a run sends, repetitions aside: what each exchanges file says of itself. */
export async function maxRequests(contract: Contract, target: Target): Promise<number> {
  const { operations } = contract;
  const counts = await Promise.all(
    operations.map(async (operation) => (await exchangesOf(operation)).maxRequests(target, operation)),
  );
  return counts.reduce((sum, count) => sum + count, maxAskedAgain(contract, target));
}
