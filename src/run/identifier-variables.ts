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

/** Describes unset variables of identifiers, and the consequence for the run. Returns `''` if all variables are set. */
export function describeUnsetIdentifiers(target: Target): string {
  const unsetVariables = Object.keys(target.identifiers).filter(
    (variable) => !hasIdentifiers(target, variable),
  );
  if (unsetVariables.length === 0) return '';
  const unsetText = `not set: ${unsetVariables.join(', ')}; without these identifiers, only listed records are looked up`;
  const unjudgedOperations = readOperations().filter((operation) => lacksRecords(operation, unsetVariables));
  if (unjudgedOperations.length === 0) return unsetText;
  const failureText = target.failOn.includes('unjudged') ? ', and the run fails (run/judged)' : '';
  return `${unsetText}; ${unjudgedOperations.map(({ id }) => id).join(', ')} cannot be judged${failureText}`;
}

/**
 * Returns whether an operation has no record to look up, such as `getCard` if `CARD_IDS` is unset. Returns false if a list shows
 * the records of the operation, as `listCustomers` shows those of `getCustomer`.
 */
function lacksRecords({ parameters, rules }: Operation, unsetVariables: string[]): boolean {
  const isListed = rules.some(({ check }) => 'listedBy' in check);
  const needsIdentifier = parameters.some(
    ({ required, 'x-identifiers': variable = '' }) => required && unsetVariables.includes(variable),
  );
  return needsIdentifier && !isListed;
}
