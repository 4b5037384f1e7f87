import { contractOrProblem, type Operation } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import type { Target } from '../client/target.ts';

/** Names the variables of identifiers to look up: each `x-identifiers` of a parameter. */
export const identifierVariables = (): string[] => {
  const names = readOperations().flatMap(({ parameters }) =>
    parameters.flatMap((parameter) => parameter['x-identifiers'] ?? []),
  );
  return [...new Set(names)];
};

/** Lists the path of each operation, up to its first parameter. */
export const operationPaths = (): string[] => readOperations().map(({ path }) => path.replace(/\/?\{.*/, ''));

/** Reads the operations of the contract. A contract that cannot be read has none, and is an error of the run. */
function readOperations(): Operation[] {
  const contract = contractOrProblem();
  return contract instanceof ContractError ? [] : contract.operations;
}

/** Variables of identifiers that name none, neither themselves nor by their file, in one sentence; empty if all do. */
export function unsetSentence({ identifiers, identifierFiles }: Target): string {
  const isUnset = (name: string) => !identifiers[name]?.length && !identifierFiles[name];
  const unset = Object.keys(identifiers).filter(isUnset).join(', ');
  return unset ? `not set: ${unset}; what only they lead to is not exercised` : '';
}
