import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { Alter, MockAnswer } from '../../../../mock/server.ts';
import { altering, type Change, type Condition, dataOf } from '../../harness/edits.ts';

/** One way in which a provider breaks one requirement. */
export interface Fault {
  name: string;
  /** Address of the requirement that must go red, and no other. */
  breaks: string;
  alter: Alter;
  /** How it reads where what has been observed is tolerated. */
  observed?: 'deviation';
  /** Addresses where it also differs as the contract itself says has been observed. */
  deviates?: string[];
  /** Set for a breach of what is only demanded by `FAIL_ON=undeclared`. */
  undeclared?: true;
}

export const operationOf = ({ breaks }: Pick<Fault, 'breaks'>) => breaks.slice(0, breaks.indexOf('/'));

/** A change of the answers of one operation that breaks a requirement of it. */
export const fault = (name: string, breaks: string, change: Change, when?: Condition): Fault => ({
  name: `${operationOf({ breaks })}: ${name}`,
  breaks,
  alter: altering(operationOf({ breaks }), change, when),
});

export type Which = (customer: Customer) => boolean;
export type Edit = (customer: Customer) => void;

/** Customers with a token of a type, in a state where one is given. */
export const withToken =
  (type: PaymentToken['token_type'], state?: string): Which =>
  ({ default_payment_token: token }) =>
    token?.token_type === type && (state === undefined || token.state === state);

/** The customers of a list, or the one of a lookup. */
export const customersIn = (answer: MockAnswer): Customer[] =>
  Object.values(dataOf<Record<string, Customer | Customer[]>>(answer)).flat();

export const editing =
  (which: Which, edit: Edit): Change =>
  (answer) => {
    for (const customer of customersIn(answer).filter(which)) edit(customer);
    return answer;
  };
