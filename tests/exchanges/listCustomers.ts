import { isObject, valueAt } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import { type Arguments, type Asked, documentedValues, literal, type Session } from './session.ts';

const filters = (): Arguments[] => [
  {},
  ...documentedValues('listCustomers', 'linked_source_type').map((linked_source_type) => ({
    linked_source_type,
  })),
];

/** Lists customers with every combination of the optional parameters, and follows pages (contract 4.2). */
export default async function listCustomers(session: Session): Promise<void> {
  const size = pageSize(customersIn(await session.ask('listCustomers')).length);
  await Promise.all(
    filters().map(async (filter) => {
      const open = beyond(customersIn(await session.ask('listCustomers', filter)));
      await session.ask('listCustomers', { ...filter, offset: literal('1') }, { open });
      await followPages(session, filter, size);
    }),
  );
}

/** A page size that the target itself seems to use is one that it honours; else one that is common. */
function pageSize(found: number): number {
  if (found >= 20) return 20;
  return found > 0 && found % 5 === 0 ? found : 10;
}

/** Whether offset 1 lies beyond the end: it does not for records, and may for pages, where a first page holds two. */
const beyond = (first: unknown[]) => (first.length < 2 ? 'any' : 'not-found');

/** Asks page by page. Where it is not known that there is another page, a refusal of it is open. */
async function followPages(session: Session, filter: Arguments, size: number): Promise<void> {
  const limit = literal(String(size));
  const page = async (offset: number, open?: 'any' | 'not-found') => {
    const parameters = { ...filter, limit, offset: literal(String(offset)) };
    return customersIn(await session.ask('listCustomers', parameters, { open }));
  };
  const first = customersIn(await session.ask('listCustomers', { ...filter, limit }));
  const second = await page(1, beyond(first));
  const step = countsPages(first, second) ? 1 : first.length;
  let known = countsRecords(first, second) ? 1 + second.length : 0;
  for (let number = 1; step > 0 && number < session.target.maxPages; number += 1) {
    const offset = number * step;
    const found = await page(offset, offset < known ? undefined : 'any');
    if (found.length === 0) return;
    known = known && offset + found.length;
  }
}

/** The customers of an answer to `listCustomers`. */
export function customersIn({ body }: Asked): unknown[] {
  const customers = valueAt(body, '/data/customers');
  return Array.isArray(customers) ? customers : [];
}

/** Whether the page at offset 1 holds nothing of the page at offset 0: then `offset` counts pages. */
function countsPages(first: unknown[], second: unknown[]): boolean {
  const known = new Set(first.map(identityOf));
  return second.length > 0 && !second.some((customer) => known.has(identityOf(customer)));
}

/** Whether the page at offset 1 begins with the second record of the page at offset 0. */
const countsRecords = ([, next]: unknown[], [found]: unknown[]) =>
  next !== undefined && found !== undefined && identityOf(next) === identityOf(found);

const identityOf = (customer: unknown) =>
  isObject(customer) && typeof customer.uuid === 'string' ? customer.uuid : JSON.stringify(customer);

export const most = ({ maxPages }: Target) => filters().length * (maxPages + 3);
