import { createHash } from 'node:crypto';
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

/** Pages that cannot be read: those that hold the customer at a position, counted from 1. */
export interface FailingPage {
  position: number;
  /** How often they fail before they are answered; always when left out. */
  times?: number | undefined;
}

/** A provider with any number of customers. It begins with those of the seed, so that their identifiers hold. */
export interface PopulationOptions {
  customers?: number | undefined;
  /** Chooses the identifiers and shapes of all customers but those of the seed. */
  seed?: number | undefined;
  faults?: PlantedFault[] | undefined;
  failingPages?: FailingPage[] | undefined;
}

const seededIndices = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

/** Customers that are computed from their index on demand: memory does not grow with their number. */
export function createPopulation(options: PopulationOptions): CustomerDirectory {
  const { customers = seeded.length, seed = 1, faults = [], failingPages = [] } = options;
  const identities = createIdentities(seed);
  const fails = createFailures(failingPages);
  const compose = (index: number, shape: Shape) =>
    composeCustomer(index, shape, index < seeded.length ? seededIdentity(index) : identities.of(index));
  const conforming = (index: number): Customer =>
    seeded[index]?.customer ?? compose(index, shapes[identities.draw(index) % shapes.length] ?? wholeShape);

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
      if (fails(start, end)) return undefined;
      const found: Customer[] = [];
      for (let rank = start; rank < end && indexAt(source, rank) < customers; rank += 1)
        found.push(customerAt(indexAt(source, rank)));
      return found;
    },
    find: (uuid = '') => {
      const index = seededIndices.get(uuid) ?? identities.indexOf(uuid);
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

function createFailures(pages: FailingPage[]): (start: number, end: number) => boolean {
  const left = pages.map(({ position, times = Number.POSITIVE_INFINITY }) => ({ position, times }));
  return (start, end) => {
    const page = left.find(({ position, times }) => times > 0 && start < position && position <= end);
    if (page) page.times -= 1;
    return page !== undefined;
  };
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
  return Math.floor(rank / own.length) * period + (own[rank % own.length] ?? 0);
}

/** The identifiers of every customer, each computed from its index alone. */
interface Identities {
  of(index: number): Identity;
  /** The index that a `uuid` was computed from; undefined for any other text. */
  indexOf(uuid: string): number | undefined;
  /** A number that depends on the index and looks random. */
  draw(index: number): number;
}

/** Odd, so that multiplying by it leads back: by its inverse, modulo 2³². */
const factor = 0x9e3779b1;
const inverse = 0x0e8b2f51;
const fold = (word: number) => word ^ (word >>> 16);

/** One-to-one between the whole numbers below 2³²: what looks random, and leads back. */
function permutation(key: string) {
  const word = createHash('sha256').update(key).digest().readUInt32LE();
  return {
    of: (index: number) => fold(Math.imul(fold(Math.imul(index ^ word, factor)), factor)) >>> 0,
    inverse: (scrambled: number) =>
      (Math.imul(fold(Math.imul(fold(scrambled), inverse)), inverse) ^ word) >>> 0,
  };
}

const hex = (word: number) => word.toString(16).padStart(8, '0');

/** Other identifiers for each seed. The first word of each is a permutation of the index, so that none occurs twice. */
function createIdentities(seed: number): Identities {
  const [uuids, tokens, fillers, references, draws] = ['uuid', 'token', 'filler', 'reference', 'draw'].map(
    (purpose) => permutation(`${purpose} ${seed}`),
  ) as [Permutation, Permutation, Permutation, Permutation, Permutation];
  /** 32 digits, of which the first eight encode the index. */
  const digitsOf = (index: number, first: number) =>
    [first, fillers.of(index), fillers.of(first), fillers.of(fillers.of(index))].map(hex).join('');
  // With a version and a variant that RFC 9562 knows.
  const uuidOf = (index: number) =>
    digitsOf(index, uuids.of(index)).replace(/^(.{8})(....).(...).(...)(.{12}).*/, '$1-$2-5$3-a$4-$5');
  return {
    of: (index) => ({
      uuid: uuidOf(index),
      reference_number: `CUST-${1_000_000_000 + references.of(index)}`,
      token: `tok_${digitsOf(index, tokens.of(index))}`,
    }),
    indexOf: (uuid) => {
      const index = uuids.inverse(Number.parseInt(uuid.slice(0, 8), 16));
      return uuidOf(index) === uuid ? index : undefined;
    },
    draw: draws.of,
  };
}

type Permutation = ReturnType<typeof permutation>;
