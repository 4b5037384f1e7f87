import {
  type CustomerDirectory,
  composeCustomer,
  type Identity,
  linksOf,
  type Shape,
  customers as seeded,
  seededIdentity,
  shapes,
  wholeShape,
} from './customers.ts';
import type { Customer, Source } from './records.ts';

/** What is wrong with every so many-th customer, wherever it is shown. */
export interface PlantedFault {
  every: number;
  /** Place below the customer, such as `default_payment_token/state`. */
  path: string;
  /** What stands there, undefined for nothing; or the same as in the customer that is listed before. */
  value: unknown | typeof ofPrevious;
}

/** In place of a value: that of the customer before. */
export const ofPrevious = Symbol('that of the customer before');

/** A provider with any number of customers. It begins with those of the seed, so that their identifiers hold. */
export interface PopulationOptions {
  customers?: number | undefined;
  faults?: PlantedFault[] | undefined;
}

const seededIndices = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

/** Customers that are computed from their index on demand: memory does not grow with their number. */
export function createPopulation({
  customers = seeded.length,
  faults = [],
}: PopulationOptions = {}): CustomerDirectory {
  const compose = (index: number, shape: Shape) =>
    composeCustomer(index, shape, index < seeded.length ? seededIdentity(index) : identityOf(index));
  const conforming = (index: number): Customer =>
    seeded[index]?.customer ?? compose(index, shapes[index % shapes.length] ?? wholeShape);

  /** A customer that has what the faults break: its own shape, else the whole one. */
  function broken(index: number, own: PlantedFault[]): Customer {
    const usual = structuredClone(conforming(index));
    const hasAll = own.every(({ path }) => holderOf(usual, path));
    const customer = hasAll ? usual : compose(index, wholeShape);
    const previous = conforming(index > 0 ? index - 1 : 1);
    for (const { path, value } of own)
      write(customer, path, value === ofPrevious ? holderOf(previous, path)?.[lastStep(path)] : value);
    return customer;
  }

  function customerAt(index: number): Customer {
    const own = faults.filter(({ every }) => (index + 1) % every === 0);
    return own[0] ? broken(index, own) : conforming(index);
  }

  function indicesOf(source: Source | 'all', start: number, end: number): number[] {
    if (source === 'all')
      return Array.from({ length: Math.min(end, customers) - start }, (_, at) => start + at);
    const found: number[] = [];
    for (let index = 0; index < customers && found.length < end; index += 1)
      if (linksOf(index).includes(source)) found.push(index);
    return found.slice(start);
  }

  return {
    list: (source, start, end) => indicesOf(source, start, end).map(customerAt),
    find: (uuid = '') => {
      const index = seededIndices.get(uuid) ?? indexOf(uuid);
      return index !== undefined && index < customers ? customerAt(index) : undefined;
    },
  };
}

const lastStep = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The object that holds the last step of a path; undefined when the record has nothing at that place. */
function holderOf(record: object, path: string): Record<string, unknown> | undefined {
  let at: unknown = record;
  let holder: unknown;
  for (const step of path.split('/')) {
    if (!Object.hasOwn(Object(at), step)) return undefined;
    holder = at;
    at = (at as Record<string, unknown>)[step];
  }
  return holder as Record<string, unknown>;
}

function write(record: object, path: string, value: unknown): void {
  const holder = holderOf(record, path) ?? {};
  if (value === undefined) delete holder[lastStep(path)];
  else holder[lastStep(path)] = value;
}

const hex = (index: number, length: number) => index.toString(16).padStart(length, '0');

/** The identifiers of a customer, computed from its index alone; the `uuid` leads back to it. */
const identityOf = (index: number): Identity => ({
  uuid: `${hex(index, 8)}-0000-5000-a000-${hex(index, 12)}`,
  reference_number: `CUST-${1_000_000_000 + index}`,
  token: `tok_${hex(index, 32)}`,
});

/** The index that a `uuid` was computed from; undefined for any other text. Those of the seed have others. */
function indexOf(uuid: string): number | undefined {
  const index = Number.parseInt(uuid, 16);
  return index >= seeded.length && identityOf(index).uuid === uuid ? index : undefined;
}
