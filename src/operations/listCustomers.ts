import type { Operation } from '../../schemas/contract/contract.ts';
import { getOwnValue, getValue, isRecord } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import { buildResponseIdentifierExpression } from '../redact/curl.ts';
import { detectOffsetUnit } from './offset-unit.ts';
import {
  type Lookup,
  maxShapes,
  type OperationContext,
  type ResponseSummary,
  type SweptList,
} from './operation-file.ts';
import { type Arguments, createPublicArgument, fitsPath, listDocumentedArguments } from './request.ts';

/** Summary of a page of customers, without the customers themselves. */
export interface CustomersPage {
  /** `uuid` of each customer, in the order of the page; an empty text for a customer without one. */
  identities: string[];
  samples: Sample[];
}

interface Sample {
  /** Names and types of the fields, as in `{name:string,uuid:string}`. */
  shape: string;
  uuid: string;
  shell: string;
}

type Page = ResponseSummary<CustomersPage>;
type RequestPage = (limit?: number, offset?: number) => Promise<Page>;
type Limits = readonly [number, ...number[]];

const listPointer = '/data/customers';
const keyName = 'uuid';

const listSourceFilters = (operation: Operation): Arguments[] =>
  listDocumentedArguments(operation, 'linked_source_type').map((linked_source_type) => ({
    linked_source_type,
  }));

/** Values of `limit` that are always tried, the preferred one first. Which ones a target accepts is open (contract section 8). */
const limits: Limits = [20, 10, 50, 100];
/** Values of `limit` that are tried only if a target rejects all others. Frameworks have 15, 25 and 30 as defaults. */
const rareLimits = [1, 5, 15, 25, 30];
/** Values of `offset` for the first and the second record or page. Which of both `offset` counts is open (contract section 4.2). */
const offsets = [0, 1] as const;
/** Number of consecutive pages that are requested of each list, so that rules that compare pages are judged. */
const followedPages = 3;

/**
 * Lists customers without a filter and with each `linked_source_type`, with and without paging (contract section 4.2). Returns
 * lookups of listed customers, one for each record shape.
 */
export default async function listCustomers(context: OperationContext<CustomersPage>): Promise<Lookup[]> {
  const wholeList = await requestList(context, {}, limits);
  const filteredLists = await Promise.all(
    listSourceFilters(context.operation).map((filter) => requestList(context, filter, [wholeList.limit])),
  );
  const pages = [wholeList, ...filteredLists].flatMap((list) => list.pages);
  return selectLookups(pages, maxShapes.ordinary);
}

/**
 * Chooses the values of `limit` to request a list with. If the target rejects all `preferredLimits`, but not the list without
 * `limit`, adds the length of that list, a likely default limit, and then other values, until one is accepted.
 */
async function chooseLimits(requestPage: RequestPage, preferredLimits: Limits): Promise<Limits> {
  const pageWithoutLimit = await requestPage();
  const pages = await Promise.all(preferredLimits.map((limit) => requestPage(limit)));
  // A server error is a fault, no bound of `limit`.
  const areRejected = pages.every(({ rejected, failed }) => rejected && !failed);
  if (pageWithoutLimit.rejected || !areRejected) return preferredLimits;
  const chosenLimits: [number, ...number[]] = [...preferredLimits];
  const defaultLimit = pageWithoutLimit.content.identities.length || 1;
  for (const limit of [defaultLimit, ...limits, ...rareLimits]) {
    chosenLimits.push(limit);
    if (!(await requestPage(limit)).rejected) break;
  }
  return chosenLimits;
}

/**
 * Requests one list without paging, with each limit, with each offset, and with both.
 * @returns pages of the list, and the first accepted limit, or `preferredLimits[0]` if none was accepted
 */
async function requestList(
  { send }: OperationContext<CustomersPage>,
  filter: Arguments,
  preferredLimits: Limits,
): Promise<{ pages: Page[]; limit: number }> {
  const requestPage: RequestPage = (limit, offset) => send({ ...filter, ...paging(limit, offset) });
  const unpagedList = await requestPage();
  const chosenLimits = await chooseLimits(requestPage, preferredLimits);
  const withLimit = await Promise.all(chosenLimits.map((limit) => requestPage(limit)));
  const withOffset = await Promise.all(offsets.map((offset) => requestPage(undefined, offset)));
  const acceptedIndex = withLimit.findIndex(({ rejected }) => !rejected);
  const limit = chosenLimits[acceptedIndex] ?? chosenLimits[0];
  const withBoth = await requestPages(requestPage, limit);
  // A target may reject any page of an empty list, because each page begins beyond its end.
  const isEmpty = !unpagedList.rejected && unpagedList.content.identities.length === 0;
  for (const pages of [withLimit, withOffset, withBoth]) {
    // The contract has the parameter (section 4.2): a target that rejects every value of it does not conform.
    const isParameterRejected = !unpagedList.rejected && pages.every(({ rejected }) => rejected);
    if (!isParameterRejected || isEmpty) excludeRejections(pages);
  }
  return { pages: [unpagedList, ...withLimit, ...withOffset, ...withBoth], limit };
}

