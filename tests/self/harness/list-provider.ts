import { createSeededCustomer } from '../../../mock/customers.ts';
import { operations, selectListed } from '../../../mock/operations.ts';
import { type Customer, sources } from '../../../mock/records.ts';
import type { MockResponse } from '../../../mock/responses.ts';
import { success } from '../../../mock/responses.ts';
import type { Alter } from '../../../mock/server.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { json } from './examples.ts';

/** Customer as the list shows it (contract 2.4); tests may change any field. */
export type Listed = Record<string, unknown> & { uuid: string };

export interface PageRequest {
  query: URLSearchParams;
  /** Maximum number of customers that the provider puts in this page. */
  limit: number;
  /** Requested `offset`; default: 0. */
  offset: number;
  start: number;
  /** Index after the last customer of the page; may exceed the list's length. */
  end: number;
  /** Number of this list request, from 1. */
  requestNumber: number;
}

/** Behaviour of a customer list that the contract leaves open (4.2, 7 and 8). */
export interface ListOptions {
  population: number | readonly Listed[];
  /** Page length for a request without `limit`; default: 20. */
  defaultLimit?: number;
  /** Maximum page length, unless `limit` is `ignored` or `raised`; default: 100. */
  maxLimit?: number;
  /**
   * Effect of the parameter `limit`; default: `capped` to `maxLimit`.
   * - `ignored`: each page has the length `defaultLimit`
   * - `raised`: a `limit` below `defaultLimit` counts as `defaultLimit`
   * - `rejected above`: rejects a `limit` above `maxLimit`
   * - `rejected below`: rejects a `limit` below `defaultLimit`
   * - `multiples`: rejects a `limit` that is no multiple of `defaultLimit` (of the list's length, if that is less)
   */
  limit?: 'capped' | 'ignored' | 'raised' | 'rejected above' | 'rejected below' | 'multiples';
  /**
   * Unit of the parameter `offset`; default: records.
   * - `pages from one`: pages, of which 0 and 1 are the first page
   * - `page starts`: records, rounded down to the start of a page
   */
  offset?: 'records' | 'pages' | 'pages from one' | 'page starts' | 'ignored';
  /** Response to a request for a page after the last customer; default: an empty page. */
  pastEnd?: 'empty' | 'rejected' | 'last page';
  /** Response to a rejected list request; default: HTTP 400 with `"code":400`. */
  rejection?: HttpResponse;
  /** Returns true if the customer at this index is linked to the source; default: always. */
  isLinked?(index: number, source: string): boolean;
  /** Replaces the list, for this request and all later ones. */
  changeList?(customers: readonly Listed[], requestNumber: number): readonly Listed[];
  /** Sorts the list for this request only. */
  sortList?(customers: readonly Listed[], requestNumber: number): readonly Listed[];
  /** Replaces a page by a faulty response or other customers; undefined keeps the page. */
  createFaultyPage?(page: PageRequest): HttpResponse | readonly Listed[] | undefined;
}

/** Creates a customer that depends only on `number`, with fields replaced by `values`. */
export const createListedCustomer = (number: number, values: Record<string, unknown> = {}): Listed => ({
  ...createSeededCustomer(number).customer,
  ...values,
});

export const customersUpTo = (count: number): Listed[] =>
  Array.from({ length: count }, (_, number) => createListedCustomer(number));

const createPage = (customers: readonly Listed[]): HttpResponse => json(200, success({ customers }).body);

const createRejection = (status: number): HttpResponse =>
  json(status, { code: status, message: 'no', data: null });

interface ListProvider {
  /** Queries of list requests, such as `limit=20&offset=40`. */
  requests: string[];
  alter: Alter;
  /** Returns the number of requests sent with `get`. */
  countRequests(): number;
  get(path: string): Promise<HttpResponse>;
}

