import type { Contract } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { curlOf } from '../client/curl.ts';
import type { HttpClient } from '../client/http-client.ts';
import type { Target } from '../configuration/target.ts';
import type { Observation } from '../redaction/observation.ts';
import { applyRelations } from '../relations/apply-relations.ts';
import { judgeRelations, maxAskedAgain } from '../relations/judge-relations.ts';
import { Lag } from '../relations/lag.ts';
import { relationsOf } from '../relations/relation-rules.ts';
import { RunSightings, type Seen } from '../relations/sightings-of-run.ts';
import { sendsOrdinaryRequests } from '../sweep/divide.ts';
import type { Part } from '../sweep/paging/paging.ts';
import type { OrdinaryLists } from '../sweep/results/ordinary-lists.ts';
import { askAgainWith, longerWith } from './ask-again.ts';
import { exchangesOf } from './files.ts';
import { Recorder } from './recorder.ts';
import type { Source } from './seen-response.ts';
import type { Lookup } from './session.ts';

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
  const asking = contract.operations.map(async (operation) => {
    const exchanges = await exchangesOf(operation);
    const onResponse = (seen: Seen<Source>) => {
      sightings.add(seen);
      ordinary?.add(exchanges.sweptList, seen);
    };
    const { summarize } = exchanges;
    const recorder = new Recorder(operation, { ...context, summarize, onResponse });
    const isAsked = sendsOrdinaryRequests(part, target);
    const session = { target, operation, ask: recorder.ask, askAgain: recorder.askAgain };
    const result = isAsked ? await exchanges.default(session) : undefined;
    recorder.putFirst(result?.inOrder ?? []);
    return { id: operation.id, exchanges, recorder, ...result };
  });
  const asked = await Promise.all(asking);
  const recorders = new Map(asked.map(({ id, recorder }) => [id, recorder]));
  await lookUp(
    recorders,
    asked.flatMap((one) => one.lookups ?? []),
  );
  const longer = longerWith(new Map(asked.map(({ id, exchanges }) => [id, exchanges])));
  const results = await judgeRelations(
    sightings,
    askAgainWith(recorders),
    isConfigured,
    new Lag(target),
    longer,
  );
  const related = applyRelations(results, entries);
  return asked.flatMap(({ recorder, openErrors }) => recorder.observations(openErrors, related));
}

const lookUp = (recorders: Map<string, Recorder>, lookups: Lookup[]) =>
  Promise.all(lookups.map(({ operation, parameters }) => recorders.get(operation)?.ask(parameters)));

const isConfigured = ({ observation }: Source) => observation.configured;

/** The greatest number of requests that a run sends, repetitions aside: what each exchanges file says of itself. */
export async function maxRequests(contract: Contract, target: Target): Promise<number> {
  const { operations } = contract;
  const counts = await Promise.all(
    operations.map(async (operation) => (await exchangesOf(operation)).maxRequests(target, operation)),
  );
  return counts.reduce((sum, count) => sum + count, maxAskedAgain(contract, target));
}
