import { createSeededCustomer } from '../../../mock/customers.ts';
import { isListedFor, operations } from '../../../mock/operations.ts';
import { type Customer, sources } from '../../../mock/records.ts';
import { success } from '../../../mock/responses.ts';
import type { Alter, MockResponse } from '../../../mock/server.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { json } from './examples.ts';

/** Customer that conforms to the contract (2.4) unless a test has changed a field. */
export type Listed = Record<string, unknown> & { uuid: string };

export interface PageRequest {
  query: URLSearchParams;
  /** Length of the page, after the provider has raised or reduced it. */
  limit: number;
  /** In the unit of `ListOptions.offset`; default: 0. */
  offset: number;
  start: number;
  /** Index after the last record of the page; may exceed the length of the list. */
  end: number;
  ordinal: number;
}

/** How a provider pages the customers list (contract 4.2, 7 and 8). Every option except `failing` conforms to the contract. */
export interface ListOptions {
  population: number | readonly Listed[];
  /** Default: 20. */
  defaultLimit?: number;
  /** Default: 100. */
  maxLimit?: number;
  /**
   * Effect of the parameter `limit`; default: `capped` at `maxLimit`. `raised`: to at least `defaultLimit`. Limits are rejected that
   * exceed `maxLimit` (`rejected above`), are less than `defaultLimit` (`rejected below`) or are no multiple of it (`multiples`).
   */
  limit?: 'capped' | 'ignored' | 'raised' | 'rejected above' | 'rejected below' | 'multiples';
  /** Unit of the parameter `offset`; default: records. `page starts`: records, rounded down to the start of a page. */
  offset?: 'records' | 'pages' | 'page starts' | 'ignored';
  /** Response to an offset beyond the end of the list; default: an empty page. */
  pastEnd?: 'empty' | 'rejected' | 'last page';
  /** Response to a rejected request; default: HTTP 400 with an envelope. */
  rejection?: HttpResponse;
  /** Returns whether a list with `linked_source_type=<source>` shows the customer at an index; default: always. */
  isLinked?(index: number, source: string): boolean;
  /** Called before each request for the list, with the number `ordinal` (from 1). Returns the list for this request and the next ones. */
  moving?(customers: readonly Listed[], ordinal: number): readonly Listed[];
  order?(usual: readonly Listed[], ordinal: number): readonly Listed[];
  /** Returns a faulty response, or the customers to show instead; undefined for the usual response. */
  failing?(page: PageRequest): HttpResponse | readonly Listed[] | undefined;
}

/** Creates the same customer at each call with the same `number`. `values` replaces or adds fields. */
export const createListedCustomer = (number: number, values: Record<string, unknown> = {}): Listed => ({
  ...createSeededCustomer(number).customer,
  ...values,
});

export const customersUpTo = (count: number): Listed[] =>
  Array.from({ length: count }, (_, number) => createListedCustomer(number));

const createPage = (customers: readonly Listed[]): HttpResponse => json(200, success({ customers }).body);

const createRejection = (status: number): HttpResponse =>
  json(status, { code: status, message: 'no', data: null });

/** Creates a provider of customers, which replaces an HTTP client (`get`) or the answers of a mock (`alter`). */
export function listProvider(options: ListOptions) {
  const { population, rejection = createRejection(400) } = options;
  /** Queries such as `limit=20&offset=40`. */
  const requests: string[] = [];
  let requestCount = 0;
  let customers = typeof population === 'number' ? customersUpTo(population) : population;

  function answerPage(query: URLSearchParams): HttpResponse {
    const ordinal = requests.push(`${query}`);
    customers = options.moving?.(customers, ordinal) ?? customers;
    const parameters = Object.fromEntries(query);
    const isListed = (customer: Listed, index: number) =>
      isListedFor(parameters, {
        linkedTo: sources.filter((source) => options.isLinked?.(index, source) ?? true),
        customer: customer as unknown as Customer,
      });
    const list = (options.order?.(customers, ordinal) ?? customers).filter(isListed);
    const page = parsePageRequest(options, list.length, query, ordinal);
    if (!page) return rejection;
    const failure = options.failing?.(page);
    if (failure) return 'status' in failure ? failure : createPage(failure);
    return selectPage(page, list, options.pastEnd) ?? rejection;
  }

  function answerLookup(uuid: string): HttpResponse {
    const customer = customers.find((candidate) => candidate.uuid === uuid);
    return customer ? json(200, success({ customer }).body) : createRejection(404);
  }

  const parsePath = (path: string) => new URL(path, 'http://target.invalid');
  const alter: Alter = (response, { operation, path, parameters }) => {
    if (operation === 'listCustomers') return createMockAnswer(answerPage(parsePath(path).searchParams));
    return operation === 'getCustomer' ? createMockAnswer(answerLookup(parameters.id ?? '')) : response;
  };
  return {
    requests,
    alter,
    countRequests: () => requestCount,
    get: async (path: string) => {
      requestCount += 1;
      const { pathname, searchParams } = parsePath(path);
      return pathname.endsWith(listPath)
        ? answerPage(searchParams)
        : answerLookup(decodeURIComponent(pathname.split('/').at(-1) ?? ''));
    },
  };
}

function selectPage(
  { start, end, limit }: PageRequest,
  list: readonly Listed[],
  pastEnd: ListOptions['pastEnd'],
) {
  if (start === 0 || start < list.length) return createPage(list.slice(start, end));
  if (pastEnd === 'rejected') return undefined;
  return createPage(pastEnd === 'last page' ? list.slice(-limit) : []);
}

const listPath = operations.find(({ operation }) => operation === 'listCustomers')?.path ?? '';

const createMockAnswer = ({ status, headers, body }: HttpResponse): MockResponse => ({
  status,
  headers,
  body: JSON.parse(Buffer.from(body).toString() || 'null'),
  raw: Buffer.from(body),
});

/** Parses the query of a request for a page; undefined if the provider rejects the request. */
function parsePageRequest(
  options: ListOptions,
  total: number,
  query: URLSearchParams,
  ordinal: number,
): PageRequest | undefined {
  const limitText = query.get('limit') ?? `${options.defaultLimit ?? 20}`;
  const offsetText = query.get('offset') ?? '0';
  const wholeNumber = /^\d+$/;
  if (!wholeNumber.test(limitText) || !wholeNumber.test(offsetText)) return undefined;
  const limit = computePageLength(options, Number(limitText), total);
  if (limit === undefined) return undefined;
  const offset = Number(offsetText);
  const startsByOffset = {
    records: offset,
    pages: offset * limit,
    'page starts': offset - (offset % Math.max(limit, 1)),
    ignored: 0,
  };
  const start = startsByOffset[options.offset ?? 'records'];
  return { query, limit, offset, start, end: start + limit, ordinal };
}

function computePageLength(options: ListOptions, requestedLimit: number, total: number): number | undefined {
  const { limit = 'capped', defaultLimit = 20, maxLimit = 100 } = options;
  if (limit === 'ignored') return defaultLimit;
  if (limit === 'raised') return Math.max(requestedLimit, defaultLimit);
  if (limit === 'rejected above' && requestedLimit > maxLimit) return undefined;
  if (limit === 'rejected below' && requestedLimit < defaultLimit) return undefined;
  // If the list is shorter than the default page, its length is the default limit that a client observes.
  const observedDefault = Math.min(defaultLimit, total || 1);
  if (limit === 'multiples' && requestedLimit % observedDefault !== 0) return undefined;
  return Math.min(requestedLimit, maxLimit);
}
