import { readdirSync } from 'node:fs';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { OperationQuestions } from '../probes/operation-questions.ts';
import type { Exchanges } from './session.ts';

/** The exchanges file of an operation is named like it. @throws when an operation has none. */
export async function exchangesOf({ id }: Pick<Operation, 'id'>): Promise<Exchanges> {
  const files = readdirSync(new URL('.', import.meta.url));
  if (!files.includes(`${id}.ts`)) throw new Error(`operation ${id} has no file tests/exchanges/${id}.ts`);
  return import(`./${id}.ts`) as Promise<Exchanges>;
}

/** The exchanges files of all operations, in the order of the contract. */
const allExchanges = ({ operations }: Contract): Promise<Exchanges[]> =>
  Promise.all(operations.map(exchangesOf));

/** What the exchanges files say about open questions. */
export async function operationQuestions(contract: Contract): Promise<OperationQuestions[]> {
  return (await allExchanges(contract)).flatMap(({ questions }) => questions ?? []);
}
