import type { Contract } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { curlOf } from '../client/curl.ts';
import type { HttpClient } from '../client/http-client.ts';
import type { Target } from '../configuration/target.ts';
import type { Observation } from '../redaction/observation.ts';
import { applyRelations } from '../relations/apply-relations.ts';
import { judgeRelations, maxAskedAgain } from '../relations/judge-relations.ts';
import { relationsOf } from '../relations/relation-rules.ts';
import { RunSightings, type Seen } from '../relations/sightings-of-run.ts';
import { sendsOrdinaryRequests } from '../sweep/divide.ts';
import type { Part } from '../sweep/paging/paging.ts';
import type { OrdinaryLists } from '../sweep/results/ordinary-lists.ts';
import { exchangesOf } from './files.ts';
import { askAgainWith, Recorder, type Source } from './recorder.ts';

/**
 * Asks and judges everything, in three stages: each operation asks by itself, each distinct request once; then what
 * the responses have shown is looked up; then some are asked again, for the rules between them. Ends in bounded time
 * for any target.
 * @param ordinary takes note of what is listed
 */
export async function askEverything(
  contract: Contract,
  target: Target,
  client: HttpClient,
  entries: Entry[],
  part?: Part,
  ordinary?: OrdinaryLists,
): Promise<Observation[]> {
  const sightings = new RunSightings<Source>(relationsOf(contract));
  const context = { client, entries, curl: curlOf(target) };
  const asked = await Promise.all(
    contract.operations.map(async (operation) => {
      const exchanges = await exchangesOf(operation);
      const { summarize, sweptList } = exchanges;
      const onResponse = (seen: Seen<Source>) => {
        sightings.add(seen);
        ordinary?.add(sweptList, seen);
      };
      const recorder = new Recorder(operation, { ...context, summarize, onResponse });
      const result = sendsOrdinaryRequests(part, target)
        ? await exchanges.default({ target, operation, ask: recorder.ask })
        : undefined;
      return { id: operation.id, recorder, ...result };
    }),
  );
  const recorders = new Map(asked.map(({ id, recorder }) => [id, recorder]));
  const lookups = asked.flatMap((one) => one.lookups ?? []);
  await Promise.all(lookups.map(({ operation, parameters }) => recorders.get(operation)?.ask(parameters)));
  const related = applyRelations(
    await judgeRelations(sightings, askAgainWith(recorders), isConfigured),
    entries,
  );
  return asked.flatMap(({ recorder, openErrors }) => recorder.observations(openErrors, related));
}

const isConfigured = ({ observation }: Source) => observation.configured;

/** The greatest number of requests that a run sends, repetitions aside: what each exchanges file says of itself. */
export async function maxRequests(contract: Contract, target: Target): Promise<number> {
  const { operations } = contract;
  const counts = await Promise.all(
    operations.map(async (operation) => (await exchangesOf(operation)).maxRequests(target, operation)),
  );
  return counts.reduce((sum, count) => sum + count, maxAskedAgain(contract, target));
}
