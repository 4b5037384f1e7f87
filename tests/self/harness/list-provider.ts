import { success } from '../../../mock/answers.ts';
import { seededCustomer } from '../../../mock/customers.ts';
import { operations } from '../../../mock/operations.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { json } from './examples.ts';

/** Customer as the list shows it. It conforms to the contract unless a test changes it. */
export type Listed = Record<string, unknown> & { uuid: string };

/** Request for a page, as the provider reads it. */
export interface PageRequest {
  query: URLSearchParams;
  /** Parameter `limit` or its default, after the provider has raised or capped it. */
  limit: number;
  offset: number;
  /** Index of the first record of the page, counted from 0. */
  start: number;
  end: number;
  /** Ordinal of the request, counted from 1 over all requests for the list. */
  ordinal: number;
}

/** Changes the customers before the request with this ordinal is answered. */
export type Moving = (now: readonly Listed[], ordinal: number) => readonly Listed[];

/** Paging of a list (contract 4.2, 7 and 8). Each option conforms to the contract, except `failing`. */
export interface ListOptions {
  /** Number of customers, or the customers themselves. */
  population: number | readonly Listed[];
  defaultLimit?: number;
  maxLimit?: number;
  limit?: 'capped' | 'ignored' | 'raised' | 'rejected above' | 'rejected below' | 'multiples';
  offset?: 'records' | 'pages' | 'page starts' | 'ignored';
  pastEnd?: 'empty' | 'rejected' | 'last page';
  /** Response to a rejected request; by default HTTP 400 in an envelope. */
  rejection?: HttpResponse;
  /** Returns true if the customer at an index is linked to a source, a value of `linked_source_type`. By default all are. */
  isLinked?(place: number, source: string): boolean;
  /** Changes the customers before each request, for lists that grow, shrink or are edited. */
  moving?: Moving;
  /** Orders the customers for the request with this ordinal. */
  order?(now: readonly Listed[], ordinal: number): readonly Listed[];
  /** Replaces the response to a page, or the customers of the page. Returns undefined to keep them. */
  failing?(page: PageRequest): HttpResponse | readonly Listed[] | undefined;
}

/** Provider of one list, with or without HTTP. */
export interface ListProvider {
  /** Answers requests for the list and lookups of its customers, in place of an HTTP client. */
  get(path: string): Promise<HttpResponse>;
  sent(): number;
  /** Makes a mock serve this list over HTTP. */
  alter: Alter;
  /** Queries of all requests for pages so far. */
  requests: string[];
}

/** Creates the customer of a number, which never changes. `values` replaces some of its fields. */
export const customerOf = (number: number, values: Record<string, unknown> = {}): Listed => ({
  ...seededCustomer(number).customer,
  ...values,
});

export const customersUpTo = (count: number): Listed[] =>
  Array.from({ length: count }, (_, number) => customerOf(number));

export const pageOf = (customers: readonly Listed[]): HttpResponse => json(200, success({ customers }).body);

const createRejection = (status: number): HttpResponse =>
  json(status, { code: status, message: 'no', data: null });

/** Creates a provider of a list. By default `offset` counts records from 0, and a page holds 20 records, at most 100. */
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

/** Builds the response with the records of a page. Returns undefined if the request is rejected. */
function selectPage(
  { start, end, limit }: PageRequest,
  list: readonly Listed[],
  pastEnd: ListOptions['pastEnd'],
) {
  if (start === 0 || start < list.length) return pageOf(list.slice(start, end));
  return pastEnd === 'rejected' ? undefined : pageOf(pastEnd === 'last page' ? list.slice(-limit) : []);
}

const listPath = operations.find(({ operation }) => operation === 'listCustomers')?.path ?? '';

const createMockAnswer = ({ status, headers, body }: HttpResponse): MockAnswer => ({
  status,
  headers,
  body: JSON.parse(Buffer.from(body).toString() || 'null'),
  raw: Buffer.from(body),
});

/** Parses a query. Returns undefined if the request is rejected. */
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

/** Computes the length of a page. Returns undefined if the limit is rejected. */
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
