import { seededIdentity } from '../../../mock/customers.ts';
import { knownIdentifiers } from '../../../mock/operations.ts';

/** The whole customer, and those whose card could not be bound: no single one has every field. */
export const fullCustomers = [0, 2, 12, 22, 32, 42, 52, 62].map((index) => seededIdentity(index).uuid);

/** Identifiers of records that together show every field often. */
export const fullRecords: typeof knownIdentifiers = { ...knownIdentifiers, CUSTOMER_IDS: fullCustomers };
