import { loadContractOrError, type Operation } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { hasIdentifiers, type Target } from '../client/target.ts';

/** Names the variables of identifiers to look up: each `x-identifiers` of a parameter. */
export const listIdentifierNames = (): string[] => {
  const names = readOperations().flatMap(({ parameters }) =>
    parameters.flatMap((parameter) => parameter['x-identifiers'] ?? []),
  );
  return [...new Set(names)];
};

/** Lists the path of each operation, up to its first parameter. */
export const listOperationPaths = (): string[] =>
  readOperations().map(({ path }) => path.replace(/\/?\{.*/, ''));

/** Reads the operations of the contract. A contract that cannot be read has none, and is an error of the run. */
function readOperations(): Operation[] {
  const contract = loadContractOrError();
  return contract instanceof ContractError ? [] : contract.operations;
}

/** Names the identifier variables that are not set, in one sentence; empty if all are set. */
export function describeUnset(target: Target): string {
  const unset = Object.keys(target.identifiers).filter((variable) => !hasIdentifiers(target, variable));
  return unset.length > 0
    ? `not set: ${unset.join(', ')}; requirements that need these identifiers are not exercised`
    : '';
}
