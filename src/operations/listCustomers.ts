import type { Operation } from '../../schemas/contract/contract.ts';
import { getValue, isRecord, ownValue } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import { foundInShell } from '../redact/curl.ts';
import { detectOffsetUnit } from './offset-unit.ts';
import {
  type Lookup,
  maxShapes,
  type OperationContext,
  type ResponseSummary,
  type SweptList,
} from './operation-file.ts';
import { type Arguments, documentedValues, fitsPath, literal } from './request.ts';

/** Summary of a page of customers. */
export interface CustomersPage {
  /** `uuid` of each customer; an empty text if there is none. */
  identities: string[];
  /** First customer of each record shape. */
  samples: Sample[];
}

/** Customer that represents a record shape. `shell` is a shell expression that produces the encoded uuid. */
interface Sample {
  shape: string;
  uuid: string;
  shell: string;
}

type Page = ResponseSummary<CustomersPage>;
type GetPage = (limit?: number, offset?: number) => Promise<Page>;

const [listPointer, keyName] = ['/data/customers', 'uuid'];

const sourceFilters = (operation: Operation): Arguments[] =>
  documentedValues(operation, 'linked_source_type').map((linked_source_type) => ({ linked_source_type }));

/** Page sizes in common use, the preferred size first. Bounds of `limit` are open (contract section 8). */
const limits = [20, 10, 50, 100] as const;
/** Offsets of the first and the second record or page: how `offset` counts is open (contract section 4.2). */
const offsets = [0, 1] as const;
/** Number of pages of each list to request, so that a rule about following pages is judged. */
const followedPages = 3;

/** Lists customers with every combination of the optional parameters, and follows pages (contract section 4.2). */
export default async function listCustomers(context: OperationContext<CustomersPage>): Promise<Lookup[]> {
  const whole = await requestList(context, {}, limits);
  const filtered = await Promise.all(
    sourceFilters(context.operation).map((filter) => requestList(context, filter, [whole.limit])),
  );
  const pages = [whole, ...filtered].flatMap((list) => list.pages);
  return selectLookups(pages, maxShapes.ordinary);
}

/**
 * Requests one list without paging, with each limit, with each offset, and with both.
 * @returns its pages, and the first limit that was accepted
 */
async function requestList(
  { send }: OperationContext<CustomersPage>,
  filter: Arguments,
  limitsToTry: readonly [number, ...number[]],
): Promise<{ pages: Page[]; limit: number }> {
  const get: GetPage = (limit, offset) => send({ ...filter, ...paging(limit, offset) });
  const plain = await get();
  const withLimit = await Promise.all(limitsToTry.map((limit) => get(limit)));
  const withOffset = await Promise.all(offsets.map((offset) => get(undefined, offset)));
  const limit = limitsToTry[withLimit.findIndex(({ rejected }) => !rejected)] ?? limitsToTry[0];
  const withBoth = await requestPages(get, limit);
  for (const pages of [withLimit, withOffset, withBoth])
    if (plain.rejected || !pages.every(({ rejected }) => rejected)) excludeRejections(pages);
  return { pages: [plain, ...withLimit, ...withOffset, ...withBoth], limit };
}

/** Drops the judgement of rejections: which values of `limit` and `offset` a target accepts is open (contract section 8). */
function excludeRejections(pages: Page[]): void {
  for (const page of pages) if (page.rejected) page.excludeFromVerdict();
}

/**
 * Requests the page at each offset, then the following pages up to an empty page.
 * @returns the pages, except a page that failed although it has a record: that failure counts
 */
async function requestPages(get: GetPage, limit: number): Promise<Page[]> {
  const pages = await Promise.all(offsets.map((offset) => get(limit, offset)));
  const [{ content: first }, { content: second }] = await Promise.all([get(limit), get(limit, 1)]);
  const unit = detectOffsetUnit(first.identities, second.identities);
  const step = unit === 'pages' ? 1 : first.identities.length;
  for (let offset = step; offset < followedPages * step; offset += step) {
    const page = await get(limit, offset);
    const isBreach = unit === 'records' && page.failed && (await hasRecordAt(get, limit, offset));
    if (!isBreach) pages.push(page);
    if (page.content.identities.length === 0) break;
  }
  return pages;
}

