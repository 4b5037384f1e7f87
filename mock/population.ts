import {
  type CustomerDirectory,
  type CustomerFilter,
  composeCustomer,
  createSeededIdentity,
  getLinkedSources,
  type Identity,
  type SeededCustomer,
  type Shape,
  customers as seeded,
  shapes,
  wholeShape,
} from './customers.ts';
import type { Customer } from './records.ts';

export interface PlantedFault {
  /** Interval: 100 for every hundredth customer of the list. */
  every: number;
  /** Path of the wrong field below the customer, such as `default_payment_token/state`. */
  path: string;
  /** Wrong value of the field. Undefined deletes the field; `ofPrevious` stands for the value of the preceding customer. */
  value: unknown | typeof ofPrevious;
}

/** Placeholder for the value that the preceding customer of the list has at the path. */
export const ofPrevious = Symbol('that of the customer before');

export interface PopulationOptions {
  /** Number of customers; default: 75. The first 75 are always the seeded ones, so that their identifiers remain valid. */
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

const seededIndexByUuid = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

/** Creates the customers of a mock, each one when it is needed, so that memory does not grow with their number. */
export function createPopulation({
  customers = seeded.length,
  faults = [],
}: PopulationOptions = {}): CustomerDirectory {
  const composeShape = (index: number, shape: Shape) =>
    composeCustomer(
      index,
      shape,
      index < seeded.length ? createSeededIdentity(index) : computeIdentity(index),
    );
  const composeConforming = (index: number): Customer =>
    seeded[index]?.customer ?? composeShape(index, shapes[index % shapes.length] ?? wholeShape);

  /** Composes a customer with faults. If the customer lacks a field that a fault changes, gives it all optional fields first. */
  function composeFaulty(index: number, plantedFaults: PlantedFault[]): Customer {
    const conformingCustomer = structuredClone(composeConforming(index));
    const hasFaultedPaths = plantedFaults.every(({ path }) => findParent(conformingCustomer, path));
    const customer = hasFaultedPaths ? conformingCustomer : composeShape(index, wholeShape);
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

  /** Lists the indices of the selected customers from position `start` to before position `end`. */
  function listIndices(filter: CustomerFilter | 'all', start: number, end: number): number[] {
    if (filter === 'all')
      return Array.from({ length: Math.min(end, customers) - start }, (_, position) => start + position);
    const matchingIndices: number[] = [];
    for (let index = 0; index < customers && matchingIndices.length < end; index += 1)
      if (filter(seedLazily(index))) matchingIndices.push(index);
    return matchingIndices.slice(start);
  }

  /** Defers composing the customer until a filter reads it. */
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

/** Finds the object with the last field of a path such as `default_payment_token/state`; undefined if the record lacks the field. */
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

/** Writes a value at a path; deletes the field if the value is undefined. Does nothing if the record lacks the field. */
function writeValue(record: object, path: string, value: unknown): void {
  const parent = findParent(record, path) ?? {};
  if (value === undefined) delete parent[getLastStep(path)];
  else parent[getLastStep(path)] = value;
}

const formatHex = (index: number, length: number) => index.toString(16).padStart(length, '0');

/** Computes the identity of a customer from an index of 75 or more, which `parseIndex` reads from the `uuid` again. */
const computeIdentity = (index: number): Identity => ({
  uuid: `${formatHex(index, 8)}-0000-5000-a000-${formatHex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${formatHex(index, 32)}`,
});

/** Parses the index from a `uuid` of `computeIdentity`; undefined for any other text. */
function parseIndex(uuid: string): number | undefined {
  // Reads the hexadecimal digits up to the first hyphen.
  const index = Number.parseInt(uuid, 16);
  return index >= seeded.length && computeIdentity(index).uuid === uuid ? index : undefined;
}
