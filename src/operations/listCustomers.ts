import type { Operation } from '../../schemas/contract/contract.ts';
import { isRecord, ownValue, valueAt } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import { foundInShell } from '../redact/curl.ts';
import { offsetUnit } from './offset-unit.ts';
import {
  type Lookup,
  maxShapes,
  type OperationContext,
  type ResponseSummary,
  type SweptList,
} from './operation-file.ts';
import { type Arguments, documentedValues, fitsPath, literal } from './request.ts';

/** What is kept of a page of customers. */
export interface CustomersPage {
  /** Identities of the customers, each an empty text where there is none. */
  identities: string[];
  /** The first customer of each shape. */
  samples: Sample[];
}

/** A customer whose record has a shape of its own; `shell` finds the uuid again, encoded. */
interface Sample {
  shape: string;
  uuid: string;
  shell: string;
}

type Page = ResponseSummary<CustomersPage>;
type GetPage = (limit?: number, offset?: number) => Promise<Page>;

const [listPointer, keyName] = ['/data/customers', 'uuid'];

const filters = (operation: Operation): Arguments[] => [
  {},
  ...documentedValues(operation, 'linked_source_type').map((linked_source_type) => ({
    linked_source_type,
  })),
];

/** Lists customers with every combination of the optional parameters, and follows pages (contract 4.2). */
export default async function listCustomers(context: OperationContext<CustomersPage>): Promise<Lookup[]> {
  const { send, operation } = context;
  const found = (await send()).content.identities.length;
  const lists = await Promise.all(filters(operation).map((filter) => followList(context, filter, found)));
  return lookupsOf(lists.flat(), maxShapes.ordinary);
}

/** Requests the pages of one list. @param found number of customers on a page without `limit` */
async function followList(
  { send, target }: OperationContext<CustomersPage>,
  filter: Arguments,
  found: number,
): Promise<Page[]> {
  const pages: Page[] = [];
  const get: GetPage = async (limit, offset) => {
    const page = await send({ ...filter, ...paging(limit, offset) });
    pages.push(page);
    return page;
  };
  await get();
  const { size, first } = await acceptedLimit(get, found);
  await askOffsets(get);
  await askOffsets(get, size);
  const moved = await get(size, 1);
  const unit = offsetUnit(first.content.identities, moved.content.identities);
  const step = unit === 'pages' ? 1 : first.content.identities.length;
  for (let offset = step; offset < target.maxPages * step; offset += step) {
    const page = await get(size, offset);
    const isLacking = unit === 'records' && page.failed && (await isThere(get, size, offset));
    if (page.rejected && !isLacking) page.excludeFromVerdict();
    if (page.content.identities.length === 0) break;
  }
  return pages;
}

/** The first limit that is accepted; of those that are not, the contract promises something only where none is. */
async function acceptedLimit(get: GetPage, found: number): Promise<{ size: number; first: Page }> {
  const own = found || 10;
  // Of longer pages, what is common; of a list shorter than its pages, the length says nothing.
  const usual = Math.min(own, 20);
  const rejected: Page[] = [];
  for (const size of new Set([usual, own, 10, 50, 100])) {
    const first = await get(size);
    if (!first.rejected) {
      for (const page of rejected) page.excludeFromVerdict();
      return { size, first };
    }
    rejected.push(first);
  }
  return { size: usual, first: await get(usual) };
}

/** That an offset of 1 is rejected is a violation only where 0 is as well. */
async function askOffsets(get: GetPage, limit?: number): Promise<void> {
  const moved = await get(limit, 1);
  if (!moved.rejected) return;
  const start = await get(limit, 0);
  (start.rejected ? start : moved).excludeFromVerdict();
}

/** Whether a page that failed must exist: the one that begins a record earlier holds two, or its first record stands alone. */
async function isThere(get: GetPage, size: number, offset: number): Promise<boolean> {
  const [before, alone] = [await get(size, offset - 1), await get(1, offset)];
  for (const page of [before, alone]) if (page.rejected) page.excludeFromVerdict();
  return before.content.identities.length > 1 || alone.content.identities.length > 0;
}

const paging = (limit?: number, offset?: number): Arguments => ({
  ...(limit === undefined ? {} : { limit: literal(`${limit}`) }),
  ...(offset === undefined ? {} : { offset: literal(`${offset}`) }),
});

/** One customer of each shape that the list has shown, to be looked up. */
function lookupsOf(pages: Page[], max: number): Lookup[] {
  const samples = new Map<string, Sample>();
  for (const sample of pages.flatMap(({ content }) => content.samples))
    if (!samples.has(sample.shape)) samples.set(sample.shape, sample);
  return [...samples.values()].slice(0, max).map(({ uuid, shell }, index) => {
    const label = `{uuid of a listed customer, example ${index + 1}}`;
    return { operation: 'getCustomer', parameters: { id: { value: uuid, label, shell } } };
  });
}

/** Of no body, or another one, an empty page. */
export function summarize(body: unknown, repeat: string): CustomersPage {
  const customers = customersOf(body);
  return {
    identities: customers.map((customer) => uuidOf(customer) ?? ''),
    samples: samplesOf(customers, repeat),
  };
}

function customersOf(body: unknown): unknown[] {
  const listed = valueAt(body, listPointer);
  return Array.isArray(listed) ? listed : [];
}

function uuidOf(customer: unknown): string | undefined {
  const uuid = ownValue(customer, keyName);
  return typeof uuid === 'string' ? uuid : undefined;
}

function samplesOf(customers: unknown[], repeat: string): Sample[] {
  const samples = new Map<string, Sample>();
  for (const [index, customer] of customers.entries()) {
    const [uuid, shape] = [uuidOf(customer), shapeOf(customer, '')];
    if (uuid === undefined || !fitsPath(uuid) || samples.has(shape)) continue;
    samples.set(shape, { shape, uuid, shell: foundInShell(repeat, `${listPointer}/${index}/${keyName}`) });
  }
  return [...samples.values()];
}

/** The fields of a record and its parts; tokens of each type have another shape. */
function shapeOf(value: unknown, name: string): string {
  if (name === 'token_type' && typeof value === 'string') return value;
  if (!isRecord(value)) return Array.isArray(value) ? 'array' : typeof value;
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${field}:${shapeOf(value[field], field)}`).join()}}`;
}

/** For each filter: the list, five limits, offsets 1 and 0 with a limit and without, the pages, and two more where one is lacking. */
export const maxRequests = ({ maxPages }: Target, operation: Operation) =>
  filters(operation).length * (maxPages + 11) + maxShapes.ordinary;

/** The whole list, not narrowed to a source (contract 4.2), and lookups of customers that it shows (contract 4.3). */
export const sweptList: SweptList = {
  noun: 'customers',
  pointer: listPointer,
  key: keyName,
  page: paging,
  shapes: (body) => samplesOf(customersOf(body), '').map(({ shape }) => shape),
  samples: async ({ send }, pages) => {
    const responses = await Promise.all(pages.map((page) => send(page) as Promise<Page>));
    return lookupsOf(responses, maxShapes.swept);
  },
};
