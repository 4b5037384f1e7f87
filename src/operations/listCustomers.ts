import type { Operation } from '../../schemas/contract/contract.ts';
import { groupBy } from '../../schemas/group-by.ts';
import { getOwnValue, getValue, isRecord } from '../../schemas/json.ts';
import { isFailure } from '../../schemas/judge/classify.ts';
import type { Target } from '../client/target.ts';
import { buildResponseIdentifierExpression } from '../redact/curl.ts';
import { detectOffsetUnit, type OffsetUnit } from './offset-unit.ts';
import {
  type Lookup,
  maxLookups,
  type OperationContext,
  type ResponseSummary,
  type SweptList,
} from './operation-file.ts';
import { type Arguments, createPublicArgument, fitsPath, listDocumentedArguments } from './request.ts';

export interface CustomersPage {
  /** `uuid` of each customer, in list order. An empty text stands for a `uuid` that is missing or no string. */
  identities: string[];
  samples: Sample[];
}

/** Listed customer to look up. One customer of each shape (field names and types) is enough. */
interface Sample {
  /** Field names and types: `{name:string,uuid:string}`. */
  shape: string;
  uuid: string;
  /**
   * Shell expression that requests the list again and prints the `uuid`: `$(curl … | jq …)`. Curl commands in reports contain the
   * expression instead of the `uuid`.
   */
  shell: string;
}

type Page = ResponseSummary<CustomersPage>;
type RequestPage = (limit?: number, offset?: number) => Promise<Page>;
type PageLimits = readonly [number, ...number[]];

/** Responses to all requests for one list. The list may have a filter, such as `linked_source_type=User`. */
interface CustomersList {
  pages: Page[];
  /** First value of `limit` that the target did not reject. If the target rejected all, `limit` is the first value sent. */
  limit: number;
  /** Unit in which `offset` counts. Undefined if the pages do not show the unit. */
  offsetUnit: OffsetUnit | undefined;
  /** Response without `limit` and `offset`. This response shows whether the list has customers. */
  unpagedResponse: Page;
  /** Number of customers on the longest page that was requested without `offset`. The list has at least this many customers. */
  minimumLength: number;
  /**
   * Two pages at `offset=1`, requested without and with `limit`. `pageLength` is the number of customers in the response to the
   * same request without `offset`.
   */
  pagesAtOffset1: { page: Page; pageLength: number }[];
  /**
   * Three groups of pages, requested with `limit`, with `offset`, and with both. A failed page is left out if the failure is
   * certainly a fault of the target, such as HTTP 500 for `limit=20`.
   */
  pageGroups: Page[][];
}

const listPointer = '/data/customers';
const keyName = 'uuid';

const listLinkedSourceTypeFilters = (operation: Operation): Arguments[] =>
  listDocumentedArguments(operation, 'linked_source_type').map((type) => ({ linked_source_type: type }));

/** Values of `limit` to send, the preferred one first. The contract prescribes none (section 8). */
const usualLimits: PageLimits = [20, 10, 50, 100];
/** Values of `limit` to try if the target rejects all `usualLimits`. */
// 15, 25 and 30 are defaults of frameworks.
const rareLimits = [1, 5, 15, 25, 30];
/** Values of `offset` to send. */
// The value 1 may mean the second record or the second page (contract section 4.2).
const offsets = [0, 1] as const;
/** Maximum number of consecutive pages to request of each list. */
const consecutivePages = 3;

/**
 * Requests the customers list with different filters and pages (contract section 4.2).
 * @returns lookups of at most 40 listed customers, one for each shape (field names and types)
 */
export default async function listCustomers(context: OperationContext<CustomersPage>): Promise<Lookup[]> {
  const wholeList = await requestWithAndWithoutPaging(context, {}, usualLimits);
  const filteredLists = await Promise.all(
    listLinkedSourceTypeFilters(context.operation).map((filter) =>
      requestWithAndWithoutPaging(context, filter, [wholeList.limit]),
    ),
  );
  const lists = [wholeList, ...filteredLists];
  const knownUnit = lists.find(({ offsetUnit }) => offsetUnit)?.offsetUnit;
  for (const list of lists) excludeAllowedRejections({ ...list, offsetUnit: list.offsetUnit ?? knownUnit });
  const pages = lists.flatMap((list) => list.pages);
  return selectLookups(pages, maxLookups.ofRun);
}

