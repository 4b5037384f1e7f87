import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { Alter, MockResponse } from '../../../../mock/server.ts';
import { altering, type Change, type Condition, readData } from '../../harness/edits.ts';

export interface Fault {
  name: string;
  /** Address of the violated requirement, the only one that may fail. */
  breaks: string;
  alter: Alter;
  /** Present if a ledger entry accepts the fault under the profile `observed`. */
  observed?: 'deviation';
  /** Addresses of other requirements from which the fault deviates, as the contract itself reports (contract 2.7). */
  deviates?: string[];
  /** Present if the fault is an undeclared field, which is a violation only with `FAIL_ON=undeclared`. */
  undeclared?: true;
}

export const readOperation = ({ breaks }: Pick<Fault, 'breaks'>) => breaks.slice(0, breaks.indexOf('/'));

/** Creates a fault that changes the answers of the operation in the address `breaks`, to requests that meet `when` (default: all). */
export const fault = (name: string, breaks: string, change: Change, when?: Condition): Fault => ({
  name: `${readOperation({ breaks })}: ${name}`,
  breaks,
  alter: altering(readOperation({ breaks }), change, when),
});

export type CustomerFilter = (customer: Customer) => boolean;
export type Edit = (customer: Customer) => void;

/** Creates a filter of the customers with a payment token of a type; if `state` is given, in that state. */
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
