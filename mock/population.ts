import {
  type CustomerDirectory,
  type CustomerFilter,
  type CustomerTemplate,
  completeTemplate,
  composeCustomer,
  createSeededIdentity,
  customerTemplates,
  getLinkedSources,
  type Identity,
  type SeededCustomer,
  customers as seeded,
} from './customers.ts';
import type { Customer } from './records.ts';

export interface PlantedFault {
  /** Distance between the faulty customers: 100 for every hundredth customer of the list. */
  every: number;
  /** Path of the wrong field in the customer, such as `default_payment_token/state`. */
  path: string;
  /**
   * Wrong value of the field. Undefined deletes the field. `ofPrevious` copies the value of the preceding customer.
   */
  value: unknown | typeof ofPrevious;
}

/** Placeholder for the value that the preceding customer of the list has in the same field. */
export const ofPrevious = Symbol('that of the customer before');

export interface PopulationOptions {
  /**
   * Number of customers; default: 75. The first 75 are always `customers` of `customers.ts`, so that their
   * identifiers remain valid.
   */
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

const seededIndexByUuid = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

/**
 * Creates the customers of a mock. Composes each one when it is read, so that memory does not grow with their number.
 */
export function createPopulation({
  customers = seeded.length,
  faults = [],
}: PopulationOptions = {}): CustomerDirectory {
  const composeFromTemplate = (index: number, template: CustomerTemplate) =>
    composeCustomer(
      index,
      template,
      index < seeded.length ? createSeededIdentity(index) : computeIdentity(index),
    );
  const composeConforming = (index: number): Customer =>
    seeded[index]?.customer ??
    composeFromTemplate(index, customerTemplates[index % customerTemplates.length] ?? completeTemplate);

  /**
   * Composes a customer with faults. If the customer lacks a field that a fault changes, composes it with all
   * optional fields.
   */
  function composeFaulty(index: number, plantedFaults: PlantedFault[]): Customer {
    const conformingCustomer = structuredClone(composeConforming(index));
    const hasFaultedPaths = plantedFaults.every(({ path }) => findParent(conformingCustomer, path));
    const customer = hasFaultedPaths ? conformingCustomer : composeFromTemplate(index, completeTemplate);
    // The first customer has no preceding one, so the second one stands in.
    const previous = composeConforming(index > 0 ? index - 1 : 1);
    for (const { path, value } of plantedFaults) {
      const previousValue = findParent(previous, path)?.[getLastStep(path)];
      writeValue(customer, path, value === ofPrevious ? previousValue : value);
    }
    return customer;
  }

  function createCustomer(index: number): Customer {
    const plantedFaults = faults.filter(({ every }) => (index + 1) % every === 0);
    return plantedFaults[0] ? composeFaulty(index, plantedFaults) : composeConforming(index);
  }

  /**
   * Lists the indices of customers that pass the filter, from position `start` to before position `end` among them.
   */
  function listIndices(filter: CustomerFilter | 'all', start: number, end: number): number[] {
    if (filter === 'all')
      return Array.from({ length: Math.min(end, customers) - start }, (_, position) => start + position);
    const matchingIndices: number[] = [];
    for (let index = 0; index < customers && matchingIndices.length < end; index += 1)
      if (filter(seedLazily(index))) matchingIndices.push(index);
    return matchingIndices.slice(start);
  }

  /** Returns a customer that is composed only if the filter reads the property `customer`. */
  const seedLazily = (index: number): SeededCustomer => ({
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

const getLastStep = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/**
 * Finds the object that holds the last field of a path: the payment token for `default_payment_token/state`.
 * Undefined if the record lacks the field.
 */
function findParent(record: object, path: string): Record<string, unknown> | undefined {
  let value: unknown = record;
  let parent: unknown;
  for (const step of path.split('/')) {
    if (!Object.hasOwn(Object(value), step)) return undefined;
    parent = value;
    value = (value as Record<string, unknown>)[step];
  }
  return parent as Record<string, unknown>;
}

/**
 * Replaces the value at a path such as `default_payment_token/state`. Deletes the field if the value is undefined.
 * Does nothing if the record lacks the field.
 */
function writeValue(record: object, path: string, value: unknown): void {
  const parent = findParent(record, path);
  if (!parent) return;
  const field = getLastStep(path);
  if (value === undefined) delete parent[field];
  else parent[field] = value;
}

const formatHex = (index: number, length: number) => index.toString(16).padStart(length, '0');

/**
 * Computes the identifiers of a customer from its index. Only for an index of 75 or more. `parseIndex` is the
 * inverse.
 */
const computeIdentity = (index: number): Identity => ({
  uuid: `${formatHex(index, 8)}-0000-5000-a000-${formatHex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${formatHex(index, 32)}`,
});

/** Parses the index from a `uuid` that `computeIdentity` has computed; undefined for any other text. */
function parseIndex(uuid: string): number | undefined {
  // `parseInt` reads the digits up to the first hyphen.
  const index = Number.parseInt(uuid, 16);
  return index >= seeded.length && computeIdentity(index).uuid === uuid ? index : undefined;
}