/**
 * Requests a list without `limit`, and with each of `preferredLimits`. If the target rejects all `preferredLimits`, tries further
 * values one by one, up to the first value that the target does not reject. If the target also rejects the list without `limit`,
 * tries no further values.
 * @returns all values of `limit` that were sent, including rejected values
 */
async function tryLimits(requestPage: RequestPage, preferredLimits: PageLimits): Promise<PageLimits> {
  const pageWithoutLimit = await requestPage();
  const pages = await Promise.all(preferredLimits.map((limit) => requestPage(limit)));
  // An error such as HTTP 500 counts as `rejected`, too, but is a fault of the target, and does not mean that it rejects the value.
  const areAllRejected = pages.every((page) => page.rejected && !isFaultAtLimit(page));
  if (!areAllRejected) return preferredLimits;
  // The target rejects the list itself, whatever the `limit`.
  if (pageWithoutLimit.rejected) return preferredLimits;
  const sentLimits: [number, ...number[]] = [...preferredLimits];
  // Without `limit`, a target likely returns a page of its default length, which it should accept as `limit`.
  const likelyDefaultLimit = pageWithoutLimit.content.identities.length || 1;
  for (const limit of [likelyDefaultLimit, ...usualLimits, ...rareLimits]) {
    if (sentLimits.includes(limit)) continue;
    sentLimits.push(limit);
    const page = await requestPage(limit);
    if (!page.rejected) break;
  }
  return sentLimits;
}

/**
 * Requests one list without paging, with `limit`, with `offset`, and with both.
 * @param filter parameters that select the list, such as `linked_source_type=User`
 */
async function requestWithAndWithoutPaging(
  { send }: OperationContext<CustomersPage>,
  filter: Arguments,
  preferredLimits: PageLimits,
): Promise<CustomersList> {
  const requestPage: RequestPage = (limit, offset) => send({ ...filter, ...buildPaging(limit, offset) });
  const unpagedResponse = await requestPage();
  const limits = await tryLimits(requestPage, preferredLimits);
  // Sends nothing: `tryLimits` has sent these requests, and `send` returns the stored responses.
  const pagesWithLimit = await Promise.all(limits.map((limit) => requestPage(limit)));
  const pagesWithOffset = await Promise.all(offsets.map((offset) => requestPage(undefined, offset)));
  const acceptedLimit = limits.find((_limit, index) => !pagesWithLimit[index]?.rejected);
  const limit = acceptedLimit ?? limits[0];
  const minimumLength = Math.max(...[unpagedResponse, ...pagesWithLimit].map(countCustomers));
  const pagesWithBoth = await requestConsecutivePages(requestPage, limit, minimumLength);
  const pagesAtOffset0 = await Promise.all([requestPage(undefined, 0), requestPage(limit, 0)]);
  // An error such as HTTP 500 counts as `rejected`, too, but stays in the verdict, because it is a fault of the target. At other
  // offsets, it may be excluded, because the page may begin beyond the end of the list.
  const faults = [...pagesWithLimit.filter(isFaultAtLimit), ...pagesAtOffset0.filter(isFailed)];
  const withoutFaults = (pages: Page[]) => pages.filter((page) => !faults.includes(page));
  const pageGroups = [pagesWithLimit, pagesWithOffset, pagesWithBoth].map(withoutFaults);
  // From here on, nothing is sent: these pages were requested before.
  const pagesAtOffset1 = [
    { page: await requestPage(undefined, 1), pageLength: countCustomers(unpagedResponse) },
    { page: await requestPage(limit, 1), pageLength: countCustomers(await requestPage(limit)) },
  ];
  return {
    pages: [unpagedResponse, ...pagesWithLimit, ...pagesWithOffset, ...pagesWithBoth],
    limit,
    offsetUnit: await inferOffsetUnit(requestPage, limit, minimumLength),
    unpagedResponse,
    minimumLength,
    pagesAtOffset1,
    pageGroups,
  };
}

