import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { MockResponse } from '../../../../mock/responses.ts';
import type { Alter } from '../../../../mock/server.ts';
import { altering, type Change, type Condition, readData } from '../../harness/edits.ts';

export interface Fault {
  name: string;
  /** Address of the violated requirement, such as `getCard/code`. */
  breaks: string;
  alter: Alter;
  /** Present if the ledger accepts the fault as a known deviation. */
  observed?: 'deviation';
  /** Addresses of other requirements whose violation the ledger accepts. */
  deviates?: string[];
  needsFailOnUndeclared?: true;
}

/** Returns the operation id of a requirement address: `getCard` for `getCard/code`. */
export const readOperationId = (address: string) => address.slice(0, address.indexOf('/'));

/**
 * Creates a fault that applies `change` to success responses of the operation in `brokenAddress`: of `getCard` for `getCard/code`.
 * @param when selects the requests whose responses change; default: all
 */
export function createFault(name: string, brokenAddress: string, change: Change, when?: Condition): Fault {
  const operation = readOperationId(brokenAddress);
  return { name: `${operation}: ${name}`, breaks: brokenAddress, alter: altering(operation, change, when) };
}

export type CustomerFilter = (customer: Customer) => boolean;
export type Edit = (customer: Customer) => void;

/** Selects customers by type and state of their payment token: `hasToken('CreditCard', 'Failed')`. */
export const hasToken =
  (type: PaymentToken['token_type'], state?: string): CustomerFilter =>
  ({ default_payment_token: token }) =>
    token?.token_type === type && (state === undefined || token.state === state);

export const readCustomers = (response: MockResponse): Customer[] =>
  Object.values(readData<Record<string, Customer | Customer[]>>(response)).flat();

export const editCustomers =
  (selects: CustomerFilter, edit: Edit): Change =>
  (response) => {
    for (const customer of readCustomers(response).filter(selects)) edit(customer);
    return response;
  };
