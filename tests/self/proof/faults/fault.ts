import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { Alter, MockResponse } from '../../../../mock/server.ts';
import { altering, type Change, type Condition, readData } from '../../harness/edits.ts';

export interface Fault {
  name: string;
  /** Address of the requirement that the fault violates. No other requirement may fail. */
  breaks: string;
  alter: Alter;
  /** Present if the ledger accepts the fault with `PROFILE=observed`. */
  observed?: 'deviation';
  /** Addresses of further requirements that the fault violates. With `PROFILE=observed`, the ledger accepts these violations. */
  deviates?: string[];
  /** Present if the fault is an undeclared field, which is a violation only with `FAIL_ON=undeclared`. */
  undeclared?: true;
}

export const readOperation = ({ breaks }: Pick<Fault, 'breaks'>) => breaks.slice(0, breaks.indexOf('/'));

/** Creates a fault in successful answers of an operation: `getCard` if `breaks` is `getCard/code`. @param when default: all requests */
export const fault = (name: string, breaks: string, change: Change, when?: Condition): Fault => ({
  name: `${readOperation({ breaks })}: ${name}`,
  breaks,
  alter: altering(readOperation({ breaks }), change, when),
});

export type CustomerFilter = (customer: Customer) => boolean;
export type Edit = (customer: Customer) => void;

/** Creates a filter for customers with a payment token of a type. @param state state of the token; default: any */
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
