import { isObject, valueAt } from '../../schemas/json.ts';
import { type Arguments, type Asked, literal, type Session } from './session.ts';

const filters: Arguments[] = [
  {},
  ...['User', 'Store'].map((type) => ({ linked_source_type: literal(type) })),
];

/** Lists customers with every combination of the optional parameters, and follows pages (contract 4.2). */
export default async function listCustomers(session: Session): Promise<void> {
  const plain = await session.ask('listCustomers');
  // A page size that the target itself has used is one that it honours.
  const limit = Math.min(20, Math.max(1, customersIn(plain).length));
  await Promise.all(
    filters.map(async (filter) => {
      await session.ask('listCustomers', filter);
      await session.ask('listCustomers', { ...filter, offset: literal('1') });
      await followPages(session, filter, limit);
    }),
  );
}

async function followPages(session: Session, filter: Arguments, size: number): Promise<void> {
  const page = (offset?: number) =>
    session.ask('listCustomers', {
      ...filter,
      limit: literal(String(size)),
      ...(offset === undefined ? {} : { offset: literal(String(offset)) }),
    });
  const first = customersIn(await page());
  const second = customersIn(await page(1));
  const step = countsPages(first, second) ? 1 : first.length;
  for (let number = 1; step > 0 && number < session.target.maxPages; number += 1) {
    const found = customersIn(await page(number * step));
    if (found.length === 0) return;
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

const identityOf = (customer: unknown) =>
  isObject(customer) && typeof customer.uuid === 'string' ? customer.uuid : JSON.stringify(customer);
