import {
  type CustomerDirectory,
  composeCustomer,
  getLinkedSources,
  type Identity,
  type Shape,
  customers as seeded,
  seededIdentity,
  shapes,
  wholeShape,
} from './customers.ts';
import type { Customer, Source } from './records.ts';

/** Fault of every nth customer, in the list and in the lookup alike. */
export interface PlantedFault {
  every: number;
  /** Path below the customer, such as `default_payment_token/state`. */
  path: string;
  /**
   * Value to write at the path; undefined deletes the field. `ofPrevious` copies the value of the customer before.
   */
  value: unknown | typeof ofPrevious;
}

/** Stands for the value of the customer before. */
export const ofPrevious = Symbol('that of the customer before');

/**
 * Number of customers and their faults. The first customers are those of the seed, so that their identifiers remain
 * valid.
 */
export interface PopulationOptions {
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

const seededIndices = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

/**
 * Creates a directory that computes customers from their index on demand, so that memory does not grow with their
 * number.
 */
export function createPopulation({
  customers = seeded.length,
  faults = [],
}: PopulationOptions = {}): CustomerDirectory {
  const composeShape = (index: number, shape: Shape) =>
    composeCustomer(index, shape, index < seeded.length ? seededIdentity(index) : computeIdentity(index));
  const composeConforming = (index: number): Customer =>
    seeded[index]?.customer ?? composeShape(index, shapes[index % shapes.length] ?? wholeShape);

  /** Composes a customer with planted faults; in `wholeShape` if its own shape lacks a path that a fault changes. */
  function composeFaulty(index: number, plantedFaults: PlantedFault[]): Customer {
    const conformingCustomer = structuredClone(composeConforming(index));
    const hasFaultedPaths = plantedFaults.every(({ path }) => findParent(conformingCustomer, path));
    const customer = hasFaultedPaths ? conformingCustomer : composeShape(index, wholeShape);
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

/** Returns the object that holds the last step of a path; undefined if the record lacks that path. */
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

function writeValue(record: object, path: string, value: unknown): void {
  const parent = findParent(record, path) ?? {};
  if (value === undefined) delete parent[getLastStep(path)];
  else parent[getLastStep(path)] = value;
}

const formatHex = (index: number, length: number) => index.toString(16).padStart(length, '0');

/** Computes the identifiers of a customer from its index; `parseIndex` reverses the `uuid`. */
const computeIdentity = (index: number): Identity => ({
  uuid: `${formatHex(index, 8)}-0000-5000-a000-${formatHex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${formatHex(index, 32)}`,
});

/** Parses the index from which a `uuid` was computed; undefined for any other text, such as a `uuid` of the seed. */
function parseIndex(uuid: string): number | undefined {
  const index = Number.parseInt(uuid, 16);
  return index >= seeded.length && computeIdentity(index).uuid === uuid ? index : undefined;
}
