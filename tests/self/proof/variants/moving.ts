import { defaultChoices } from '../../../../mock/choices.ts';
import { customers, directoryOf, type SeededCustomer, seededCustomer } from '../../../../mock/customers.ts';
import { operations } from '../../../../mock/operations.ts';
import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { Alter } from '../../../../mock/server.ts';
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

/** One change, between the n-th request and the next. */
const changing = (name: string, after: number, change: (all: Customers) => Customers): Variant => ({
  name: `${name} after request ${after}`,
  settings: { maxPages: 3 },
  alter: showing((ordinal) => (ordinal > after ? change(customers) : customers)),
});

/** Changes the customer at one place. */
const editing =
  (place: number, edit: (customer: Customer) => Partial<Customer>) =>
  (all: Customers): Customers =>
    all.map((one, index) =>
      index === place ? { ...one, customer: { ...one.customer, ...edit(one.customer) } } : one,
    );

const token: PaymentToken = {
  token_type: 'AlipayAutoDebit',
  token: 'tok_set_meanwhile',
  state: 'Active',
  default: true,
};

/** The second has no token, and is looked up as listed and as configured; the fourth only as listed. */
const places = { first: 0, withoutToken: 1, listedOnly: 3 };
const withoutPlace = (place: number) => (all: Customers) => all.filter((_, index) => index !== place);

/** Moves the customer at one place to another. */
const moving =
  (from: number, to: number) =>
  (all: Customers): Customers =>
    withoutPlace(from)(all).toSpliced(to, 0, ...all.slice(from, from + 1));

/** A customer is added, changed or moved between two requests. The order of concurrent requests is not fixed. */
const changesAfter = (after: number): Variant[] => [
  changing('a customer is added at the front', after, (all) => [seededCustomer(all.length), ...all]),
  changing('a customer is added on the second page', after, (all) =>
    all.toSpliced(25, 0, seededCustomer(all.length)),
  ),
  changing(
    'a token is set',
    after,
    editing(places.withoutToken, () => ({ default_payment_token: token })),
  ),
  changing('a token is removed', after, (all) =>
    all.map((one, index) => (index === places.listedOnly ? withoutToken(one) : one)),
  ),
  changing(
    'a name and a phone are changed',
    after,
    editing(places.listedOnly, () => ({ name: 'Renamed Meanwhile', phone: '2025550100' })),
  ),
  changing('the first customer moves to the third page', after, moving(places.first, 45)),
  changing('a customer of the third page moves to the front', after, moving(45, 0)),
];

/** A customer is removed between two requests. */
const removalsAfter = (after: number): Variant[] => [
  ...Object.entries({ ...places, ofAnotherPage: 30 }).map(([kind, place]) =>
    changing(`a customer is removed (${kind})`, after, withoutPlace(place)),
  ),
];

function withoutToken({ customer, ...one }: SeededCustomer): SeededCustomer {
  const { default_payment_token: _, ...rest } = customer;
  return { ...one, customer: rest };
}

const rotated = (by: number): Customers => {
  const start = by % customers.length;
  return [...customers.slice(start), ...customers.slice(0, start)];
};

/** Lists without an order that one could rely on, over all pages. */
const unorderedLists: Variant[] = [
  { name: 'a list that goes on by one customer with each request', alter: showing(rotated) },
  {
    name: 'a list that is turned round with each request',
    alter: showing((n) => (n % 2 ? customers : customers.toReversed())),
  },
  {
    name: 'a list that begins with the customer changed last',
    alter: showing((n) => moving(n % customers.length, 0)(customers)),
  },
  {
    name: 'the first customer again on the second page',
    alter: showing(() => customers.toSpliced(25, 0, ...customers.slice(0, 1))),
  },
  { name: 'every customer twice', alter: showing(() => [...customers, ...customers]) },
].map((variant) => ({ ...variant, settings: { maxPages: 3 } }));

/** Providers whose customers change, or change places, while they are looked at (contract 4.2 and 4.3). */
export const movingCustomers: Variant[] = [
  ...unorderedLists,
  ...[4, 8].flatMap(changesAfter),
  // Not before a list has shown the customer: what is configured and never was there is unknown to the target.
  ...[12, 20].flatMap(removalsAfter),
];
