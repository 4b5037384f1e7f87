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

/** Summary of a page of customers, without the customers themselves, for `ResponseSummary.content`. */
export interface CustomersPage {
  /** `uuid` of each customer on the page, in the order of the page; an empty text for a customer without one. */
  identities: string[];
  /** First customer of each record shape on the page, from which `selectLookups` selects customers to look up. */
  samples: Sample[];
}

/**
 * Customer that represents all customers of one record shape. `shell` is a shell expression that prints its percent-encoded `uuid`.
 */
interface Sample {
  /** Record shape as `formatRecordShape` formats it: names and types of the fields, as in `{name:string,uuid:string}`. */
  shape: string;
  uuid: string;
  shell: string;
}

type Page = ResponseSummary<CustomersPage>;
/** Requests a page of one list, with the parameters `limit` and `offset` if they are given. */
type GetPage = (limit?: number, offset?: number) => Promise<Page>;

const [listPointer, keyName] = ['/data/customers', 'uuid'];

/** Returns the filters of the list, one for each documented value: `linked_source_type=User` and `linked_source_type=Store`. */
const listSourceFilters = (operation: Operation): Arguments[] =>
  documentedValues(operation, 'linked_source_type').map((linked_source_type) => ({ linked_source_type }));

/**
 * Values of `limit` that are always tried: common page sizes, the preferred one first. The bounds of `limit` are open (contract
 * section 8).
 */
const limits = [20, 10, 50, 100] as const;
/**
 * Values of `limit` that are tried only if a target rejects all of `limits`: below a small maximum, above a large minimum, and
 * multiples of other numbers.
 */
const rareLimits = [1, 5, 15, 25, 30, 200, 500, 1000] as const;
/**
 * Values of `offset` for the first and the second record or page. Whether `offset` counts records or pages is open (contract
 * section 4.2).
 */
const offsets = [0, 1] as const;
/** Number of consecutive pages that are requested of each list, so that rules that compare pages are judged. */
const followedPages = 3;

/**
 * Lists customers without a filter and with each `linked_source_type`, each with and without `limit` and `offset`, and follows
 * pages (contract section 4.2). Returns lookups of listed customers, one for each record shape.
 */
export default async function listCustomers(context: OperationContext<CustomersPage>): Promise<Lookup[]> {
  const whole = await requestList(context, {}, await tryLimits(context));
  const filtered = await Promise.all(
    listSourceFilters(context.operation).map((filter) => requestList(context, filter, [whole.limit])),
  );
  const pages = [whole, ...filtered].flatMap((list) => list.pages);
  return selectLookups(pages, maxShapes.ordinary);
}

/**
 * Requests the unfiltered list with each of `limits`. If the target accepts the list without `limit` and rejects all of `limits`,
 * also tries the number of customers that it returned without `limit`, which is the default limit of a long list (1 for an empty
 * list), and then `rareLimits`, one by one up to the first accepted limit.
 * @returns all limits that were tried, accepted or not
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
 * Requests one list without paging, with each limit, with each offset, and with both. Excludes rejected pages from the verdict,
 * unless the list has customers and all values of a parameter are rejected.
 * @param filter parameters of every request, such as `linked_source_type`
 * @returns its pages, and the first limit that was not rejected, or `limitsToTry[0]` if all were
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
  // A target may reject any page of an empty list, because each page begins beyond its end.
  const isEmpty = !plain.rejected && plain.content.identities.length === 0;
  const acceptedIndex = withLimit.findIndex(({ rejected }) => !rejected);
  const limit = limitsToTry[acceptedIndex] ?? limitsToTry[0];
  const withBoth = await requestPages(get, limit);
  for (const pages of [withLimit, withOffset, withBoth]) {
    // The contract has the parameter (section 4.2): a target that rejects every value of it does not conform.
    const isParameterRejected = !plain.rejected && pages.every(({ rejected }) => rejected);
    if (!isParameterRejected || isEmpty) excludeRejections(pages);
  }
  return { pages: [plain, ...withLimit, ...withOffset, ...withBoth], limit };
}

/**
 * Excludes the rejected ones of some pages from the verdict: which values of `limit` and `offset` a target accepts is open
 * (contract section 8).
 */
function excludeRejections(pages: Page[]): void {
  for (const page of pages) if (page.rejected) page.excludeFromVerdict();
}

