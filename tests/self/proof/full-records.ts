import { knownIdentifiers } from '../../../mock/operations.ts';
import { customers } from '../../../mock/seed.ts';

const customersWithFailedCard = customers.filter(({ customer: { default_payment_token: token } }) =>
  Boolean(token?.error_code && token.credit_card),
);

/** Customers that together have every field; no customer has all. */
export const fullCustomers = [...customers.slice(0, 1), ...customersWithFailedCard.slice(0, 7)].map(
  ({ customer }) => customer.uuid,
);

/** Identifiers of records that together have every field several times, keyed by environment variable. */
export const fullRecords: typeof knownIdentifiers = { ...knownIdentifiers, CUSTOMER_IDS: fullCustomers };
