import { success } from '../../../mock/answers.ts';
import { seededCustomer } from '../../../mock/customers.ts';
import { operations } from '../../../mock/operations.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { json } from './examples.ts';

/** Customer as the list shows it. Conforms to the contract unless a test has changed a field. */
export type Listed = Record<string, unknown> & { uuid: string };

/** Request for a page of the list, as the provider has understood it. */
export interface PageRequest {
  query: URLSearchParams;
  /** Parameter `limit` or its default, after the provider has raised or capped it. */
  limit: number;
  /** Parameter `offset`, 0 by default; its unit is `ListOptions.offset`. */
  offset: number;
  /** Index of the first record of the page, counted from 0. */
  start: number;
  /** Index after the last record of the page; may lie beyond the list. */
  end: number;
  /** Ordinal of the request, counted from 1 over all requests for the list. */
  ordinal: number;
}

/** Function that returns the customers from the request with this ordinal on, given those before. */
export type Moving = (now: readonly Listed[], ordinal: number) => readonly Listed[];

/** How a provider pages its list (contract 4.2, 7 and 8). Each option conforms to the contract, except `failing`. */
export interface ListOptions {
  /** Number of customers, or the customers themselves. */
  population: number | readonly Listed[];
  /** Length of a page without `limit`; 20 by default. */
  defaultLimit?: number;
  /** Greatest length of a page; 100 by default. */
  maxLimit?: number;
  /**
   * Treatment of `limit`. `capped`: at most `maxLimit` (the default). `ignored`: always `defaultLimit`. `raised`: at least
   * `defaultLimit`. `rejected above` `maxLimit`, `rejected below` `defaultLimit`. `multiples`: rejected unless one of `defaultLimit`.
   */
  limit?: 'capped' | 'ignored' | 'raised' | 'rejected above' | 'rejected below' | 'multiples';
  /** What `offset` counts: records (the default) or pages; `page starts` rounds it down to a multiple of the limit. */
  offset?: 'records' | 'pages' | 'page starts' | 'ignored';
  /** Answer to an offset beyond the list: an empty page by default. */
  pastEnd?: 'empty' | 'rejected' | 'last page';
  /** Response to a rejected request; by default HTTP 400 in an envelope. */
  rejection?: HttpResponse;
  /** Returns true if the customer at an index is listed for a value of `linked_source_type`. By default all are. */
  isLinked?(place: number, source: string): boolean;
  /** Changes the customers before each request, so that the list grows, shrinks or is edited during a run. */
  moving?: Moving;
  /** Reorders the customers for one request, numbered from 1. The next request starts from the usual order again. */
  order?(now: readonly Listed[], ordinal: number): readonly Listed[];
  /** Returns another response to a page, or other customers of the page; undefined for no change. */
  failing?(page: PageRequest): HttpResponse | readonly Listed[] | undefined;
}

/** Provider of the customers list, in place of an HTTP client (`get`) or behind a mock (`alter`). */
export interface ListProvider {
  /** Answers a request for a page, or a lookup of a customer, by its path with query. */
  get(path: string): Promise<HttpResponse>;
  /** Returns the number of calls of `get`. */
  sent(): number;
  /** Makes a mock answer `listCustomers` and `getCustomer` from this list. */
  alter: Alter;
  /** Queries of all requests for pages so far. */
  requests: string[];
}

/** Creates a customer; the same number always gives the same one. `values` replaces some of the fields. */
export const customerOf = (number: number, values: Record<string, unknown> = {}): Listed => ({
  ...seededCustomer(number).customer,
  ...values,
});

/** Creates the customers with the numbers from 0 to `count - 1`. */
export const customersUpTo = (count: number): Listed[] =>
  Array.from({ length: count }, (_, number) => customerOf(number));

/** Creates the successful response with a page of customers. */
export const pageOf = (customers: readonly Listed[]): HttpResponse => json(200, success({ customers }).body);

/** Creates a rejection in the envelope of the API, with the HTTP status also as `code`. */
const createRejection = (status: number): HttpResponse =>
  json(status, { code: status, message: 'no', data: null });

