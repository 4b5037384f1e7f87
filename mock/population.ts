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
  pickCyclically,
  type SeededCustomer,
  customers as seeded,
} from './customers.ts';
import type { Customer } from './records.ts';

export interface PlantedFault {
  /** Distance between faulty customers: 100 for every hundredth customer. */
  every: number;
  /** Path of the wrong field in the customer, such as `default_payment_token/state`. */
  path: string;
  /** Wrong value. Undefined deletes the field. `ofPrevious` copies the value of the preceding customer. */
  value: unknown | typeof ofPrevious;
}

export const ofPrevious = Symbol('that of the customer before');

export interface PopulationOptions {
  /** Number of customers; default: 75. The first 75 are always `customers` of `customers.ts`. */
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

const seededIndexByUuid = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

/** Creates customers that are composed only when they are read, so that memory does not grow with their number. */
export function createPopulation({
  customers = seeded.length,
  faults = [],
}: PopulationOptions = {}): CustomerDirectory {
  const composeFromTemplate = (index: number, template: CustomerTemplate) =>
    composeCustomer(index, template, createIdentity(index));
  const composeConforming = (index: number): Customer =>
    seeded[index]?.customer ?? composeFromTemplate(index, pickCyclically(customerTemplates, index));

  /** Composes a customer with faults, with all optional fields if it otherwise lacks a field that a fault changes. */
  function composeFaulty(index: number, plantedFaults: PlantedFault[]): Customer {
    const conformingCustomer = structuredClone(composeConforming(index));
    const hasFaultedPaths = plantedFaults.every(({ path }) => findParent(conformingCustomer, path));
    const customer = hasFaultedPaths ? conformingCustomer : composeFromTemplate(index, completeTemplate);
    // The first customer has no preceding one, so the second one stands in.
    const previous = composeConforming(index > 0 ? index - 1 : 1);
    for (const { path, value } of plantedFaults) {
      const previousValue = findParent(previous, path)?.[getFieldName(path)];
      writeValue(customer, path, value === ofPrevious ? previousValue : value);
    }
    return customer;
  }

  function createCustomer(index: number): Customer {
    const plantedFaults = faults.filter(({ every }) => (index + 1) % every === 0);
    return plantedFaults[0] ? composeFaulty(index, plantedFaults) : composeConforming(index);
  }

  function listIndices(filter: CustomerFilter | 'all', start: number, end: number): number[] {
    if (filter === 'all')
      return Array.from({ length: Math.min(end, customers) - start }, (_, position) => start + position);
    const matchingIndices: number[] = [];
    for (let index = 0; index < customers && matchingIndices.length < end; index += 1)
      if (filter(seedLazily(index))) matchingIndices.push(index);
    return matchingIndices.slice(start);
  }

  /** Returns a customer that is composed only if the filter reads `customer`. */
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

const getFieldName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Finds the object that holds the last field of a path: the payment token for `default_payment_token/state`. */
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

/** Replaces the value at a path. Undefined deletes the field. */
function writeValue(record: object, path: string, value: unknown): void {
  const parent = findParent(record, path);
  if (!parent) return;
  const field = getFieldName(path);
  if (value === undefined) delete parent[field];
  else parent[field] = value;
}

const formatHex = (index: number, length: number) => index.toString(16).padStart(length, '0');

const createIdentity = (index: number): Identity =>
  index < seeded.length ? createSeededIdentity(index) : computeIdentity(index);

/** Computes the identifiers of a customer whose index is 75 or more. `parseIndex` is the inverse. */
const computeIdentity = (index: number): Identity => ({
  uuid: `${formatHex(index, 8)}-0000-5000-a000-${formatHex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${formatHex(index, 32)}`,
});

function parseIndex(uuid: string): number | undefined {
  // `parseInt` reads the digits up to the first hyphen.
  const index = Number.parseInt(uuid, 16);
  return index >= seeded.length && computeIdentity(index).uuid === uuid ? index : undefined;
}
