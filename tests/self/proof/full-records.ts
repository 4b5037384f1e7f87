import { customers } from '../../../mock/customers.ts';
import { knownIdentifiers } from '../../../mock/operations.ts';

const customersWithFailedCard = customers.filter(({ customer: { default_payment_token: token } }) =>
  Boolean(token?.error_code && token.credit_card),
);

/** UUIDs of eight customers in which every optional field occurs (contract 2.4 to 2.6). */
export const fullCustomers = [...customers.slice(0, 1), ...customersWithFailedCard.slice(0, 7)].map(
  ({ customer }) => customer.uuid,
);

export const fullRecords: typeof knownIdentifiers = { ...knownIdentifiers, CUSTOMER_IDS: fullCustomers };