/**
 * Requests the page at each of `offsets`, then up to two pages that follow the first (`followedPages`), but none after an empty
 * page.
 * @returns pages whose rejection may be excluded from the verdict. Leaves out a page that failed with a record at its offset: its
 * failure breaks the contract
 */
async function requestPages(get: GetPage, limit: number): Promise<Page[]> {
  const pages = await Promise.all(offsets.map((offset) => get(limit, offset)));
  // Sends nothing: `get` returns the response that `requestList` received without `offset`, and the one at offset 1 from above.
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
 * Returns whether there is a record at the offset of a failed page, if `offset` counts records: the page that begins one record
 * earlier has at least two records, or the page of one record at this offset has it. Sends these two requests, without effect on
 * the verdict if they are rejected.
 */
async function hasRecordAt(get: GetPage, limit: number, offset: number): Promise<boolean> {
  const pages = await Promise.all([get(limit, offset - 1), get(1, offset)]);
  excludeRejections(pages);
  const [earlier, single] = pages;
  return earlier.content.identities.length > 1 || single.content.identities.length > 0;
}

/** Builds the parameters `limit` and `offset`, each only if it is defined. */
const paging = (limit?: number, offset?: number): Arguments => ({
  ...(limit === undefined ? {} : { limit: literal(`${limit}`) }),
  ...(offset === undefined ? {} : { offset: literal(`${offset}`) }),
});

/** Builds lookups (`getCustomer`) of the first customer of each record shape on some pages, at most `max`. */
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
 * Summarizes a page of customers: their `uuid` and a sample of each record shape. Returns an empty page if the body is missing or
 * has no list.
 * @param repeat shell command that repeats the request of the page
 */
export function summarize(body: unknown, repeat: string): CustomersPage {
  const customers = readCustomers(body);
  return {
    identities: customers.map((customer) => readUuid(customer) ?? ''),
    samples: selectSamples(customers, repeat),
  };
}

/** Reads the list `/data/customers` of a body; empty if the body has none. */
function readCustomers(body: unknown): unknown[] {
  const list = getValue(body, listPointer);
  return Array.isArray(list) ? list : [];
}

/** Reads the `uuid` of a customer; undefined if it is missing or no text. */
function readUuid(customer: unknown): string | undefined {
  const uuid = ownValue(customer, keyName);
  return typeof uuid === 'string' ? uuid : undefined;
}

/**
 * Returns the first customer of each record shape whose `uuid` fits into a path.
 * @param repeat shell command that requests the list again, from which a command finds the `uuid`
 */
function selectSamples(customers: unknown[], repeat: string): Sample[] {
  const samples = new Map<string, Sample>();
  for (const [index, customer] of customers.entries()) {
    const [uuid, shape] = [readUuid(customer), formatRecordShape(customer, '')];
    if (uuid === undefined || !fitsPath(uuid) || samples.has(shape)) continue;
    const uuidPointer = `${listPointer}/${index}/${keyName}`;
    samples.set(shape, { shape, uuid, shell: foundInShell(repeat, uuidPointer) });
  }
  return [...samples.values()];
}

/**
 * Formats the shape of a value: its type, or the names and types of its fields, as in `{name:string,uuid:string}`. For `token_type`
 * the value itself, so that payment tokens of different types have different shapes.
 * @param name name of the field that holds the value; empty for a record
 */
function formatRecordShape(value: unknown, name: string): string {
  if (name === 'token_type' && typeof value === 'string') return value;
  if (!isRecord(value)) return Array.isArray(value) ? 'array' : typeof value;
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${field}:${formatRecordShape(value[field], field)}`).join()}}`;
}

/** Estimates the number of requests of `listCustomers` to a conforming target. */
export function estimateRequests(_target: Target, operation: Operation): number {
  const plainCount = 1;
  const offsetCount = offsets.length;
  const pagedCount = offsets.length + followedPages - 1;
  const eachList = plainCount + offsetCount + pagedCount;
  const filterCount = listSourceFilters(operation).length;
  // Each of `limits` is tried on the unfiltered list, and one of them on each filtered list.
  return (1 + filterCount) * eachList + limits.length + filterCount;
}

/**
 * Requests of a sweep (`SWEEP`): the unfiltered list of customers (contract section 4.2), and lookups of its customers (contract
 * section 4.3).
 */
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
