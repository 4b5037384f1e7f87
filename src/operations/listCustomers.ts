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
  /** `uuid` of each customer on the page; an empty text for a customer without one. */
  identities: string[];
  /** First customer of each record shape, for `selectLookups`. */
  samples: Sample[];
}

/** Customer that represents a record shape. `shell` is a shell expression that prints the percent-encoded uuid. */
interface Sample {
  /** Names and types of the fields, as `describeShape` returns them. */
  shape: string;
  uuid: string;
  shell: string;
}

type Page = ResponseSummary<CustomersPage>;
type GetPage = (limit?: number, offset?: number) => Promise<Page>;

const [listPointer, keyName] = ['/data/customers', 'uuid'];

/** Returns one set of parameters for each documented value of `linked_source_type`. */
const sourceFilters = (operation: Operation): Arguments[] =>
  documentedValues(operation, 'linked_source_type').map((linked_source_type) => ({ linked_source_type }));

/** Page sizes in common use, the preferred size first. Bounds of `limit` are open (contract section 8). */
const limits = [20, 10, 50, 100] as const;
/** Page sizes to try if a target rejects all of `limits`: below a small maximum, above a large minimum, and multiples of others. */
const rareLimits = [1, 5, 15, 25, 30, 200, 500, 1000] as const;
/** Values of `offset` for the first and the second record or page: which of them `offset` counts is open (contract section 4.2). */
const offsets = [0, 1] as const;
/** Number of consecutive pages of each list to request, so that rules between pages are judged. */
const followedPages = 3;

/**
 * Lists customers without a filter and with each `linked_source_type`, each with and without `limit` and `offset`, and follows
 * pages (contract section 4.2). Returns lookups of one listed customer of each record shape.
 */
export default async function listCustomers(context: OperationContext<CustomersPage>): Promise<Lookup[]> {
  const whole = await requestList(context, {}, await tryLimits(context));
  const filtered = await Promise.all(
    sourceFilters(context.operation).map((filter) => requestList(context, filter, [whole.limit])),
  );
  const pages = [whole, ...filtered].flatMap((list) => list.pages);
  return selectLookups(pages, maxShapes.ordinary);
}

/**
 * Requests the whole list with each of `limits`. If only the list without `limit` is accepted, also tries the number of its
 * customers, which is the default limit of a long list, and then `rareLimits`, one by one up to the first accepted limit.
 * @returns the limits that were tried
 */
async function tryLimits({ send }: OperationContext<CustomersPage>): Promise<readonly [number, ...number[]]> {
  const plain = await send();
  const isRejected = async (limit: number) => (await send(paging(limit))).rejected;
  const rejections = await Promise.all(limits.map(isRejected));
  if (plain.rejected || rejections.includes(false)) return limits;
  const triedLimits: [number, ...number[]] = [...limits];
  for (const limit of [plain.content.identities.length || 1, ...rareLimits]) {
    triedLimits.push(limit);
    if (!(await isRejected(limit))) break;
  }
  return triedLimits;
}

/**
 * Requests one list without paging, with each limit, with each offset, and with both.
 * @param filter parameters of every request
 * @returns its pages, and the first limit that was not rejected, or the first one if all were
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
  // Rejections count if all pages of a group are rejected, and the plain request is not: no value of the parameter is accepted.
  for (const pages of [withLimit, withOffset, withBoth])
    if (plain.rejected || !pages.every(({ rejected }) => rejected)) excludeRejections(pages);
  return { pages: [plain, ...withLimit, ...withOffset, ...withBoth], limit };
}

/** Excludes rejected pages from the verdict: which values of `limit` and `offset` a target accepts is open (contract section 8). */
function excludeRejections(pages: Page[]): void {
  for (const page of pages) if (page.rejected) page.excludeFromVerdict();
}

/**
 * Requests the page at each of `offsets`, then the following pages up to an empty page.
 * @returns the pages whose rejection may be excluded from the verdict: all but a page that failed although there is a record
 */
async function requestPages(get: GetPage, limit: number): Promise<Page[]> {
  const pages = await Promise.all(offsets.map((offset) => get(limit, offset)));
  // These two are sent already, so that `get` returns the responses received before.
  const [{ content: first }, { content: second }] = await Promise.all([get(limit), get(limit, 1)]);
  const unit = detectOffsetUnit(first.identities, second.identities);
  const step = unit === 'pages' ? 1 : first.identities.length;
  for (let offset = step; offset < followedPages * step; offset += step) {
    const page = await get(limit, offset);
    /** True if the failure of the page breaks the contract. */
    const isBreach = unit === 'records' && page.failed && (await hasRecordAt(get, limit, offset));
    if (!isBreach) pages.push(page);
    if (page.content.identities.length === 0) break;
  }
  return pages;
}

/**
 * Returns whether there is a record at the offset of a failed page: the page that begins one record earlier has at least two
 * records, or the page of one record at this offset has it. `offset` must count records.
 */
async function hasRecordAt(get: GetPage, limit: number, offset: number): Promise<boolean> {
  const pages = await Promise.all([get(limit, offset - 1), get(1, offset)]);
  excludeRejections(pages);
  const [earlier, single] = pages;
  return earlier.content.identities.length > 1 || single.content.identities.length > 0;
}

/** Returns the parameters `limit` and `offset`, each only if it is defined. */
const paging = (limit?: number, offset?: number): Arguments => ({
  ...(limit === undefined ? {} : { limit: literal(`${limit}`) }),
  ...(offset === undefined ? {} : { offset: literal(`${offset}`) }),
});

/** Returns lookups (`getCustomer`) of the first customer of each record shape on the pages, at most `max`. */
function selectLookups(pages: Page[], max: number): Lookup[] {
  const samples = new Map<string, Sample>();
  for (const sample of pages.flatMap(({ content }) => content.samples))
    if (!samples.has(sample.shape)) samples.set(sample.shape, sample);
  return [...samples.values()].slice(0, max).map(({ uuid, shell }, index) => {
    const label = `{uuid of a listed customer, example ${index + 1}}`;
    return { operation: 'getCustomer', parameters: { id: { value: uuid, label, shell } } };
  });
}

/**
 * Summarizes a page of customers. Returns an empty page if the body is missing or has no list.
 * @param repeat shell command that repeats the request of the page
 */
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

/**
 * Returns the first customer of each record shape whose uuid fits into a path.
 * @param repeat command that requests the list again
 */
function selectSamples(customers: unknown[], repeat: string): Sample[] {
  const samples = new Map<string, Sample>();
  for (const [index, customer] of customers.entries()) {
    const [uuid, shape] = [readUuid(customer), describeShape(customer, '')];
    if (uuid === undefined || !fitsPath(uuid) || samples.has(shape)) continue;
    samples.set(shape, { shape, uuid, shell: foundInShell(repeat, `${listPointer}/${index}/${keyName}`) });
  }
  return [...samples.values()];
}

/**
 * Returns the shape of a value: names and types of its fields, as in `{name:string,uuid:string}`. Of `token_type`, the value
 * itself is part of the shape, so that payment tokens of different types are told apart.
 * @param name name of the field that holds the value; empty for a record
 */
function describeShape(value: unknown, name: string): string {
  if (name === 'token_type' && typeof value === 'string') return value;
  if (!isRecord(value)) return Array.isArray(value) ? 'array' : typeof value;
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${field}:${describeShape(value[field], field)}`).join()}}`;
}

/** Estimates the number of requests: plain, limits in common use, offsets with and without a limit, and further pages. */
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
