import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { Alter, MockAnswer } from '../../../../mock/server.ts';
import { altering, type Change, type Condition, dataOf } from '../../harness/edits.ts';

/** Breach of one requirement by a provider. */
export interface Fault {
  name: string;
  /** Address of the only requirement that must fail. */
  breaks: string;
  alter: Alter;
  /** Set if the profile `observed` tolerates the fault. */
  observed?: 'deviation';
  /** Addresses of other requirements that the fault breaks in a way that the contract reports to have been observed. */
  deviates?: string[];
  /** Set if only `FAIL_ON=undeclared` makes the fault a violation. */
  undeclared?: true;
}

export const readOperation = ({ breaks }: Pick<Fault, 'breaks'>) => breaks.slice(0, breaks.indexOf('/'));

/** Creates a fault from a change of the answers of the operation in `breaks`. */
export const fault = (name: string, breaks: string, change: Change, when?: Condition): Fault => ({
  name: `${readOperation({ breaks })}: ${name}`,
  breaks,
  alter: altering(readOperation({ breaks }), change, when),
});

export type CustomerFilter = (customer: Customer) => boolean;
export type Edit = (customer: Customer) => void;

/** Selects customers with a token of a type, in any state by default. */
export const hasToken =
  (type: PaymentToken['token_type'], state?: string): CustomerFilter =>
  ({ default_payment_token: token }) =>
    token?.token_type === type && (state === undefined || token.state === state);

/** Reads the customers of a list, or the customer of a lookup. */
export const readCustomers = (answer: MockAnswer): Customer[] =>
  Object.values(dataOf<Record<string, Customer | Customer[]>>(answer)).flat();

export const editCustomers =
  (selects: CustomerFilter, edit: Edit): Change =>
  (answer) => {
    for (const customer of readCustomers(answer).filter(selects)) edit(customer);
    return answer;
  };