/** Creates a provider of the customers list. By default `offset` counts records from 0, and a page holds 20 records, at most 100. */
export function listProvider(options: ListOptions): ListProvider {
  const { population, rejection = createRejection(400) } = options;
  const requests: string[] = [];
  let requestCount = 0;
  let customers = typeof population === 'number' ? customersUpTo(population) : population;

  function answerPage(query: URLSearchParams): HttpResponse {
    const ordinal = requests.push(`${query}`);
    customers = options.moving?.(customers, ordinal) ?? customers;
    const source = query.get('linked_source_type');
    const isListed = (_: Listed, place: number) => !source || (options.isLinked?.(place, source) ?? true);
    const list = (options.order?.(customers, ordinal) ?? customers).filter(isListed);
    const page = parsePageRequest(options, list.length, query, ordinal);
    if (!page) return rejection;
    const failure = options.failing?.(page);
    if (failure) return 'status' in failure ? failure : pageOf(failure);
    return selectPage(page, list, options.pastEnd) ?? rejection;
  }

  function answerLookup(uuid: string): HttpResponse {
    const customer = customers.find((candidate) => candidate.uuid === uuid);
    return customer ? json(200, success({ customer }).body) : createRejection(404);
  }

  const parsePath = (path: string) => new URL(path, 'http://target.invalid');
  return {
    requests,
    sent: () => requestCount,
    get: async (path) => {
      requestCount += 1;
      const { pathname, searchParams } = parsePath(path);
      return pathname.endsWith(listPath)
        ? answerPage(searchParams)
        : answerLookup(decodeURIComponent(pathname.split('/').at(-1) ?? ''));
    },
    alter: (answer, { operation, path, parameters }) => {
      if (operation === 'listCustomers') return createMockAnswer(answerPage(parsePath(path).searchParams));
      return operation === 'getCustomer' ? createMockAnswer(answerLookup(parameters.id ?? '')) : answer;
    },
  };
}

/** Returns the response with the records of a page; undefined if the page lies beyond the list and `pastEnd` is `rejected`. */
function selectPage(
  { start, end, limit }: PageRequest,
  list: readonly Listed[],
  pastEnd: ListOptions['pastEnd'],
) {
  if (start === 0 || start < list.length) return pageOf(list.slice(start, end));
  return pastEnd === 'rejected' ? undefined : pageOf(pastEnd === 'last page' ? list.slice(-limit) : []);
}

const listPath = operations.find(({ operation }) => operation === 'listCustomers')?.path ?? '';

/** Converts a response to an answer of the mock that sends exactly its bytes (`raw`). */
const createMockAnswer = ({ status, headers, body }: HttpResponse): MockAnswer => ({
  status,
  headers,
  body: JSON.parse(Buffer.from(body).toString() || 'null'),
  raw: Buffer.from(body),
});

/** Parses the query of a request for a page; undefined if the provider rejects the request. @param total length of the list */
function parsePageRequest(
  options: ListOptions,
  total: number,
  query: URLSearchParams,
  ordinal: number,
): PageRequest | undefined {
  const parameterTexts = {
    limit: query.get('limit') ?? `${options.defaultLimit ?? 20}`,
    offset: query.get('offset') ?? '0',
  };
  if (!/^\d+$/.test(parameterTexts.limit) || !/^\d+$/.test(parameterTexts.offset)) return undefined;
  const limit = computePageLength(options, Number(parameterTexts.limit), total);
  if (limit === undefined) return undefined;
  const offset = Number(parameterTexts.offset);
  const startsByOffset = {
    records: offset,
    pages: offset * limit,
    'page starts': offset - (offset % (limit || 1)),
    ignored: 0,
  };
  const start = startsByOffset[options.offset ?? 'records'];
  return { query, limit, offset, start, end: start + limit, ordinal };
}

/** Computes the length of a page from the requested one; undefined if the provider rejects it. @param total length of the list */
function computePageLength(options: ListOptions, requestedLimit: number, total: number): number | undefined {
  const { limit = 'capped', defaultLimit = 20, maxLimit = 100 } = options;
  if (limit === 'ignored') return defaultLimit;
  if (limit === 'raised') return Math.max(requestedLimit, defaultLimit);
  if (limit === 'rejected above' && requestedLimit > maxLimit) return undefined;
  if (limit === 'rejected below' && requestedLimit < defaultLimit) return undefined;
  // The list may be shorter than the default page; then its length is the default limit that a client observes.
  if (limit === 'multiples' && requestedLimit % Math.min(defaultLimit, total || 1)) return undefined;
  return Math.min(requestedLimit, maxLimit);
}
