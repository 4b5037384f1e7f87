import { composeCustomer, customers as seeded, seededIdentity } from '../customers.ts';
import type { CustomerDirectory } from '../directory.ts';
import type { Customer } from '../records.ts';
import { type Shape, shapes, wholeShape } from '../shapes.ts';
import { createIdentities } from './identities.ts';
import { createMovingList, type Movement } from './moving-list.ts';
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
export function createPopulation(options: PopulationOptions): CustomerDirectory {
  const { customers = seeded.length, seed = 1, faults = [], failingPages = [] } = options;
  const identities = createIdentities(seed);
  const list = createMovingList(customers, options, identities.draw);
  const fails = createFailures(failingPages);
  const planted = faults.map(({ name, every }) => ({ every, fault: recordFault(name) }));

  const identityOf = (index: number) =>
    index < seeded.length ? seededIdentity(index) : identities.of(index);
  const shapeOf = (index: number) => shapes[identities.draw(index) % shapes.length] ?? wholeShape;
  const compose = (index: number, shape: Shape) => composeCustomer(index, shape, identityOf(index));
  const conforming = (index: number) => seeded[index]?.customer ?? compose(index, shapeOf(index));

  function customerAt(index: number): Customer {
    const own: RecordFault[] = [];
    for (const { fault, every } of planted) if ((index + 1) % every === 0) own.push(fault);
    return own.length > 0 ? broken(index, own) : conforming(index);
  }

  /** A customer that has what the faults break: its own shape, else the next that does, else the whole one. */
  function broken(index: number, own: RecordFault[]): Customer {
    const candidates = [structuredClone(conforming(index)), ...shapes.map((shape) => compose(index, shape))];
    const customer =
      candidates.find((each) => own.every(({ path }) => hasPath(each, path))) ?? compose(index, wholeShape);
    for (const { edit } of own) edit(customer, conforming(index > 0 ? index - 1 : 1));
    return customer;
  }

  const known = new Map(seeded.map(({ customer: { uuid } }, index) => [uuid, index]));
  return {
    list(source, start, end) {
      if (fails(start, end)) return undefined;
      const found = list.indices(source, start, end).map(customerAt);
      list.move();
      return found;
    },
    find(uuid = '') {
      const index = known.get(uuid) ?? identities.indexOf(uuid);
      return index !== undefined && list.has(index) ? customerAt(index) : undefined;
    },
  };
}

function createFailures(pages: FailingPage[]): (start: number, end: number) => boolean {
  const left = pages.map(({ position, times = Number.POSITIVE_INFINITY }) => ({ position, times }));
  return (start, end) => {
    const page = left.find(({ position, times }) => times > 0 && start < position && position <= end);
    if (page) page.times -= 1;
    return page !== undefined;
  };
}
