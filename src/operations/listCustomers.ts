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

export interface CustomersPage {
  /** `uuid` of each customer of a page in order; an empty text for a customer without `uuid`. */
  identities: string[];
  samples: Sample[];
}

/** First customer of a page that has this `shape`. */
interface Sample {
  /** Names and types of all fields: `{name:string,uuid:string}`. */
  shape: string;
  uuid: string;
  shell: string;
}

type Page = ResponseSummary<CustomersPage>;
type RequestPage = (limit?: number, offset?: number) => Promise<Page>;
type PageLimits = readonly [number, ...number[]];

const listPointer = '/data/customers';
const keyName = 'uuid';

const listSourceFilters = (operation: Operation): Arguments[] =>
  listDocumentedArguments(operation, 'linked_source_type').map((type) => ({ linked_source_type: type }));

/** Values of `limit` to send, the preferred one first. The contract leaves open which values a target accepts (section 8). */
const usualLimits: PageLimits = [20, 10, 50, 100];
/** Values of `limit` that are sent only if the target rejects all `usualLimits`; 15, 25 and 30 are defaults of frameworks. */
const rareLimits = [1, 5, 15, 25, 30];
/** Values of `offset` to send. The value 1 may mean the second record or the second page (contract section 4.2). */
const offsets = [0, 1] as const;
/** Number of consecutive pages to request of each list, so that rules which compare pages can be judged. */
const consecutivePages = 3;

/**
 * Requests customers without a filter and with each `linked_source_type`, with and without paging (contract section 4.2). Returns
 * lookups of listed customers: one customer for each combination of fields and types, such as `{name:string,uuid:string}`.
 */
export default async function listCustomers(context: OperationContext<CustomersPage>): Promise<Lookup[]> {
  const wholeList = await requestList(context, {}, usualLimits);
  const filteredLists = await Promise.all(
    listSourceFilters(context.operation).map((filter) => requestList(context, filter, [wholeList.limit])),
  );
  const pages = [wholeList, ...filteredLists].flatMap((list) => list.pages);
  return selectLookups(pages, maxShapes.ordinary);
}

/**
 * Returns `preferredLimits`. If the target rejects them all, but not a request without `limit`, appends values until the target
 * accepts one. The first appended value is the length of the page without `limit`, which is likely the default.
 */
async function chooseLimits(requestPage: RequestPage, preferredLimits: PageLimits): Promise<PageLimits> {
  const pageWithoutLimit = await requestPage();
  const pages = await Promise.all(preferredLimits.map((limit) => requestPage(limit)));
  // A server error is a fault of the target, and does not mean that it rejects the value.
  const areAllRejected = pages.every(({ rejected, failed }) => rejected && !failed);
  if (pageWithoutLimit.rejected || !areAllRejected) return preferredLimits;
  const limitsToSend: [number, ...number[]] = [...preferredLimits];
  const defaultLimit = pageWithoutLimit.content.identities.length || 1;
  for (const limit of [defaultLimit, ...usualLimits, ...rareLimits]) {
    limitsToSend.push(limit);
    const page = await requestPage(limit);
    if (!page.rejected) break;
  }
  return limitsToSend;
}

/**
 * Requests one list without paging, with each `limit`, with each `offset`, and with both.
 * @returns pages, and the first `limit` that the target accepted, or `preferredLimits[0]`
 */
async function requestList(
  { send }: OperationContext<CustomersPage>,
  filter: Arguments,
  preferredLimits: PageLimits,
): Promise<{ pages: Page[]; limit: number }> {
  const requestPage: RequestPage = (limit, offset) => send({ ...filter, ...buildPaging(limit, offset) });
  const unpagedResponse = await requestPage();
  const limitsToSend = await chooseLimits(requestPage, preferredLimits);
  // `chooseLimits` has sent these requests, so that `send` returns the stored responses.
  const pagesWithLimit = await Promise.all(limitsToSend.map((limit) => requestPage(limit)));
  const pagesWithOffset = await Promise.all(offsets.map((offset) => requestPage(undefined, offset)));
  const acceptedLimit = limitsToSend.find((_limit, index) => !pagesWithLimit[index]?.rejected);
  const limit = acceptedLimit ?? limitsToSend[0];
  const pagesWithBoth = await requestConsecutivePages(requestPage, limit);
  excludeAllowedRejections(unpagedResponse, [pagesWithLimit, pagesWithOffset, pagesWithBoth]);
  return { pages: [unpagedResponse, ...pagesWithLimit, ...pagesWithOffset, ...pagesWithBoth], limit };
}

/**
 * Excludes rejected pages from the verdict, because the contract leaves open which values of `limit` and `offset` a target accepts
 * (section 8). Keeps rejected pages in the verdict if the target rejects every value of a parameter.
 */
function excludeAllowedRejections(unpagedResponse: Page, pageGroups: Page[][]): void {
  const isListAccepted = !unpagedResponse.rejected;
  // A target may reject any page of an empty list, because each page begins beyond the end of the list.
  const isEmpty = isListAccepted && unpagedResponse.content.identities.length === 0;
  for (const pages of pageGroups) {
    // The contract has the parameter (section 4.2): a target that rejects every value of it does not conform.
    const isParameterRejected = pages.every(({ rejected }) => rejected);
    const violatesContract = isParameterRejected && isListAccepted && !isEmpty;
    if (!violatesContract) excludeRejections(pages);
  }
}

function excludeRejections(pages: Page[]): void {
  for (const page of pages) if (page.rejected) page.excludeFromVerdict();
}

