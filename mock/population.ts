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

/** Wrong value in every N-th customer of the mock, in lists and lookups alike. */
export interface PlantedFault {
  /** Distance between two customers with the fault: 100 for every hundredth customer of the list. */
  every: number;
  /** Path of the wrong field below the customer, such as `default_payment_token/state`. */
  path: string;
  /** Wrong value of the field. Undefined: the field is deleted. `ofPrevious`: the value of the preceding customer in the list. */
  value: unknown | typeof ofPrevious;
}

/** Placeholder in `PlantedFault.value` for the value that the preceding customer of the list has at the path. */
export const ofPrevious = Symbol('that of the customer before');

/** Options of `createPopulation`. */
export interface PopulationOptions {
  /** Number of customers; default: the 75 seeded ones. The first 75 are always these, so that their identifiers remain valid. */
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

/** Indices of the seeded customers, keyed by `uuid`. */
const seededIndices = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

/**
 * Creates the customers of a mock. Computes each customer from its index when it is listed or looked up, so that memory does not grow
 * with the number of customers.
 */
export function createPopulation({
  customers = seeded.length,
  faults = [],
}: PopulationOptions = {}): CustomerDirectory {
  /** Composes the customer at an index with the optional fields of `shape`, whichever shape the customer has by its index. */
  const composeShape = (index: number, shape: Shape) =>
    composeCustomer(
      index,
      shape,
      index < seeded.length ? createSeededIdentity(index) : computeIdentity(index),
    );
  const composeConforming = (index: number): Customer =>
    seeded[index]?.customer ?? composeShape(index, shapes[index % shapes.length] ?? wholeShape);

  /** Composes a customer with planted faults. If the customer lacks a field that a fault changes, gives it all optional fields first. */
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

  /** Lists the indices of the customers that a filter selects, from the `start`-th to before the `end`-th of these customers. */
  function listIndices(filter: CustomerFilter | 'all', start: number, end: number): number[] {
    if (filter === 'all')
      return Array.from({ length: Math.min(end, customers) - start }, (_, position) => start + position);
    const matchingIndices: number[] = [];
    for (let index = 0; index < customers && matchingIndices.length < end; index += 1)
      if (filter(seedLazily(index))) matchingIndices.push(index);
    return matchingIndices.slice(start);
  }

  /** Returns the customer at an index with the linked sources. Composes the customer only if a filter reads it. */
  const seedLazily = (index: number): SeededCustomer => ({
    linkedTo: getLinkedSources(index),
    get customer() {
      return createCustomer(index);
    },
  });

  return {
    list: (filter, start, end) => listIndices(filter, start, end).map(createCustomer),
    find: (uuid = '') => {
      const index = seededIndices.get(uuid) ?? parseIndex(uuid);
      return index !== undefined && index < customers ? createCustomer(index) : undefined;
    },
  };
}

const getLastStep = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Returns the object in a record that has the last field of a path such as `default_payment_token/state`; undefined without it. */
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

/** Writes a value at a path of a record; deletes the field if the value is undefined. Does nothing if the record lacks the field. */
function writeValue(record: object, path: string, value: unknown): void {
  const parent = findParent(record, path) ?? {};
  if (value === undefined) delete parent[getLastStep(path)];
  else parent[getLastStep(path)] = value;
}

const formatHex = (index: number, length: number) => index.toString(16).padStart(length, '0');

/** Computes the identifiers of a customer from an index of 75 or more. `parseIndex` reads the index from the `uuid` again. */
const computeIdentity = (index: number): Identity => ({
  uuid: `${formatHex(index, 8)}-0000-5000-a000-${formatHex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${formatHex(index, 32)}`,
});

/** Parses the index from a `uuid` that `computeIdentity` computed; undefined for any other text, such as the `uuid` of a seeded one. */
function parseIndex(uuid: string): number | undefined {
  // Reads the hexadecimal digits up to the first hyphen.
  const index = Number.parseInt(uuid, 16);
  return index >= seeded.length && computeIdentity(index).uuid === uuid ? index : undefined;
}
