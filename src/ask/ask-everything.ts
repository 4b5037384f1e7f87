import { randomUUID } from 'node:crypto';
import { type Contract, isRelation, type Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import { confirmAll, maxConfirmed, requestsEach } from '../relations/confirm.ts';
import { observationOf } from '../relations/findings.ts';
import { Relations } from '../relations/relations.ts';
import type { Seen } from '../relations/shown.ts';
import { Recorder, type Source, see } from './recorder.ts';
import type { Asking } from './request.ts';
import { type Exchanges, exchangesOf, type Lookup, type Session } from './session.ts';

/**
 * Asks and judges everything: lists and all else first, then what looks up records that a list shows, then what has to stay as it
 * was, each distinct request once; then what contradicts each other. Ends in bounded time for any target.
 * @param asks what an operation asks, where that is not all that its exchanges file asks
 */
export async function askEverything(
  asking: Asking,
  asks: (session: Session, exchanges: Exchanges) => Promise<Lookup[] | undefined> = (session, exchanges) =>
    exchanges.default(session),
): Promise<Observation[]> {
  const { contract, target, entries } = asking;
  const relations = new Relations<Source>(contract.operations, { secret: randomUUID() });
  const all = contract.operations;
  const recorders = new Map(
    await Promise.all(
      all.map(async (one) => [one.id, new Recorder(one, await exchangesOf(one), asking, relations)] as const),
    ),
  );
  // What names no record goes first: where even that is rejected with HTTP 401, nothing more is sent.
  const sorted = all.toSorted((one, other) => Number(namesRecord(one)) - Number(namesRecord(other)));
  const lookups: Lookup[] = [];
  for (const some of [sorted.filter((one) => !looksUpListed(one)), sorted.filter(looksUpListed)]) {
    const found = some.map(async (operation) => {
      const { exchanges, ask } = recorders.get(operation.id) as Recorder;
      return (await asks({ target, operation, ask }, exchanges)) ?? [];
    });
    lookups.push(...(await Promise.all(found)).flat());
  }
  await Promise.all(lookups.map((one) => recorders.get(one.operation)?.ask(one.parameters)));
  const askAgain = async ({ arguments: parameters, observation: first }: Source): Promise<Seen<Source>> =>
    (await (recorders.get(first.operation) as Recorder).send(parameters, first)).seen;
  const sourcesOf = ({ id }: Operation) => recorders.get(id)?.sources.toSorted(byRequest) ?? [];
  const repeated = all.filter(mustStay).flatMap(sourcesOf).filter(isConfiguredSuccess);
  for (const seen of await Promise.all(repeated.map(askAgain))) see(relations, seen);
  const confirmed = await confirmAll(relations, askAgain, target.isMock);
  const observations = all.flatMap(sourcesOf).map(({ observation }) => observation);
  return [...observations, ...confirmed.flatMap((one) => observationOf(one, entries) ?? [])];
}

/** What was requested again goes last; requests go as they are shown, since they were sent in parallel. */
const byRequest = ({ observation: one }: Source, { observation: other }: Source): number =>
  Number(one.again ?? false) - Number(other.again ?? false) ||
  one.exchange.localeCompare(other.exchange, 'en', { numeric: true });

const looksUpListed = ({ rules }: Operation) => rules.some(({ check }) => 'listedBy' in check);
const namesRecord = ({ parameters }: Operation) =>
  parameters.some((one) => one.required && one['x-identifiers']);
const isConfiguredSuccess = ({ observation: { configured, kind } }: Source) =>
  configured && kind === 'success';
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