/** Checks for a record where a page failed: the page that begins a record earlier holds two, or a page of one record holds it. */
async function hasRecordAt(get: GetPage, limit: number, offset: number): Promise<boolean> {
  const pages = await Promise.all([get(limit, offset - 1), get(1, offset)]);
  excludeRejections(pages);
  const [earlier, single] = pages;
  return earlier.content.identities.length > 1 || single.content.identities.length > 0;
}

const paging = (limit?: number, offset?: number): Arguments => ({
  ...(limit === undefined ? {} : { limit: literal(`${limit}`) }),
  ...(offset === undefined ? {} : { offset: literal(`${offset}`) }),
});

/** Selects one customer of each record shape on some pages, to be looked up. */
function selectLookups(pages: Page[], max: number): Lookup[] {
  const samples = new Map<string, Sample>();
  for (const sample of pages.flatMap(({ content }) => content.samples))
    if (!samples.has(sample.shape)) samples.set(sample.shape, sample);
  return [...samples.values()].slice(0, max).map(({ uuid, shell }, index) => {
    const label = `{uuid of a listed customer, example ${index + 1}}`;
    return { operation: 'getCustomer', parameters: { id: { value: uuid, label, shell } } };
  });
}

/** Summarizes a page of customers. Returns an empty page if the body is missing or has no list. */
export function summarize(body: unknown, repeat: string): CustomersPage {
  const customers = readCustomers(body);
  return {
    identities: customers.map((customer) => readUuid(customer) ?? ''),
    samples: selectSamples(customers, repeat),
  };
}

/** Reads the list of customers; empty if there is none. */
function readCustomers(body: unknown): unknown[] {
  const list = getValue(body, listPointer);
  return Array.isArray(list) ? list : [];
}

function readUuid(customer: unknown): string | undefined {
  const uuid = ownValue(customer, keyName);
  return typeof uuid === 'string' ? uuid : undefined;
}

function selectSamples(customers: unknown[], repeat: string): Sample[] {
  const samples = new Map<string, Sample>();
  for (const [index, customer] of customers.entries()) {
    const [uuid, shape] = [readUuid(customer), describeShape(customer, '')];
    if (uuid === undefined || !fitsPath(uuid) || samples.has(shape)) continue;
    samples.set(shape, { shape, uuid, shell: foundInShell(repeat, `${listPointer}/${index}/${keyName}`) });
  }
  return [...samples.values()];
}

/** Describes a record by the names and types of its fields. Payment tokens of different types differ in shape. */
function describeShape(value: unknown, name: string): string {
  if (name === 'token_type' && typeof value === 'string') return value;
  if (!isRecord(value)) return Array.isArray(value) ? 'array' : typeof value;
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${field}:${describeShape(value[field], field)}`).join()}}`;
}

/** Estimates the number of requests: plain, limits, offsets with and without a limit, and further pages. */
export function estimateRequests(_target: Target, operation: Operation): number {
  const eachList = 1 + 2 * offsets.length + followedPages - 1;
  const filterCount = sourceFilters(operation).length;
  return (1 + filterCount) * eachList + limits.length + filterCount;
}

/** Unfiltered list of customers (contract section 4.2), and lookups of its customers (contract section 4.3). */
export const sweptList: SweptList = {
  noun: 'customers',
  pointer: listPointer,
  key: keyName,
  page: paging,
  shapes: (body) => selectSamples(readCustomers(body), '').map(({ shape }) => shape),
  samples: async ({ send }, pages) => {
    const responses = await Promise.all(pages.map((page) => send(page) as Promise<Page>));
    return selectLookups(responses, maxShapes.swept);
  },
};