/**
 * Requests the pages at `offset=0` and `offset=1`, then consecutive pages until one is empty. Leaves out a page that failed although
 * the list has a record at its offset: `excludeAllowedRejections` then does not receive this page, whose failure must be judged.
 */
async function requestConsecutivePages(requestPage: RequestPage, limit: number): Promise<Page[]> {
  const pages = await Promise.all(offsets.map((offset) => requestPage(limit, offset)));
  // Sends nothing: both requests were sent before, and `requestPage` returns their responses.
  const [firstPage, pageAtOffset1] = await Promise.all([requestPage(limit), requestPage(limit, 1)]);
  const pageLength = firstPage.content.identities.length;
  const unit = detectOffsetUnit(firstPage.content.identities, pageAtOffset1.content.identities);
  const offsetStep = unit === 'pages' ? 1 : pageLength;
  for (let offset = offsetStep; offset < consecutivePages * offsetStep; offset += offsetStep) {
    const page = await requestPage(limit, offset);
    const failsDespiteRecord =
      unit === 'records' && page.failed && (await findRecordAt(requestPage, limit, offset));
    if (!failsDespiteRecord) pages.push(page);
    if (page.content.identities.length === 0) break;
  }
  return pages;
}

/**
 * Requests two pages that would show the record at `offset`, counted in records: the page at `offset - 1`, and a page of one record.
 * Returns whether one of them shows the record. If such a page is rejected, excludes it from the verdict.
 */
async function findRecordAt(requestPage: RequestPage, limit: number, offset: number): Promise<boolean> {
  const [earlierPage, singleRecordPage] = await Promise.all([
    requestPage(limit, offset - 1),
    requestPage(1, offset),
  ]);
  excludeRejections([earlierPage, singleRecordPage]);
  // The first record of the earlier page is the one before `offset`; the second one is at `offset`.
  const isOnEarlierPage = earlierPage.content.identities.length > 1;
  return isOnEarlierPage || singleRecordPage.content.identities.length > 0;
}

function buildPaging(limit?: number, offset?: number): Arguments {
  const paging: Arguments = {};
  if (limit !== undefined) paging.limit = createPublicArgument(`${limit}`);
  if (offset !== undefined) paging.offset = createPublicArgument(`${offset}`);
  return paging;
}

function selectLookups(pages: Page[], maxLookups: number): Lookup[] {
  const firstSampleByShape = new Map<string, Sample>();
  for (const sample of pages.flatMap(({ content }) => content.samples))
    if (!firstSampleByShape.has(sample.shape)) firstSampleByShape.set(sample.shape, sample);
  return [...firstSampleByShape.values()].slice(0, maxLookups).map(({ uuid, shell }, index) => {
    const label = `{uuid of a listed customer, example ${index + 1}}`;
    return { operation: 'getCustomer', parameters: { id: { value: uuid, label, shell } } };
  });
}

/** Reads the `uuid` of each customer of a page, and the customers to look up. Both are empty if the body has no list. */
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

function readUuid(customer: unknown): string | undefined {
  const uuid = getOwnValue(customer, keyName);
  return typeof uuid === 'string' ? uuid : undefined;
}

function selectSamples(customers: unknown[], curlCommand: string): Sample[] {
  const sampleByShape = new Map<string, Sample>();
  for (const [index, customer] of customers.entries()) {
    const uuid = readUuid(customer);
    const shape = describeFieldTypes(customer);
    if (uuid === undefined || !fitsPath(uuid) || sampleByShape.has(shape)) continue;
    const uuidPointer = `${listPointer}/${index}/${keyName}`;
    const shell = buildResponseIdentifierExpression(curlCommand, uuidPointer);
    sampleByShape.set(shape, { shape, uuid, shell });
  }
  return [...sampleByShape.values()];
}

/** Formats the type of a value: `string`, or for an object `{name:string,uuid:string}`. */
function describeFieldTypes(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (!isRecord(value)) return typeof value;
  const names = Object.keys(value).sort();
  const fields = names.map((name) => `${name}:${describeFieldType(name, value[name])}`);
  return `{${fields.join()}}`;
}

/** Formats the type of a field. Uses the value of `token_type`, so that customers with different payment tokens differ in shape. */
const describeFieldType = (name: string, value: unknown): string =>
  name === 'token_type' && typeof value === 'string' ? value : describeFieldTypes(value);

/** Counts the requests for the list of all customers and for each filtered list: unpaged, with `offset`, `limit`, or both. */
export function estimateRequests(_target: Target, operation: Operation): number {
  const filteredListCount = listSourceFilters(operation).length;
  const listCount = 1 + filteredListCount;
  // The first of the consecutive pages is that of `offset=0`.
  const requestsWithLimitAndOffset = offsets.length + consecutivePages - 1;
  const unpagedRequests = 1;
  const requestsPerList = unpagedRequests + offsets.length + requestsWithLimitAndOffset;
  // The unfiltered list is requested with each of `usualLimits`, and a filtered list with one of them.
  const requestsWithLimitOnly = usualLimits.length + filteredListCount;
  return listCount * requestsPerList + requestsWithLimitOnly;
}

export const sweptList: SweptList = {
  noun: 'customers',
  pointer: listPointer,
  key: keyName,
  createPageArguments: buildPaging,
  shapes: (body) => selectSamples(readCustomers(body), '').map(({ shape }) => shape),
  selectLookups: async ({ send }, pages) => {
    const responses = await Promise.all(pages.map((page) => send(page) as Promise<Page>));
    return selectLookups(responses, maxShapes.swept);
  },
};
