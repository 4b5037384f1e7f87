import { loadContractOrError, type Operation } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { hasIdentifiers, type Target } from '../client/target.ts';

/** Lists the environment variables for identifiers, such as `CARD_IDS`. Returns `[]` if the contract cannot be loaded. */
export const listIdentifierNames = (): string[] => {
  const names = readOperations().flatMap(({ parameters }) =>
    parameters.flatMap((parameter) => parameter['x-identifiers'] ?? []),
  );
  return [...new Set(names)];
};

/** Lists the path of each operation up to its first parameter, such as `/svc/ts/api/v1/openapi/cards` without `/{id}`. */
export const listOperationPaths = (): string[] =>
  readOperations().map(({ path }) => path.replace(/\/?\{.*/, ''));

function readOperations(): Operation[] {
  const contract = loadContractOrError();
  // The run itself reports a mistake in `spec/`.
  return contract instanceof ContractError ? [] : contract.operations;
}

export function describeUnsetIdentifiers(target: Target): string {
  const unsetVariables = Object.keys(target.identifiers).filter(
    (variable) => !hasIdentifiers(target, variable),
  );
  return unsetVariables.length > 0
    ? `not set: ${unsetVariables.join(', ')}; without these identifiers, only listed records are looked up`
    : '';
}
