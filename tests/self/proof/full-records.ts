import { knownIdentifiers } from '../../../mock/operations.ts';
import { customers } from '../../../mock/seed.ts';

const withFailedCard = customers.filter(({ customer: { default_payment_token: token } }) =>
  Boolean(token?.error_code && token.credit_card),
);

/** Customers that have every field: no single one does. */
export const fullCustomers = [...customers.slice(0, 1), ...withFailedCard.slice(0, 7)].map(
  ({ customer }) => customer.uuid,
);

/** Identifiers of records that together show every field often. */
export const fullRecords: typeof knownIdentifiers = { ...knownIdentifiers, CUSTOMER_IDS: fullCustomers };
