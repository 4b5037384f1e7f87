import {
  type CustomerFilter,
  type CustomerStore,
  type CustomerTemplate,
  composeCustomer,
  createSeededIdentity,
  creditCardFields,
  customerTemplates,
  declined,
  getLinkedSources,
  type Identity,
  pickCyclically,
  type SeededCustomer,
  customers as seededCustomers,
} from '../../../mock/customers.ts';
import type { Customer } from '../../../mock/records.ts';

/**
 * Wrong value that the mock puts into a field of some customers.
 * For example, `{ every: 100, path: 'email', value: 7 }` sets the `email` of the 100th, 200th, … customer to 7.
 */
export interface PlantedFault {
  every: number;
  /** Path in a customer, such as `default_payment_token/state`. */
  path: string;
  /** Wrong value of the field. `undefined` removes the field. `valueOfPreviousCustomer` copies the value of the customer before. */
  value: unknown | typeof valueOfPreviousCustomer;
}

export const valueOfPreviousCustomer = Symbol('that of the customer before');

export interface PopulationOptions {
  /** Number of customers. The default is 75. */
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

/** Template of a customer with every optional field. */
const completeTemplate: CustomerTemplate = {
  without: [],
  token: { token_type: 'CreditCard', state: 'Failed', default: false, ...declined },
  creditCard: creditCardFields,
};

const seededIndexByUuid = new Map(seededCustomers.map(({ customer: { uuid } }, index) => [uuid, index]));

export function createPopulation({
  customers = seededCustomers.length,
  faults = [],
}: PopulationOptions = {}): CustomerStore {
  // Composed on request, so that even a million customers take little memory.
  const composeFromTemplate = (index: number, template: CustomerTemplate) =>
    composeCustomer(index, template, createCustomerIdentity(index));
  const composeConforming = (index: number): Customer =>
    seededCustomers[index]?.customer ?? composeFromTemplate(index, pickCyclically(customerTemplates, index));

  function composeWithFields(index: number, paths: string[]): Customer {
    const customer = structuredClone(composeConforming(index));
    const hasAllFields = paths.every((path) => findObjectWithField(customer, path));
    return hasAllFields ? customer : composeFromTemplate(index, completeTemplate);
  }

  function composeWithFaults(index: number, plantedFaults: PlantedFault[]): Customer {
    const paths = plantedFaults.map(({ path }) => path);
    const customer = composeWithFields(index, paths);
    // The first customer has no preceding one: the second one stands in.
    const previousIndex = index === 0 ? 1 : index - 1;
    const previousCustomer = composeConforming(previousIndex);
    for (const { path, value } of plantedFaults) {
      const wrongValue = value === valueOfPreviousCustomer ? readValue(previousCustomer, path) : value;
      replaceValue(customer, path, wrongValue);
    }
    return customer;
  }

  function createCustomer(index: number): Customer {
    const customerNumber = index + 1;
    const plantedFaults = faults.filter(({ every }) => customerNumber % every === 0);
    return plantedFaults.length > 0 ? composeWithFaults(index, plantedFaults) : composeConforming(index);
  }

  function findMatchingIndices(filter: CustomerFilter, maxCount: number): number[] {
    const matchingIndices: number[] = [];
    for (let index = 0; index < customers; index += 1) {
      if (matchingIndices.length >= maxCount) break;
      if (filter(createLazyCustomer(index))) matchingIndices.push(index);
    }
    return matchingIndices;
  }

  function listIndices(filter: CustomerFilter | 'all', start: number, end: number): number[] {
    if (filter !== 'all') return findMatchingIndices(filter, end).slice(start);
    // Negative if the page begins after the last customer: `Array.from` then creates an empty array.
    const count = Math.min(end, customers) - start;
    return Array.from({ length: count }, (_, position) => start + position);
  }

  const createLazyCustomer = (index: number): SeededCustomer => ({
    linkedTo: getLinkedSources(index),
    get customer() {
      return createCustomer(index);
    },
  });

  return {
    list: (filter, start, end) => listIndices(filter, start, end).map(createCustomer),
    find: (uuid = '') => {
      const index = seededIndexByUuid.get(uuid) ?? parseIndex(uuid);
      return index !== undefined && index < customers ? createCustomer(index) : undefined;
    },
  };
}

const getFieldName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

function findObjectWithField(record: object, path: string): Record<string, unknown> | undefined {
  const parentNames = path.split('/').slice(0, -1);
  let parent = record as Record<string, unknown> | undefined;
  for (const name of parentNames) parent = parent?.[name] as Record<string, unknown> | undefined;
  const hasField = parent !== undefined && Object.hasOwn(parent, getFieldName(path));
  return hasField ? parent : undefined;
}

const readValue = (record: object, path: string): unknown =>
  findObjectWithField(record, path)?.[getFieldName(path)];

function replaceValue(record: object, path: string, value: unknown): void {
  const parent = findObjectWithField(record, path);
  if (!parent) return;
  const field = getFieldName(path);
  if (value === undefined) delete parent[field];
  else parent[field] = value;
}

const formatHex = (index: number, length: number) => index.toString(16).padStart(length, '0');

const createCustomerIdentity = (index: number): Identity =>
  index < seededCustomers.length ? createSeededIdentity(index) : computeIdentity(index);

const computeIdentity = (index: number): Identity => ({
  // `parseIndex` reads the index from the `uuid`.
  uuid: `${formatHex(index, 8)}-0000-5000-a000-${formatHex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${formatHex(index, 32)}`,
});

function parseIndex(uuid: string): number | undefined {
  // `parseInt` reads the hexadecimal digits before the first hyphen.
  const index = Number.parseInt(uuid, 16);
  const isComputed = index >= seededCustomers.length && computeIdentity(index).uuid === uuid;
  return isComputed ? index : undefined;
}
