import { randomUUID } from 'node:crypto';
import { type Contract, isRelation, type Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import { confirmAll, maxConfirmed, requestsEach } from '../relations/confirm.ts';
import { betweenResponses, observationOf } from '../relations/findings.ts';
import { Relations } from '../relations/relations.ts';
import type { Seen } from '../relations/shown.ts';
import { Recorder, type Source } from './recorder.ts';
import type { Asking } from './request.ts';
import { type Exchanges, type ExchangesResult, exchangesOf, type Session } from './session.ts';

/**
 * Asks and judges everything: lists and all else first, then what looks up records that a list shows, then what has to stay as it
 * was, each distinct request once; then what contradicts each other. Ends in bounded time for any target.
 * @param asks what an operation asks, where that is not all that its exchanges file asks
 */
export async function askEverything(
  asking: Asking,
  asks: (session: Session, exchanges: Exchanges) => Promise<ExchangesResult | undefined> = asksAll,
): Promise<Observation[]> {
  const { contract, target, entries } = asking;
  const relations = new Relations<Source>(contract.operations, { secret: randomUUID() });
  const recorders = new Map<string, Recorder>();
  const repeated: Source[] = [];
  const all = contract.operations;
  const files = new Map(await Promise.all(all.map(async (one) => [one, await exchangesOf(one)] as const)));
  const ask = async (operation: Operation) => {
    const exchanges = files.get(operation) as Exchanges;
    const onResponse = (seen: Seen<Source>) => {
      if (seen.kind === 'success' && seen.source.observation.configured && mustStay(operation))
        repeated.push(seen.source);
    };
    const { summarize } = exchanges;
    const recorder = new Recorder(operation, { ...asking, relations, summarize, onResponse });
    recorders.set(operation.id, recorder);
    return { recorder, result: await asks({ target, operation, ask: recorder.ask }, exchanges) };
  };
  // What names no record goes first: where even that is rejected with HTTP 401, nothing more is sent.
  const [naming, plain] = [all.filter(namesRecord), all.filter((one) => !namesRecord(one))];
  const started = new Map(
    [...plain, ...naming].filter((one) => !looksUpListed(one)).map((one) => [one, ask(one)]),
  );
  const asked = await Promise.all(all.flatMap((one) => started.get(one) ?? []));
  asked.push(...(await Promise.all(all.filter(looksUpListed).map(ask))));
  const lookups = asked.flatMap(({ result }) => result?.lookups ?? []);
  await Promise.all(lookups.map((one) => recorders.get(one.operation)?.ask(one.parameters)));
  const askAgain = (source: Source): Promise<Seen<Source>> =>
    (recorders.get(source.observation.operation) as Recorder).askAgain(source);
  // In an order that no response time changes.
  repeated.sort((one, other) => one.observation.exchange.localeCompare(other.observation.exchange));
  const again = await Promise.all(repeated.map(askAgain));
  const kept = again.map((seen, n) => {
    const source = repeated[n] as Source;
    return { ...betweenResponses(source.observation), exercised: relations.see({ ...seen, source }).kept };
  });
  const confirmed = await confirmAll(relations, relations.contradictions(), askAgain, target.isMock);
  const observations = await Promise.all(
    asked.map(({ recorder, result }) => recorder.observations(result ?? {})),
  );
  const found = confirmed.flatMap((one) => observationOf(one, entries) ?? []);
  return [...observations.flat(), ...kept, ...found];
}

const asksAll = (session: Session, exchanges: Exchanges) => exchanges.default(session);

const looksUpListed = ({ rules }: Operation) => rules.some(({ check }) => 'listedBy' in check);
const namesRecord = ({ parameters }: Operation) =>
  parameters.some((one) => one.required && one['x-identifiers']);
const mustStay = ({ rules }: Operation) => rules.some(({ check }) => 'constant' in check);

/** The greatest number of requests that a run sends, repetitions aside: what each exchanges file says of itself. */
export async function maxRequests(contract: Contract, target: Target): Promise<number> {
  const counts = await Promise.all(
    contract.operations.map(async (one) => (await exchangesOf(one)).maxRequests(target, one)),
  );
  return counts.reduce((sum, count) => sum + count, maxAskedAgain(contract, target));
}

function maxAskedAgain({ operations }: Contract, target: Target): number {
  const relations = operations.flatMap(({ rules }) => rules).filter(({ check }) => isRelation(check));
  const records = operations
    .filter(mustStay)
    .flatMap(({ parameters }) =>
      parameters.flatMap((one) => target.identifiers[one['x-identifiers'] ?? ''] ?? []),
    );
  return records.length + relations.length * maxConfirmed * requestsEach;
}