/** Returns whether a response is neither a success nor a rejection, such as HTTP 500 or 302. */
const isFailed = ({ kind }: Page): boolean => kind !== undefined && isFailure(kind);
/**
 * Returns whether the response to a value of `limit` is a fault of the target, such as HTTP 500. A redirect is no fault, because a
 * target may redirect from `limit=100` to `limit=50`.
 */
const isFaultAtLimit = (page: Page): boolean => isFailed(page) && !isRedirect(page);
const isRedirect = ({ kind, code = 0 }: Page): boolean => kind === 'other' && code >= 300 && code < 400;
const countCustomers = ({ content }: Page): number => content.identities.length;

/**
 * Infers the unit in which `offset` counts. Returns undefined if the pages do not show the unit. The caller has requested all
 * needed pages before, so that `requestPage` sends nothing.
 */
async function inferOffsetUnit(
  requestPage: RequestPage,
  limit: number,
  minimumLength: number,
): Promise<OffsetUnit | undefined> {
  const [firstPage, pageAtOffset1] = await Promise.all([requestPage(limit), requestPage(limit, 1)]);
  const pageLength = countCustomers(firstPage);
  // On pages of one customer, both units are the same.
  if (pageLength < 2) return undefined;
  const unit = detectOffsetUnit(firstPage.content.identities, pageAtOffset1.content.identities);
  if (unit) return unit;
  // After a page with the whole list, the next page is empty in both units.
  const mayHoldWholeList = pageLength >= minimumLength;
  if (mayHoldWholeList) return undefined;
  // If `offset` counted records, this page would show customers that a longer page has shown.
  const pageAfterFirst = await requestPage(limit, pageLength);
  const isEmptySuccess = pageAfterFirst.kind === 'success' && countCustomers(pageAfterFirst) === 0;
  return isEmptySuccess ? 'pages' : undefined;
}

/**
 * Excludes rejected pages from the verdict. The contract does not show which values of `limit` and `offset` a target must accept
 * (section 8). If the target rejects all pages of a group in `list.pageGroups`, although the list has customers, these pages stay
 * in the verdict. A page at `offset=1` also stays in the verdict if the page is known to begin before the end of the list.
 */
function excludeAllowedRejections(list: CustomersList): void {
  const { unpagedResponse, pageGroups } = list;
  // A target may reject any page of an empty list, because each page begins beyond the end of the list (contract section 8).
  const hasCustomers = !unpagedResponse.rejected && countCustomers(unpagedResponse) > 0;
  const requiredPages = findRequiredPages(list);
  for (const pages of pageGroups) {
    // The contract has the parameter (section 4.2): a target that rejects every value of it does not conform.
    const isParameterRejected = pages.every(({ rejected }) => rejected);
    const violatesContract = hasCustomers && isParameterRejected;
    if (!violatesContract) excludeRejections(pages.filter((page) => !requiredPages.includes(page)));
  }
}

/** Finds the pages at `offset=1` that begin before the end of the list. Returns none if `offsetUnit` is undefined. */
function findRequiredPages({ offsetUnit, minimumLength, pagesAtOffset1 }: CustomersList): Page[] {
  if (offsetUnit === undefined) return [];
  const isBeforeEnd = (pageLength: number) =>
    pageLength > 0 && (offsetUnit === 'pages' ? pageLength : 1) < minimumLength;
  return pagesAtOffset1.filter(({ pageLength }) => isBeforeEnd(pageLength)).map(({ page }) => page);
}

function excludeRejections(pages: Page[]): void {
  // HTTP 401 rejects no `limit` or `offset`, but the credentials: a token may have expired.
  const isAllowed = ({ rejected, kind }: Page) => rejected && kind !== 'unauthorized';
  for (const page of pages) if (isAllowed(page)) page.excludeFromVerdict();
}

