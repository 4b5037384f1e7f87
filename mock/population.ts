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
export function createPopulation(options: PopulationOptions): CustomerDirectory {
  const { customers = seeded.length, faults = [] } = options;
  const compose = (index: number, shape: Shape) =>
    composeCustomer(index, shape, index < seeded.length ? seededIdentity(index) : identityOf(index));
  const conforming = (index: number): Customer =>
    seeded[index]?.customer ?? compose(index, shapes[scramble(index) % shapes.length] ?? wholeShape);

  /** A customer that has what the faults break: its own shape, else the next that does, else the whole one. */
  function broken(index: number, own: PlantedFault[]): Customer {
    const candidates = [structuredClone(conforming(index)), ...shapes.map((shape) => compose(index, shape))];
    const hasAll = (customer: Customer) => own.every(({ path }) => holderOf(customer, path));
    const customer = candidates.find(hasAll) ?? compose(index, wholeShape);
    const previous = conforming(index > 0 ? index - 1 : 1);
    for (const { path, value } of own)
      write(customer, path, value === ofPrevious ? holderOf(previous, path)?.[lastStep(path)] : value);
    return customer;
  }

  function customerAt(index: number): Customer {
    const own = faults.filter(({ every }) => (index + 1) % every === 0);
    return own.length > 0 ? broken(index, own) : conforming(index);
  }

  return {
    list: (source, start, end) => {
      const found: Customer[] = [];
      for (let rank = start; rank < end && indexAt(source, rank) < customers; rank += 1)
        found.push(customerAt(indexAt(source, rank)));
      return found;
    },
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
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    holder = at;
    at = (at as Record<string, unknown>)[step];
  }
  return holder as Record<string, unknown>;
}

function write(record: object, path: string, value: unknown): void {
  const holder = holderOf(record, path);
  if (!holder) return;
  if (value === undefined) delete holder[lastStep(path)];
  else holder[lastStep(path)] = value;
}

/** Links repeat after so many customers, so that a place in a filtered list is found without reading those before. */
const period = 30;
const placesLinkedTo = (source: Source) =>
  Array.from({ length: period }, (_, index) => index).filter((index) => linksOf(index).includes(source));
const places = { User: placesLinkedTo('User'), Store: placesLinkedTo('Store') };

/** The index of the customer that stands at a place among those linked to a source. */
function indexAt(source: Source | 'all', rank: number): number {
  if (source === 'all') return rank;
  const own = places[source];
  return Math.floor(rank / own.length) * period + (own[rank % own.length] as number);
}

/** Odd, so that multiplying by it leads back: by its inverse, modulo 2³². */
const factor = 0x9e3779b1;
const inverse = 0x0e8b2f51;
const fold = (word: number) => word ^ (word >>> 16);

/** One-to-one between the whole numbers below 2³²: what looks random, and leads back. */
const scramble = (index: number) => fold(Math.imul(fold(Math.imul(index, factor)), factor)) >>> 0;
const unscramble = (word: number) => Math.imul(fold(Math.imul(fold(word), inverse)), inverse) >>> 0;

/** Four words of eight digits, of which the first encodes the index, so that none occurs twice. */
function wordsOf(index: number): string[] {
  const first = scramble(index);
  const [second, third] = [scramble(first), scramble(scramble(first))];
  return [first, second, third, scramble(third)].map((word) => word.toString(16).padStart(8, '0'));
}

/** With a version and a variant that RFC 9562 knows. */
const uuidOf = (index: number) =>
  wordsOf(index)
    .join('')
    .replace(/^(.{8})(....).(...).(...)(.{12}).*/, '$1-$2-5$3-a$4-$5');

/** The identifiers of a customer, computed from its index alone. */
const identityOf = (index: number): Identity => ({
  uuid: uuidOf(index),
  reference_number: `CUST-${1_000_000_000 + scramble(index)}`,
  token: `tok_${wordsOf(index).reverse().join('')}`,
});

/** The index that a `uuid` was computed from; undefined for any other text. */
function indexOf(uuid: string): number | undefined {
  const index = unscramble(Number.parseInt(uuid.slice(0, 8), 16));
  return uuidOf(index) === uuid ? index : undefined;
}