/** Excludes rejected pages from the verdict: which values of `limit` and `offset` a target accepts is open (contract section 8). */
function excludeRejections(pages: Page[]): void {
  for (const page of pages) if (page.rejected) page.excludeFromVerdict();
}

/**
 * Requests the page at each of `offsets`, then follows the pages of the list, up to `followedPages` or an empty page. Leaves out
 * a page that failed although the list has a record there, because its failure breaks the contract.
 */
async function requestPages(requestPage: RequestPage, limit: number): Promise<Page[]> {
  const pages = await Promise.all(offsets.map((offset) => requestPage(limit, offset)));
  // Sends nothing: `requestPage` returns the responses that `requestList` received without `offset`, and that at offset 1 from above.
  const [firstPage, secondPage] = await Promise.all([requestPage(limit), requestPage(limit, 1)]);
  const identities = firstPage.content.identities;
  const unit = detectOffsetUnit(identities, secondPage.content.identities);
  const step = unit === 'pages' ? 1 : identities.length;
  for (let offset = step; offset < followedPages * step; offset += step) {
    const page = await requestPage(limit, offset);
    const breaksContract =
      unit === 'records' && page.failed && (await hasRecordAt(requestPage, limit, offset));
    if (!breaksContract) pages.push(page);
    if (page.content.identities.length === 0) break;
  }
  return pages;
}

/**
 * Returns whether the list has a record at an offset that counts records: the page that begins one record earlier has two
 * records, or the page with `limit=1` has one. The verdict ignores rejections of both requests.
 */
async function hasRecordAt(requestPage: RequestPage, limit: number, offset: number): Promise<boolean> {
  const [earlierPage, singleRecordPage] = await Promise.all([
    requestPage(limit, offset - 1),
    requestPage(1, offset),
  ]);
  excludeRejections([earlierPage, singleRecordPage]);
  return earlierPage.content.identities.length > 1 || singleRecordPage.content.identities.length > 0;
}

const paging = (limit?: number, offset?: number): Arguments => ({
  ...(limit === undefined ? {} : { limit: createPublicArgument(`${limit}`) }),
  ...(offset === undefined ? {} : { offset: createPublicArgument(`${offset}`) }),
});

function selectLookups(pages: Page[], max: number): Lookup[] {
  const samplesByShape = new Map<string, Sample>();
  for (const sample of pages.flatMap(({ content }) => content.samples))
    if (!samplesByShape.has(sample.shape)) samplesByShape.set(sample.shape, sample);
  return [...samplesByShape.values()].slice(0, max).map(({ uuid, shell }, index) => {
    const label = `{uuid of a listed customer, example ${index + 1}}`;
    return { operation: 'getCustomer', parameters: { id: { value: uuid, label, shell } } };
  });
}

/** Summarizes a page of customers; empty if the body is missing or has no list. `curlCommand` repeats the request of the page. */
export function summarize(body: unknown, curlCommand: string): CustomersPage {
  const customers = readCustomers(body);
  return {
    identities: customers.map((customer) => readUuid(customer) ?? ''),
    samples: selectSamples(customers, curlCommand),
  };
}

function readCustomers(body: unknown): unknown[] {
  const list = getValue(body, listPointer);
  return Array.isArray(list) ? list : [];
}

/** Reads the `uuid` of a customer; undefined if it is missing or no text. */
function readUuid(customer: unknown): string | undefined {
  const uuid = getOwnValue(customer, keyName);
  return typeof uuid === 'string' ? uuid : undefined;
}

function selectSamples(customers: unknown[], curlCommand: string): Sample[] {
  const samples = new Map<string, Sample>();
  for (const [index, customer] of customers.entries()) {
    const uuid = readUuid(customer);
    const shape = formatShape(customer);
    if (uuid === undefined || !fitsPath(uuid) || samples.has(shape)) continue;
    const uuidPointer = `${listPointer}/${index}/${keyName}`;
    samples.set(shape, { shape, uuid, shell: buildResponseIdentifierExpression(curlCommand, uuidPointer) });
  }
  return [...samples.values()];
}

/** Formats the type of a value, or for an object the names and types of its fields, as in `{name:string,uuid:string}`. */
function formatShape(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (!isRecord(value)) return typeof value;
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${name}:${formatFieldShape(name, value[name])}`).join()}}`;
}

/** Formats the value of `token_type` itself, so that payment tokens of different types have different shapes. */
const formatFieldShape = (name: string, value: unknown): string =>
  name === 'token_type' && typeof value === 'string' ? value : formatShape(value);

export function estimateRequests(_target: Target, operation: Operation): number {
  const plainCount = 1;
  const offsetCount = offsets.length;
  const pagedCount = offsets.length + followedPages - 1;
  const eachListCount = plainCount + offsetCount + pagedCount;
  const filterCount = listSourceFilters(operation).length;
  // Each of `limits` is tried on the unfiltered list, and one of them on each filtered list.
  return (1 + filterCount) * eachListCount + limits.length + filterCount;
}

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