/**
 * Requests up to `consecutivePages` consecutive pages, and the page at `offset=1`. Stops after a page without customers.
 * @param minimumLength number of customers that the list has at least. If the list has at least 50 customers, for example, a page
 *   that begins at record index 20 is not beyond the end of the list.
 * @returns pages whose rejections the caller may exclude from the verdict. A consecutive page after the first page may fail, for
 *   example with HTTP 500. If the failed page is known to begin before the end of the list, the page is left out.
 */
async function requestConsecutivePages(
  requestPage: RequestPage,
  limit: number,
  minimumLength: number,
): Promise<Page[]> {
  const pages = new Set(await Promise.all(offsets.map((offset) => requestPage(limit, offset))));
  // Sends nothing: both requests were sent before, so `requestPage` returns the stored responses.
  const [firstPage, pageAtOffset1] = await Promise.all([requestPage(limit), requestPage(limit, 1)]);
  const pageLength = firstPage.content.identities.length;
  const detectedUnit = detectOffsetUnit(firstPage.content.identities, pageAtOffset1.content.identities);
  // A target that rejects `offset=1` accepts only whole pages of records. If it fails there, as at `offset=20`, one of both is a fault.
  const isRejectedAtOffset1 = pageAtOffset1.rejected || isFailed(pageAtOffset1);
  const unit = detectedUnit ?? (isRejectedAtOffset1 ? 'records' : undefined);
  // If the first page is empty, the step is 0, and the loop requests nothing.
  const offsetStep = unit === 'pages' ? 1 : pageLength;
  let shownCount = pageLength;
  for (let offset = offsetStep; offset < consecutivePages * offsetStep; offset += offsetStep) {
    const page = await requestPage(limit, offset);
    const recordIndex = unit === 'pages' ? offset * pageLength : offset;
    // The record at `offset - 1` was shown, so a page that begins there must not fail, unless the target accepts only whole pages.
    const mustShowEarlierRecord = detectedUnit === 'records' && offset === shownCount;
    const isBeforeEnd = async () =>
      recordIndex < minimumLength ||
      (unit === 'records' && (await hasRecordAt(requestPage, limit, offset, mustShowEarlierRecord)));
    // The caller may exclude a returned page, which may begin beyond the end of the list. A server error before the end must count.
    const isFaultOfTarget = unit !== undefined && isFailed(page) && (await isBeforeEnd());
    if (isFaultOfTarget) pages.delete(page);
    else pages.add(page);
    const { length } = page.content.identities;
    if (length === 0) break;
    shownCount = offset + length;
  }
  return [...pages];
}

/**
 * Returns whether a response shows a record at `offset`. Requests the page at `offset - 1`, and a page of one record at `offset`.
 * Excludes rejections of both pages from the verdict. If `offset - 1` is 0 or 1, leaves the decision about the page at `offset - 1`
 * to `excludeAllowedRejections`.
 * @param mustShowEarlierRecord true if an earlier page has shown the record at `offset - 1`. In that case, an error such as HTTP
 *   500 for the page at `offset - 1` stays in the verdict. If false, the error is excluded like any rejection.
 */
async function hasRecordAt(
  requestPage: RequestPage,
  limit: number,
  offset: number,
  mustShowEarlierRecord: boolean,
): Promise<boolean> {
  const [earlierPage, singleRecordPage] = await Promise.all([
    requestPage(limit, offset - 1),
    requestPage(1, offset),
  ]);
  // A target need not accept `limit=1` (contract section 8).
  excludeRejections([singleRecordPage]);
  const isFaultOfTarget = mustShowEarlierRecord && isFailed(earlierPage);
  const isExcludable = !isFaultOfTarget && offset - 1 > 1;
  if (isExcludable) excludeRejections([earlierPage]);
  // The second record of the earlier page has the index `offset`.
  const isOnEarlierPage = earlierPage.content.identities.length > 1;
  return isOnEarlierPage || singleRecordPage.content.identities.length > 0;
}

