import { createSeededCustomer, customers, type SeededCustomer } from '../../../../mock/customers.ts';
import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { Alter } from '../../../../mock/server.ts';
import { answerWithCustomers } from '../../harness/provider.ts';
import type { Variant } from './variant.ts';

type Customers = readonly SeededCustomer[];

/** Returns the customers that exist at the time of a request (numbered from 1). */
type SelectCustomers = (requestNumber: number) => Customers;

const showCustomers =
  (selectCustomers: SelectCustomers): Alter =>
  (response, request) => {
    const isAboutCustomers = request.operation === 'listCustomers' || request.operation === 'getCustomer';
    if (!isAboutCustomers) return response;
    return answerWithCustomers(selectCustomers(request.requestNumber), request) ?? response;
  };

/** Returns a changed copy of the list of customers. */
type Change = (customers: Customers) => Customers;

function scheduleChanges(changes: Record<string, Change>, after: number): Record<string, SelectCustomers> {
  const lists: Record<string, SelectCustomers> = {};
  for (const [name, change] of Object.entries(changes))
    lists[`${name} after request ${after}`] = changeAfterRequest(after, change);
  return lists;
}

const changeAfterRequest =
  (lastUnchangedRequest: number, change: Change): SelectCustomers =>
  (requestNumber) =>
    requestNumber > lastUnchangedRequest ? change(customers) : customers;

const editCustomer =
  (index: number, values: Partial<Record<keyof Customer, unknown>>): Change =>
  (customers) => {
    const seededCustomer = customers[index];
    if (!seededCustomer) return customers;
    // `JSON.stringify` leaves out undefined fields.
    const editedJson = JSON.stringify({ ...seededCustomer.customer, ...values });
    return customers.with(index, { ...seededCustomer, customer: JSON.parse(editedJson) });
  };

const addCustomer =
  (index: number): Change =>
  (customers) =>
    customers.toSpliced(index, 0, createSeededCustomer(customers.length));

const token: PaymentToken = { token_type: 'AlipayAutoDebit', token: 'tok_2', state: 'Active', default: true };

/* Indices of customers. The second has no token and is both listed and configured; the fourth is only listed. */

const [first, withoutToken, listedOnly, ofAnotherPage] = [0, 1, 3, 30];

const removeCustomer =
  (index: number): Change =>
  (customers) =>
    customers.toSpliced(index, 1);

const moveCustomer =
  (from: number, to: number): Change =>
  (customers) => {
    const movedCustomers = customers.slice(from, from + 1);
    return removeCustomer(from)(customers).toSpliced(to, 0, ...movedCustomers);
  };

const changes: Record<string, Change> = {
  'a customer is added at the front': addCustomer(0),
  'a customer is added on the second page': addCustomer(25),
  'a token is set': editCustomer(withoutToken, { default_payment_token: token }),
  'a token is removed': editCustomer(listedOnly, { default_payment_token: undefined }),
  'a name and a phone are changed': editCustomer(listedOnly, { name: 'Renamed', phone: '2025550100' }),
  'the first customer moves to the third page': moveCustomer(first, 45),
  'a customer of the third page moves to the front': moveCustomer(45, first),
};
const removals: Record<string, Change> = {
  'the first customer is removed': removeCustomer(first),
  'a customer without a token is removed': removeCustomer(withoutToken),
  'a customer who is only listed is removed': removeCustomer(listedOnly),
  'a customer of another page is removed': removeCustomer(ofAnotherPage),
};

const unorderedListsByName: Record<string, SelectCustomers> = {
  'a list that goes on by one customer with each request': (requestNumber) => {
    const start = requestNumber % customers.length;
    return [...customers.slice(start), ...customers.slice(0, start)];
  },
  'a list that is turned round with each request': (requestNumber) =>
    requestNumber % 2 === 1 ? customers : customers.toReversed(),
  'a list that begins with the customer changed last': (requestNumber) => {
    const changedIndex = requestNumber % customers.length;
    return moveCustomer(changedIndex, 0)(customers);
  },
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

/** Providers whose customers list changes between requests or holds duplicates (contract 4.2, 4.3). */
export const movingCustomers: Variant[] = Object.entries(listsByName).map(([name, selectCustomers]) => ({
  name,
  alter: showCustomers(selectCustomers),
}));
