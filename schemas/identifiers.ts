import { ContractError, loadContract, type Operation } from './contract.ts';

/** A parameter whose values only the target knows, and the configuration variable that holds them. */
export interface IdentifierParameter {
  variable: string;
  operation: string;
  name: string;
}

/** The parameters of some operations that take identifiers, in the order of the contract. */
export const identifierParameters = (operations: Operation[]): IdentifierParameter[] =>
  operations.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, 'x-identifiers': variable }) =>
      variable ? [{ variable, operation: id, name }] : [],
    ),
  );

/** The configuration variables that hold identifiers; none while the contract cannot be read, which a run says itself. */
export function identifierVariables(): string[] {
  try {
    return [...new Set(identifierParameters(loadContract().operations).map(({ variable }) => variable))];
  } catch (error) {
    if (error instanceof ContractError) return [];
    throw error;
  }
}