function buildPaging(limit?: number, offset?: number): Arguments {
  const paging: Arguments = {};
  if (limit !== undefined) paging.limit = createPublicArgument(`${limit}`);
  if (offset !== undefined) paging.offset = createPublicArgument(`${offset}`);
  return paging;
}

function selectLookups(pages: Page[], maxCount: number): Lookup[] {
  const samples = keepFirstOfEachShape(pages.flatMap(({ content }) => content.samples));
  return samples.slice(0, maxCount).map(createLookup);
}

function createLookup({ uuid, shell }: Sample, index: number): Lookup {
  const label = `{uuid of a listed customer, example ${index + 1}}`;
  return { operation: 'getCustomer', parameters: { id: { value: uuid, label, shell } } };
}

/**
 * Reads the `uuid` of each customer on a page, and selects customers to look up (`samples`).
 * @param curlCommand command that requests the page
 */
export function summarize(body: unknown, curlCommand: string): CustomersPage {
  const list = getValue(body, listPointer);
  const customers = Array.isArray(list) ? list : [];
  return { identities: customers.map(readUuid), samples: selectSamples(customers, curlCommand) };
}

function readUuid(customer: unknown): string {
  const uuid = getOwnValue(customer, keyName);
  return typeof uuid === 'string' ? uuid : '';
}

function selectSamples(customers: unknown[], curlCommand: string): Sample[] {
  const samples: Sample[] = [];
  for (const [index, customer] of customers.entries()) {
    const uuid = readUuid(customer);
    if (!fitsPath(uuid)) continue;
    const uuidPointer = `${listPointer}/${index}/${keyName}`;
    const shell = buildResponseIdentifierExpression(curlCommand, uuidPointer);
    samples.push({ shape: describeFieldTypes(customer), uuid, shell });
  }
  return keepFirstOfEachShape(samples);
}

function keepFirstOfEachShape(samples: Sample[]): Sample[] {
  const samplesByShape = groupBy(samples, ({ shape }) => shape);
  return [...samplesByShape.values()].map(([firstSample]) => firstSample);
}

function describeFieldTypes(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (!isRecord(value)) return typeof value;
  const names = Object.keys(value).sort();
  const fields = names.map((name) => `${name}:${describeFieldType(name, value[name])}`);
  return `{${fields.join()}}`;
}

// The value of `token_type` replaces the type, so that there is a sample for each kind of payment token.
const describeFieldType = (name: string, value: unknown): string =>
  name === 'token_type' && typeof value === 'string' ? value : describeFieldTypes(value);

/** Estimates how many requests `listCustomers` sends to a target with long lists. */
export function estimateRequests(_target: Target, operation: Operation): number {
  const filteredListCount = listLinkedSourceTypeFilters(operation).length;
  const listCount = 1 + filteredListCount;
  const unpagedRequests = 1;
  const requestsWithOffsetOnly = offsets.length;
  // The first consecutive page is also the page at `offset=0`.
  const requestsWithLimitAndOffset = offsets.length + consecutivePages - 1;
  const requestsPerList = unpagedRequests + requestsWithOffsetOnly + requestsWithLimitAndOffset;
  // The unfiltered list is requested with each of `usualLimits`, and a filtered list with one of them.
  const requestsWithLimitOnly = usualLimits.length + filteredListCount;
  return listCount * requestsPerList + requestsWithLimitOnly;
}

export const sweptList: SweptList = {
  noun: 'customers',
  pointer: listPointer,
  key: keyName,
  createPageArguments: buildPaging,
  // No curl command: only the shapes of the samples are used.
  shapes: (body) => summarize(body, '').samples.map(({ shape }) => shape),
  selectLookups: async ({ send }, pages) => {
    const responses = await Promise.all(pages.map((page) => send(page) as Promise<Page>));
    return selectLookups(responses, maxLookups.ofSweep);
  },
};
