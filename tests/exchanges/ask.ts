import { readdirSync } from 'node:fs';
import { loadContract } from '../../schemas/contract.ts';
import type { Entry } from '../../schemas/ledger.ts';
import type { Observation } from '../client/observation.ts';
import type { Door } from '../client/send.ts';
import type { Target } from '../client/target.ts';
import { Recorder, type Session } from './session.ts';

/** An exchanges file: what it asks, and how many requests that may take. */
interface Exchanges {
  default(session: Session): Promise<void>;
  most(target: Target): number;
}

/** Asks and judges everything, each distinct request once. Ends in bounded time whatever the target does. */
export async function askEverything(target: Target, door: Door, entries: Entry[]): Promise<Observation[]> {
  const operations = loadContract().operations.map(({ id }) => id);
  const recorders = new Map(operations.map((id) => [id, new Recorder(id, door, entries)]));
  const done = new Map<string, PromiseWithResolvers>();
  for (const id of operations) done.set(id, withResolvers());
  const recorder = (id: string) => recorders.get(id) ?? new Recorder(id, door, entries);
  const session: Session = {
    target,
    ask: (id, parameters = {}, options = {}) => recorder(id).ask(parameters, options),
    answers: async (id) => {
      await done.get(id)?.promise;
      return recorder(id).asked;
    },
  };
  await Promise.all(
    operations.map(async (id) => {
      const exchanges = await exchangesOf(id);
      await exchanges.default(session).finally(() => done.get(id)?.resolve());
    }),
  );
  return operations.flatMap((id) => recorder(id).observations);
}

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The exchanges file of an operation is named like it. @throws when an operation has none. */
async function exchangesOf(id: string): Promise<Exchanges> {
  const files = readdirSync(new URL('.', import.meta.url));
  if (!files.includes(`${id}.ts`)) throw new Error(`operation ${id} has no file tests/exchanges/${id}.ts`);
  return import(`./${id}.ts`) as Promise<Exchanges>;
}

/** The most requests that a run sends, repetitions aside: what each exchanges file says of itself. */
export async function mostRequests(target: Target): Promise<number> {
  const files = await Promise.all(loadContract().operations.map(({ id }) => exchangesOf(id)));
  return files.reduce((sum, { most }) => sum + most(target), 0);
}
