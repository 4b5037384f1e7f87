import type { SeededCustomer } from './customers.ts';
import type { Customer, Source } from './records.ts';

/** The customers that a provider knows, in the order in which it lists them. */
export interface CustomerDirectory {
  /** The customers from `start` up to `end` of those linked to a source; undefined when they cannot be read. */
  list(source: Source | 'all', start: number, end: number): readonly Customer[] | undefined;
  /** The customer with this `uuid`. */
  find(uuid: string | undefined): Customer | undefined;
}

/** A directory of customers that are held in memory. */
export function directoryOf(customers: readonly SeededCustomer[]): CustomerDirectory {
  return {
    list: (source, start, end) =>
      customers
        .filter(({ linkedTo }) => source === 'all' || linkedTo.includes(source))
        .slice(start, end)
        .map(({ customer }) => customer),
    find: (uuid) => customers.find(({ customer }) => customer.uuid === uuid)?.customer,
  };
}
