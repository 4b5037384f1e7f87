import { createSeededCustomer, customers, type SeededCustomer } from '../../../../mock/customers.ts';
import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { Alter } from '../../../../mock/server.ts';
import { answerWithCustomers } from '../../harness/provider.ts';
import type { Variant } from './variant.ts';

type Customers = readonly SeededCustomer[];

/** Returns the customers of the provider, in the order of its list, when it answers the request with this number (from 1). */
type SelectCustomers = (requestNumber: number) => Customers;

const showCustomers =
  (selectCustomers: SelectCustomers): Alter =>
  (response, request) => {
    if (request.operation !== 'listCustomers' && request.operation !== 'getCustomer') return response;
    return answerWithCustomers(selectCustomers(request.ordinal), request) ?? response;
  };

type Changes = Record<string, (customers: Customers) => Customers>;

/** Lets each change happen after request number `after`. The result is keyed by name, such as `a token is set after request 4`. */
const scheduleChanges = (changes: Changes, after: number): Record<string, SelectCustomers> =>
  Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      `${name} after request ${after}`,
      (requestNumber: number) => (requestNumber > after ? change(customers) : customers),
    ]),
  );

/** Creates a function that sets fields of the customer at `editedIndex`; undefined removes a field. */
const editCustomer =
  (editedIndex: number, values: Partial<Record<keyof Customer, unknown>>) =>
  (customers: Customers): Customers =>
    customers.map((seededCustomer, index) => {
      if (index !== editedIndex) return seededCustomer;
      // JSON has no undefined fields.
      const editedJson = JSON.stringify({ ...seededCustomer.customer, ...values });
      return { ...seededCustomer, customer: JSON.parse(editedJson) };
    });
const addCustomer = (place: number) => (customers: Customers) =>
  customers.toSpliced(place, 0, createSeededCustomer(customers.length));

const token: PaymentToken = { token_type: 'AlipayAutoDebit', token: 'tok_2', state: 'Active', default: true };

/* Indices of customers. The second has no token and is both listed and configured; the fourth is only listed. */

const [first, withoutToken, listedOnly, ofAnotherPage] = [0, 1, 3, 30];
const removeCustomer = (place: number) => (customers: Customers) =>
  customers.filter((_, index) => index !== place);

const moveCustomer =
  (from: number, to: number) =>
  (customers: Customers): Customers =>
    removeCustomer(from)(customers).toSpliced(to, 0, ...customers.slice(from, from + 1));

const changes: Changes = {
  'a customer is added at the front': addCustomer(0),
  'a customer is added on the second page': addCustomer(25),
  'a token is set': editCustomer(withoutToken, { default_payment_token: token }),
  'a token is removed': editCustomer(listedOnly, { default_payment_token: undefined }),
  'a name and a phone are changed': editCustomer(listedOnly, { name: 'Renamed', phone: '2025550100' }),
  'the first customer moves to the third page': moveCustomer(first, 45),
  'a customer of the third page moves to the front': moveCustomer(45, first),
};
const removals: Changes = {
  'the first customer is removed': removeCustomer(first),
  'a customer without a token is removed': removeCustomer(withoutToken),
  'a customer who is only listed is removed': removeCustomer(listedOnly),
  'a customer of another page is removed': removeCustomer(ofAnotherPage),
};

const unorderedListsByName: Record<string, SelectCustomers> = {
  'a list that goes on by one customer with each request': (n) => {
    const start = n % customers.length;
    return [...customers.slice(start), ...customers.slice(0, start)];
  },
  'a list that is turned round with each request': (n) => (n % 2 ? customers : customers.toReversed()),
  'a list that begins with the customer changed last': (n) =>
    moveCustomer(n % customers.length, 0)(customers),
  'the first customer again on the second page': () => customers.toSpliced(25, 0, ...customers.slice(0, 1)),
  'every customer twice': () => [...customers, ...customers],
};

const listsByName: Record<string, SelectCustomers> = {
  ...unorderedListsByName,
  ...scheduleChanges(changes, 4),
  ...scheduleChanges(changes, 8),
  // A customer is removed only after a list has shown it; before, the target would never have known the identifier.
  ...scheduleChanges(removals, 12),
  ...scheduleChanges(removals, 10),
};

/** Variants whose customers change or move during the run (contract 4.2 and 4.3). */
export const movingCustomers: Variant[] = Object.entries(listsByName).map(([name, selectCustomers]) => ({
  name,
  alter: showCustomers(selectCustomers),
}));
