import { success } from '../../../mock/answers.ts';
import { seededCustomer } from '../../../mock/customers.ts';
import { operations } from '../../../mock/operations.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { json } from './examples.ts';

/** A customer as the list shows it: conforming, unless a test has made it otherwise. */
export type Listed = Record<string, unknown> & { uuid: string };

/** One request for a page, as the provider understands it. */
export interface PageRequest {
  query: URLSearchParams;
  /** As it was sent, or the default. */
  limit: number;
  offset: number;
  /** Place of the first record that is shown, counted from 0. */
  start: number;
  end: number;
  /** Counted from 1 over all requests for the list. */
  ordinal: number;
}

/** What there is when the n-th request arrives, made of what there was. */
export type Moving = (now: readonly Listed[], ordinal: number) => readonly Listed[];

/** How a list is paged (contract 4.2, 7 and 8). All are choices of a conforming provider, but for what fails. */
export interface ListOptions {
  /** How many customers there are, or these. */
  population: number | readonly Listed[];
  defaultLimit?: number;
  maxLimit?: number;
  limit?: 'capped' | 'ignored' | 'raised' | 'rejected above' | 'rejected below' | 'multiples';
  offset?: 'records' | 'pages' | 'page starts' | 'ignored';
  pastEnd?: 'empty' | 'rejected' | 'last page';
  /** What a rejection looks like; HTTP 400 in an envelope unless given. */
  rejection?: HttpResponse;
  /** Whether a customer is listed where `linked_source_type` names a source; all are unless given. */
  isLinked?(place: number, source: string): boolean;
  /** What there is before a request is answered, made of what there was: for lists that grow, shrink or are edited. */
  moving?: Moving;
  /** In which order a request is shown what there is. */
  order?(now: readonly Listed[], ordinal: number): readonly Listed[];
  /** Another response to a page, instead of what it holds. */
  failing?(page: PageRequest): HttpResponse | readonly Listed[] | undefined;
}

/** A provider of one list, by the ways in which tests ask. */
export interface ListProvider {
  /** In place of a client: the list, and lookups of its customers. */
  get(path: string): Promise<HttpResponse>;
  sent(): number;
  /** For a mock. */
  alter: Alter;
  /** Queries for pages so far. */
  requests: string[];
}

/** The customer of a number, always the same, with other values where given. */
export const customerOf = (number: number, values: Record<string, unknown> = {}): Listed => ({
  ...seededCustomer(number).customer,
  ...values,
});

export const customersUpTo = (count: number): Listed[] =>
  Array.from({ length: count }, (_, number) => customerOf(number));

export const pageOf = (customers: readonly Listed[]): HttpResponse => json(200, success({ customers }).body);

const rejected = (status: number): HttpResponse => json(status, { code: status, message: 'no', data: null });

/** A list with choices: unless told otherwise, records are counted from 0, a page holds 20 and at most 100. */
export function listProvider(options: ListOptions): ListProvider {
  const { population, rejection = rejected(400) } = options;
  const requests: string[] = [];
  let sent = 0;
  let now = typeof population === 'number' ? customersUpTo(population) : population;

  function pages(query: URLSearchParams): HttpResponse {
    const ordinal = requests.push(`${query}`);
    now = options.moving?.(now, ordinal) ?? now;
    const source = query.get('linked_source_type');
    const isListed = (_: Listed, place: number) => !source || (options.isLinked?.(place, source) ?? true);
    const list = (options.order?.(now, ordinal) ?? now).filter(isListed);
    const page = pageRequest(options, list.length, query, ordinal);
    if (!page) return rejection;
    const failure = options.failing?.(page);
    if (failure) return 'status' in failure ? failure : pageOf(failure);
    return shownOn(page, list, options.pastEnd) ?? rejection;
  }

  function lookedUp(uuid: string): HttpResponse {
    const customer = now.find((one) => one.uuid === uuid);
    return customer ? json(200, success({ customer }).body) : rejected(404);
  }

  const urlOf = (path: string) => new URL(path, 'http://target.invalid');
  return {
    requests,
    sent: () => sent,
    get: async (path) => {
      sent += 1;
      const { pathname, searchParams } = urlOf(path);
      return pathname.endsWith(listPath)
        ? pages(searchParams)
        : lookedUp(decodeURIComponent(pathname.split('/').at(-1) ?? ''));
    },
    alter: (answer, { operation, path, parameters }) => {
      if (operation === 'listCustomers') return asMockAnswer(pages(urlOf(path).searchParams));
      return operation === 'getCustomer' ? asMockAnswer(lookedUp(parameters.id ?? '')) : answer;
    },
  };
}

/** What a page shows of a list; undefined where it is rejected. */
function shownOn(
  { start, end, limit }: PageRequest,
  list: readonly Listed[],
  pastEnd: ListOptions['pastEnd'],
) {
  if (start === 0 || start < list.length) return pageOf(list.slice(start, end));
  return pastEnd === 'rejected' ? undefined : pageOf(pastEnd === 'last page' ? list.slice(-limit) : []);
}

const listPath = operations.find(({ operation }) => operation === 'listCustomers')?.path ?? '';

const asMockAnswer = ({ status, headers, body }: HttpResponse): MockAnswer => ({
  status,
  headers,
  body: JSON.parse(Buffer.from(body).toString() || 'null'),
  raw: Buffer.from(body),
});

/** What a query asks for; undefined where it is rejected. */
function pageRequest(
  options: ListOptions,
  total: number,
  query: URLSearchParams,
  ordinal: number,
): PageRequest | undefined {
  const texts = {
    limit: query.get('limit') ?? `${options.defaultLimit ?? 20}`,
    offset: query.get('offset') ?? '0',
  };
  if (!/^\d+$/.test(texts.limit) || !/^\d+$/.test(texts.offset)) return undefined;
  const limit = lengthOf(options, Number(texts.limit), total);
  if (limit === undefined) return undefined;
  const offset = Number(texts.offset);
  const starts = {
    records: offset,
    pages: offset * limit,
    'page starts': offset - (offset % (limit || 1)),
    ignored: 0,
  };
  const start = starts[options.offset ?? 'records'];
  return { query, limit, offset, start, end: start + limit, ordinal };
}

/** How long a page is; undefined where the limit is rejected. */
function lengthOf(options: ListOptions, asked: number, total: number): number | undefined {
  const { limit = 'capped', defaultLimit = 20, maxLimit = 100 } = options;
  if (limit === 'ignored') return defaultLimit;
  if (limit === 'raised') return Math.max(asked, defaultLimit);
  if (limit === 'rejected above' && asked > maxLimit) return undefined;
  if (limit === 'rejected below' && asked < defaultLimit) return undefined;
  // A list that is shorter than a page shows nobody which limit that is.
  if (limit === 'multiples' && asked % Math.min(defaultLimit, total || 1)) return undefined;
  return Math.min(asked, maxLimit);
}
