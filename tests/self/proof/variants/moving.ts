import { defaultChoices } from '../../../../mock/choices.ts';
import { customers, type SeededCustomer, seededCustomer } from '../../../../mock/customers.ts';
import { operations } from '../../../../mock/operations.ts';
import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { Alter } from '../../../../mock/server.ts';
import { directoryOf } from '../../harness/provider.ts';
import type { Variant } from './variant.ts';

type Customers = readonly SeededCustomer[];

/** Which customers there are, and in which order, when a request arrives. */
type CustomersAt = (ordinal: number) => Customers;

/** A provider that answers lists and lookups alike from what there is at the time. */
const showing =
  (customersAt: CustomersAt): Alter =>
  (answer, { operation, parameters, ordinal }) => {
    const route = operations.find((one) => one.operation === operation);
    if (operation !== 'listCustomers' && operation !== 'getCustomer') return answer;
    const directory = directoryOf(customersAt(ordinal));
    return structuredClone(route?.answer(parameters, defaultChoices, directory) ?? answer);
  };

type Changes = Record<string, (all: Customers) => Customers>;

/** Each change, between the n-th request and the next. The order of concurrent requests is not fixed. */
const changing = (changes: Changes, after: number): Record<string, CustomersAt> =>
  Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      `${name} after request ${after}`,
      (ordinal: number) => (ordinal > after ? change(customers) : customers),
    ]),
  );

/** Gives the customer at one place other values; undefined takes a field away. */
const editing =
  (place: number, values: Partial<Record<keyof Customer, unknown>>) =>
  (all: Customers): Customers =>
    all.map((one, index) => {
      const customer: Customer = JSON.parse(JSON.stringify({ ...one.customer, ...values }));
      return index === place ? { ...one, customer } : one;
    });
const adding = (place: number) => (all: Customers) => all.toSpliced(place, 0, seededCustomer(all.length));

const token: PaymentToken = { token_type: 'AlipayAutoDebit', token: 'tok_2', state: 'Active', default: true };

/** The second has no token, and is looked up as listed and as configured; the fourth only as listed. */
const [first, withoutToken, listedOnly, ofAnotherPage] = [0, 1, 3, 30];
const withoutPlace = (place: number) => (all: Customers) => all.filter((_, index) => index !== place);

/** Moves the customer at one place to another. */
const moving =
  (from: number, to: number) =>
  (all: Customers): Customers =>
    withoutPlace(from)(all).toSpliced(to, 0, ...all.slice(from, from + 1));

const changes: Changes = {
  'a customer is added at the front': adding(0),
  'a customer is added on the second page': adding(25),
  'a token is set': editing(withoutToken, { default_payment_token: token }),
  'a token is removed': editing(listedOnly, { default_payment_token: undefined }),
  'a name and a phone are changed': editing(listedOnly, { name: 'Renamed', phone: '2025550100' }),
  'the first customer moves to the third page': moving(first, 45),
  'a customer of the third page moves to the front': moving(45, first),
};
const removals: Changes = {
  'the first customer is removed': withoutPlace(first),
  'a customer without a token is removed': withoutPlace(withoutToken),
  'a customer who is only listed is removed': withoutPlace(listedOnly),
  'a customer of another page is removed': withoutPlace(ofAnotherPage),
};

/** Lists without an order that one could rely on, over all pages. */
const unorderedLists: Record<string, CustomersAt> = {
  'a list that goes on by one customer with each request': (n) => {
    const start = n % customers.length;
    return [...customers.slice(start), ...customers.slice(0, start)];
  },
  'a list that is turned round with each request': (n) => (n % 2 ? customers : customers.toReversed()),
  'a list that begins with the customer changed last': (n) => moving(n % customers.length, 0)(customers),
  'the first customer again on the second page': () => customers.toSpliced(25, 0, ...customers.slice(0, 1)),
  'every customer twice': () => [...customers, ...customers],
};

const moves: Record<string, CustomersAt> = {
  ...unorderedLists,
  ...changing(changes, 4),
  ...changing(changes, 8),
  // Not before a list has shown the customer: what is configured and never was there is unknown to the target.
  ...changing(removals, 12),
  ...changing(removals, 10),
};

/** Providers whose customers change, or change places, while they are looked at (contract 4.2 and 4.3). */
export const movingCustomers: Variant[] = Object.entries(moves).map(([name, customersAt]) => ({
  name,
  alter: showing(customersAt),
  settings: { maxPages: 3 },
}));
