import { readdirSync } from 'node:fs';
import type { Contract, Operation } from '../../schemas/contract.ts';
import type { OperationQuestions } from '../probes/questions.ts';
import type { Exchanges } from './session.ts';

/** The exchanges file of an operation is named like it. @throws when an operation has none. */
export async function exchangesOf({ id }: Pick<Operation, 'id'>): Promise<Exchanges> {
  const files = readdirSync(new URL('.', import.meta.url));
  if (!files.includes(`${id}.ts`)) throw new Error(`operation ${id} has no file tests/exchanges/${id}.ts`);
  return import(`./${id}.ts`) as Promise<Exchanges>;
}

/** What the exchanges files say about open questions, in the order of the contract. */
export async function operationQuestions({ operations }: Contract): Promise<OperationQuestions[]> {
  const files = await Promise.all(operations.map(exchangesOf));
  return files.flatMap(({ questions }) => questions ?? []);
}