/** Creates a customer provider for direct calls (`get`) or in a mock (`alter`). */
export function listProvider(options: ListOptions): ListProvider {
  const { population, rejection = createRejection(400) } = options;
  const requests: string[] = [];
  let requestCount = 0;
  let customers = typeof population === 'number' ? customersUpTo(population) : population;

  function respondWithPage(query: URLSearchParams): HttpResponse {
    requests.push(`${query}`);
    const requestNumber = requests.length;
    customers = options.changeList?.(customers, requestNumber) ?? customers;
    const sortedCustomers = options.sortList?.(customers, requestNumber) ?? customers;
    const list = filterList(sortedCustomers, query, options);
    const page = parsePageRequest(options, list.length, query, requestNumber);
    if (!page) return rejection;
    const faultyResult = options.createFaultyPage?.(page);
    if (faultyResult) return 'status' in faultyResult ? faultyResult : createPage(faultyResult);
    return selectPage(page, list, options.pastEnd) ?? rejection;
  }

  function respondWithCustomer(uuid: string): HttpResponse {
    const customer = customers.find((candidate) => candidate.uuid === uuid);
    return customer ? json(200, success({ customer }).body) : createRejection(404);
  }

  const parsePath = (path: string) => new URL(path, 'http://target.invalid');
  const alter: Alter = (response, { operation, path, parameters }) => {
    if (operation === 'listCustomers')
      return convertToMockResponse(respondWithPage(parsePath(path).searchParams));
    if (operation === 'getCustomer') return convertToMockResponse(respondWithCustomer(parameters.id ?? ''));
    return response;
  };
  return {
    requests,
    alter,
    countRequests: () => requestCount,
    get: async (path: string) => {
      requestCount += 1;
      const { pathname, searchParams } = parsePath(path);
      if (pathname.endsWith(listPath)) return respondWithPage(searchParams);
      const lastSegment = pathname.split('/').at(-1) ?? '';
      return respondWithCustomer(decodeURIComponent(lastSegment));
    },
  };
}

function filterList(
  customers: readonly Listed[],
  query: URLSearchParams,
  { isLinked = () => true }: ListOptions,
): Listed[] {
  const linkedCustomers = customers.map((customer, index) => ({
    linkedTo: sources.filter((source) => isLinked(index, source)),
    customer: customer as unknown as Customer,
  }));
  return selectListed(Object.fromEntries(query), linkedCustomers) as unknown as Listed[];
}

function selectPage(
  { start, end, limit }: PageRequest,
  list: readonly Listed[],
  pastEnd: ListOptions['pastEnd'],
): HttpResponse | undefined {
  const isPastEnd = start > 0 && start >= list.length;
  if (!isPastEnd) return createPage(list.slice(start, end));
  if (pastEnd === 'rejected') return undefined;
  return createPage(pastEnd === 'last page' ? list.slice(-limit) : []);
}

const listPath = operations.find(({ operation }) => operation === 'listCustomers')?.path ?? '';

const convertToMockResponse = ({ status, headers, body }: HttpResponse): MockResponse => ({
  status,
  headers,
  body: JSON.parse(Buffer.from(body).toString() || 'null'),
  raw: Buffer.from(body),
});

/** Parses the query of a list request; undefined if `limit` or `offset` is no whole number, or if `options.limit` rejects it. */
function parsePageRequest(
  options: ListOptions,
  listLength: number,
  query: URLSearchParams,
  requestNumber: number,
): PageRequest | undefined {
  const limitText = query.get('limit') ?? `${options.defaultLimit ?? 20}`;
  const offsetText = query.get('offset') ?? '0';
  const wholeNumber = /^\d+$/;
  if (!wholeNumber.test(limitText) || !wholeNumber.test(offsetText)) return undefined;
  const limit = computePageLength(options, Number(limitText), listLength);
  if (limit === undefined) return undefined;
  const offset = Number(offsetText);
  const startsByUnit = {
    records: offset,
    pages: offset * limit,
    'pages from one': Math.max(0, offset - 1) * limit,
    // Rounds down: with `limit=20`, the page at `offset=45` starts at index 40.
    'page starts': offset - (offset % Math.max(limit, 1)),
    ignored: 0,
  };
  const start = startsByUnit[options.offset ?? 'records'];
  return { query, limit, offset, start, end: start + limit, requestNumber };
}

function computePageLength(
  options: ListOptions,
  requestedLimit: number,
  listLength: number,
): number | undefined {
  const { limit = 'capped', defaultLimit = 20, maxLimit = 100 } = options;
  // `ignored` and `raised` may exceed `maxLimit`.
  if (limit === 'ignored') return defaultLimit;
  if (limit === 'raised') return Math.max(requestedLimit, defaultLimit);
  if (limit === 'rejected above' && requestedLimit > maxLimit) return undefined;
  if (limit === 'rejected below' && requestedLimit < defaultLimit) return undefined;
  // A client that receives a whole list of 5 customers, without `limit`, takes 5 for the default limit.
  const observedDefault = Math.min(defaultLimit, listLength || 1);
  if (limit === 'multiples' && requestedLimit % observedDefault !== 0) return undefined;
  return Math.min(requestedLimit, maxLimit);
}
