import { composeCustomer, customers as seeded, seededIdentity } from '../customers.ts';
import type { CustomerDirectory } from '../directory.ts';
import type { Customer, Source } from '../records.ts';
import { type Shape, shapes, wholeShape } from '../shapes.ts';
import { createIdentities, type Identities } from './identities.ts';
import { type Movement, MovingList } from './moving-list.ts';
import { hasPath, type RecordFault, recordFault } from './record-faults.ts';

/** A fault of every so many-th customer. */
export interface PlantedFault {
  /** Of a fault in `record-faults.ts`. */
  name: string;
  every: number;
}

/** Pages that cannot be read: those that hold the customer at a position, counted from 1. */
export interface FailingPage {
  position: number;
  /** How often they fail before they are answered; always when left out. */
  times?: number | undefined;
}

/** A provider with any number of customers. It begins with those of the seed, so that their identifiers hold. */
export interface PopulationOptions extends Movement {
  customers?: number | undefined;
  /** Chooses the identifiers and shapes of all customers but those of the seed. */
  seed?: number | undefined;
  faults?: PlantedFault[] | undefined;
  failingPages?: FailingPage[] | undefined;
}

/** Customers that are computed from their index on demand. */
export const createPopulation = (options: PopulationOptions): CustomerDirectory => new Population(options);

class Population implements CustomerDirectory {
  readonly #identities: Identities;
  readonly #list: MovingList;
  readonly #fails: (start: number, end: number) => boolean;
  readonly #planted: { every: number; fault: RecordFault }[];

  constructor(options: PopulationOptions) {
    const { customers = seeded.length, seed = 1, faults = [], failingPages = [] } = options;
    this.#identities = createIdentities(seed);
    this.#list = new MovingList(customers, options, this.#identities.draw);
    this.#fails = createFailures(failingPages);
    this.#planted = faults.map(({ name, every }) => ({ every, fault: recordFault(name) }));
  }

  list(source: Source | 'all', start: number, end: number): Customer[] | undefined {
    if (this.#fails(start, end)) return undefined;
    const found = this.#list.indices(source, start, end).map((index) => this.#customerAt(index));
    this.#list.move();
    return found;
  }

  find(uuid = ''): Customer | undefined {
    const index = seededIndices.get(uuid) ?? this.#identities.indexOf(uuid);
    return index !== undefined && this.#list.has(index) ? this.#customerAt(index) : undefined;
  }

  #customerAt(index: number): Customer {
    const own: RecordFault[] = [];
    for (const { fault, every } of this.#planted) if ((index + 1) % every === 0) own.push(fault);
    return own.length > 0 ? this.#broken(index, own) : this.#conforming(index);
  }

  #conforming(index: number): Customer {
    const known = seeded[index]?.customer;
    return known ?? this.#compose(index, shapes[this.#identities.draw(index) % shapes.length] ?? wholeShape);
  }

  #compose(index: number, shape: Shape): Customer {
    const isSeeded = index < seeded.length;
    return composeCustomer(index, shape, isSeeded ? seededIdentity(index) : this.#identities.of(index));
  }

  /** A customer that has what the faults break: its own shape, else the next that does, else the whole one. */
  #broken(index: number, own: RecordFault[]): Customer {
    const others = shapes.map((shape) => this.#compose(index, shape));
    const candidates = [structuredClone(this.#conforming(index)), ...others];
    const hasAll = (customer: Customer) => own.every(({ path }) => hasPath(customer, path));
    const customer = candidates.find(hasAll) ?? this.#compose(index, wholeShape);
    for (const { edit } of own) edit(customer, this.#conforming(index > 0 ? index - 1 : 1));
    return customer;
  }
}

const seededIndices = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));

function createFailures(pages: FailingPage[]): (start: number, end: number) => boolean {
  const left = pages.map(({ position, times = Number.POSITIVE_INFINITY }) => ({ position, times }));
  return (start, end) => {
    const page = left.find(({ position, times }) => times > 0 && start < position && position <= end);
    if (page) page.times -= 1;
    return page !== undefined;
  };
}
