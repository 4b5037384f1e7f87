import {
  type CustomerFilter,
  type CustomerStore,
  type CustomerTemplate,
  completeTemplate,
  composeCustomer,
  createSeededIdentity,
  customerTemplates,
  getLinkedSources,
  type Identity,
  pickCyclically,
  type SeededCustomer,
  customers as seededCustomers,
} from './customers.ts';
import type { Customer } from './records.ts';

export interface PlantedFault {
  /** Interval at which customers have the fault: 100 for every hundredth customer. */
  every: number;
  /** Path of the field in the customer that has the fault, such as `default_payment_token/state`. */
  path: string;
  /** Wrong value of the field. Undefined: the field is missing. `ofPrevious`: the value of the preceding customer. */
  value: unknown | typeof ofPrevious;
}

export const ofPrevious = Symbol('that of the customer before');

export interface PopulationOptions {
  /** Number of customers; default: the 75 of `mock/customers.ts`. Further ones are composed from their index. */
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

const seededIndexByUuid = new Map(seededCustomers.map(({ customer: { uuid } }, index) => [uuid, index]));

/** Creates the store of all customers. Composes each one when a request needs it, so that memory is independent of the number. */
export function createPopulation({
  customers = seededCustomers.length,
  faults = [],
}: PopulationOptions = {}): CustomerStore {
  const composeFromTemplate = (index: number, template: CustomerTemplate) =>
    composeCustomer(index, template, createIdentity(index));
  const composeConforming = (index: number): Customer =>
    seededCustomers[index]?.customer ?? composeFromTemplate(index, pickCyclically(customerTemplates, index));

  /** Composes a customer, then applies each fault to its field. Uses `completeTemplate` if the template of the customer lacks a field. */
  function composeWithFaults(index: number, plantedFaults: PlantedFault[]): Customer {
    const conformingCustomer = structuredClone(composeConforming(index));
    const hasPlantedFields = plantedFaults.every(({ path }) => findObjectWithField(conformingCustomer, path));
    const customer = hasPlantedFields ? conformingCustomer : composeFromTemplate(index, completeTemplate);
    // The first customer has no preceding one, so the second one stands in.
    const previous = composeConforming(index > 0 ? index - 1 : 1);
    for (const { path, value } of plantedFaults) {
      const previousValue = findObjectWithField(previous, path)?.[getFieldName(path)];
      replaceValue(customer, path, value === ofPrevious ? previousValue : value);
    }
    return customer;
  }

  function createCustomer(index: number): Customer {
    const plantedFaults = faults.filter(({ every }) => (index + 1) % every === 0);
    return plantedFaults[0] ? composeWithFaults(index, plantedFaults) : composeConforming(index);
  }

  function listIndices(filter: CustomerFilter | 'all', start: number, end: number): number[] {
    if (filter === 'all')
      return Array.from({ length: Math.min(end, customers) - start }, (_, position) => start + position);
    const matchingIndices: number[] = [];
    for (let index = 0; index < customers && matchingIndices.length < end; index += 1)
      if (filter(createLazyCustomer(index))) matchingIndices.push(index);
    return matchingIndices.slice(start);
  }

  /** Creates the argument of a filter: a `SeededCustomer` that composes `customer` only when the filter reads it. */
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

/** Finds the object with the last field of a path: the payment token for `default_payment_token/state`. Undefined if there is none. */
function findObjectWithField(record: object, path: string): Record<string, unknown> | undefined {
  let parent = record as Record<string, unknown>;
  // `Object` returns `{}` for a missing object.
  for (const field of path.split('/').slice(0, -1)) parent = Object(parent[field]);
  return Object.hasOwn(parent, getFieldName(path)) ? parent : undefined;
}

/** Replaces the value of a field, or deletes the field if `value` is undefined. Does nothing if the record lacks the field. */
function replaceValue(record: object, path: string, value: unknown): void {
  const parent = findObjectWithField(record, path);
  if (!parent) return;
  const field = getFieldName(path);
  if (value === undefined) delete parent[field];
  else parent[field] = value;
}

const formatHex = (index: number, length: number) => index.toString(16).padStart(length, '0');

const createIdentity = (index: number): Identity =>
  index < seededCustomers.length ? createSeededIdentity(index) : computeIdentity(index);

/** Computes the identifiers of a customer whose index is 75 or more. `parseIndex` reads the index from the `uuid`. */
const computeIdentity = (index: number): Identity => ({
  uuid: `${formatHex(index, 8)}-0000-5000-a000-${formatHex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${formatHex(index, 32)}`,
});

function parseIndex(uuid: string): number | undefined {
  // `parseInt` reads the hexadecimal digits before the first hyphen.
  const index = Number.parseInt(uuid, 16);
  return index >= seededCustomers.length && computeIdentity(index).uuid === uuid ? index : undefined;
}
