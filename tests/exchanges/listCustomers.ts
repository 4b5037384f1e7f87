import { isObject, valueAt } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import {
  type Arguments,
  type Asked,
  type AskOptions,
  documentedValues,
  literal,
  type Session,
} from './session.ts';

const filters = (): Arguments[] => [
  {},
  ...documentedValues('listCustomers', 'linked_source_type').map((linked_source_type) => ({
    linked_source_type,
  })),
];

type List = (parameters: Arguments, open?: AskOptions['open']) => Promise<unknown[]>;

/** Lists customers with every combination of the optional parameters, and follows pages (contract 4.2). */
export default async function listCustomers({ ask, target }: Session): Promise<void> {
  const list: List = async (parameters, open) =>
    customersIn(await ask('listCustomers', parameters, { open }));
  const { length: found } = await list({});
  await Promise.all(
    filters().map((filter) =>
      listPages((parameters, open) => list({ ...filter, ...parameters }, open), found, target.maxPages),
    ),
  );
}

/** A page size that the target itself seems to use is one that it honours; else one that is common. */
function pageSize(found: number): number {
  if (found >= 20) return 20;
  return found > 0 && found % 5 === 0 ? found : 10;
}

const page = (limit: number, offset?: number): Arguments => ({
  limit: literal(String(limit)),
  ...(offset === undefined ? {} : { offset: literal(String(offset)) }),
});
const whatever = () => true;

/** @param found how many customers a page holds unless said otherwise */
async function listPages(list: List, found: number, maxPages: number): Promise<void> {
  const all = await list({});
  const refusable = () => mayRefuseOffset(list, all);
  const moved = await list({ offset: literal('1') }, refusable);
  const size = await honoured(list, pageSize(found), found);
  const first = await list(page(size));
  const second = await list(page(size, 1), () => !countsRecords(all, moved) && refusable());
  const step = countsPages(first, second) ? 1 : first.length;
  let known = countsRecords(first, second) ? 1 + second.length : 0;
  for (let number = 1; step > 0 && number < maxPages; number += 1) {
    const offset = number * step;
    const beyond = async () => !known || (await list(page(size, offset - 1), whatever)).length < 2;
    const next = await list(page(size, offset), offset < known ? undefined : beyond);
    if (next.length === 0) return;
    known = known && offset + next.length;
  }
}

/** The bounds of `limit` are open: where one is refused, as many as were listed without must do. */
async function honoured(list: List, wished: number, found: number): Promise<number> {
  if (found === 0 || found === wished) return wished;
  const other = async () => (await list(page(found), whatever)).length > 0;
  return (await list(page(wished), other)).length > 0 || !(await other()) ? wished : found;
}

/** Whether offset 1 may be refused: it lies beyond the end, or may do so, or only multiples of `limit` are taken. */
async function mayRefuseOffset(list: List, all: unknown[]): Promise<boolean> {
  if (all.length < 2) return true;
  const half = Math.ceil(all.length / 2);
  const moved = await list(page(half, 1), whatever);
  if (moved.length > 0) return half === 1 || !countsRecords(all, moved);
  return (await list(page(half, half), whatever)).length > 0;
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

/** What settles why something was refused is asked at most four times a filter. */
export const most = ({ maxPages }: Target) => filters().length * (maxPages + 3 + 4);
