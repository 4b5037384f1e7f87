import type { Operation, Parameter } from './contract.ts';
import { validatorOf } from './validators.ts';

/** Whether the contract documents a request with these values: none is missing that has to be there, and each fits. */
export const isDocumentedRequest = (operation: Operation, values: Record<string, string>): boolean =>
  operation.parameters.every((parameter) => fits(operation, parameter, values));

function fits({ id }: Operation, parameter: Parameter, values: Record<string, string>): boolean {
  const value = givenValue(values, parameter);
  if (value === undefined) return !parameter.required;
  return value !== '' && validatorOf(parameter.schema, `${id}/${parameter.name}`)(value);
}

/** What a request gives for a parameter. */
export const givenValue = (values: Record<string, string>, { name }: Parameter): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
