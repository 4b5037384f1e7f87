import {
  type CustomerDirectory,
  composeCustomer,
  createSeededIdentity,
  getLinkedSources,
  type Identity,
  type Shape,
  customers as seeded,
  shapes,
  wholeShape,
} from './customers.ts';
import type { Customer, Source } from './records.ts';

/** Fault of some customers, in the list and in the lookup alike. */
export interface PlantedFault {
  /** 100 plants the fault in every hundredth customer of the list. */
  every: number;
  /** Path below the customer, such as `default_payment_token/state`. */
  path: string;
  /**
   * Value to write at the path; undefined deletes the field. `ofPrevious` copies the value of the preceding customer.
   */
  value: unknown | typeof ofPrevious;
}

/** Placeholder in a `PlantedFault` for the value of the preceding customer in the list. */
export const ofPrevious = Symbol('that of the customer before');

/**
 * Number of customers and their faults. The first customers are those of the seed, so that their identifiers remain
 * valid.
 */
export interface PopulationOptions {
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

/** Indices of the seeded customers, keyed by `uuid`. */
const seededIndices = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

/**
 * Creates a directory that computes customers from their index on demand, so that memory does not grow with their
 * number.
 */
export function createPopulation({
  customers = seeded.length,
  faults = [],
}: PopulationOptions = {}): CustomerDirectory {
  /** Composes the customer at an index in a shape other than its own. */
  const composeShape = (index: number, shape: Shape) =>
    composeCustomer(
      index,
      shape,
      index < seeded.length ? createSeededIdentity(index) : computeIdentity(index),
    );
  const composeConforming = (index: number): Customer =>
    seeded[index]?.customer ?? composeShape(index, shapes[index % shapes.length] ?? wholeShape);

  /** Composes a customer with planted faults. Uses `wholeShape` if the customer's own shape lacks a path of a fault. */
  function composeFaulty(index: number, plantedFaults: PlantedFault[]): Customer {
    const conformingCustomer = structuredClone(composeConforming(index));
    const hasFaultedPaths = plantedFaults.every(({ path }) => findParent(conformingCustomer, path));
    const customer = hasFaultedPaths ? conformingCustomer : composeShape(index, wholeShape);
    // The first customer has none before it: the second one takes that place.
    const previous = composeConforming(index > 0 ? index - 1 : 1);
    for (const { path, value } of plantedFaults)
      writeValue(
        customer,
        path,
        value === ofPrevious ? findParent(previous, path)?.[getLastStep(path)] : value,
      );
    return customer;
  }

  function createCustomer(index: number): Customer {
    const plantedFaults = faults.filter(({ every }) => (index + 1) % every === 0);
    return plantedFaults[0] ? composeFaulty(index, plantedFaults) : composeConforming(index);
  }

  /** Lists the indices of the customers from `start` to `end` (exclusive) among those linked to a source. */
  function listIndices(source: Source | 'all', start: number, end: number): number[] {
    if (source === 'all')
      return Array.from({ length: Math.min(end, customers) - start }, (_, position) => start + position);
    const matchingIndices: number[] = [];
    for (let index = 0; index < customers && matchingIndices.length < end; index += 1)
      if (getLinkedSources(index).includes(source)) matchingIndices.push(index);
    return matchingIndices.slice(start);
  }

  return {
    list: (source, start, end) => listIndices(source, start, end).map(createCustomer),
    find: (uuid = '') => {
      const index = seededIndices.get(uuid) ?? parseIndex(uuid);
      return index !== undefined && index < customers ? createCustomer(index) : undefined;
    },
  };
}

const getLastStep = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Returns the object that holds the last field of a path such as `default_payment_token/state`; undefined if it is missing. */
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

/** Writes a value at a path of a record, or deletes the field if the value is undefined. A missing path changes nothing. */
function writeValue(record: object, path: string, value: unknown): void {
  const parent = findParent(record, path) ?? {};
  if (value === undefined) delete parent[getLastStep(path)];
  else parent[getLastStep(path)] = value;
}

const formatHex = (index: number, length: number) => index.toString(16).padStart(length, '0');

/** Computes the identifiers of a customer beyond the seed from its index, which `parseIndex` reads from the `uuid` again. */
const computeIdentity = (index: number): Identity => ({
  uuid: `${formatHex(index, 8)}-0000-5000-a000-${formatHex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${formatHex(index, 32)}`,
});

/** Returns the index in a `uuid` of `computeIdentity`; undefined for any other text, such as a `uuid` of the seed. */
function parseIndex(uuid: string): number | undefined {
  // Reads the hexadecimal digits up to the first hyphen.
  const index = Number.parseInt(uuid, 16);
  return index >= seeded.length && computeIdentity(index).uuid === uuid ? index : undefined;
}
