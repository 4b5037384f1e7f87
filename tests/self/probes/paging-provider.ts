import fc from 'fast-check';
import type { HttpResponse } from '../../../schemas/judge/judgement.ts';
import type { Blocked } from '../../client/http-client.ts';
import { json } from '../harness/examples.ts';

/** Replies to a request for customers. */
export type Pages = (query: URLSearchParams) => HttpResponse | Blocked;

/** What the contract leaves open of a list, as one provider might have settled it (contract 4.2, 7 and 8). */
export interface Paging {
  total: number;
  defaultLimit: number;
  limit: 'any' | 'ignored' | 'capped' | 'raised' | 'rejected below' | 'rejected above' | 'multiples';
  offset: 'records' | 'pages' | 'pages from one' | 'bytes' | 'pairs' | 'page starts' | 'ignored';
  /** Whether `offset` is ignored where `limit` is left out. */
  needsLimit: boolean;
  /** Whether an offset that is no multiple of the limit is rejected. */
  aligned: boolean;
  pastEnd: 'empty' | 'rejected' | 'first page' | 'last page';
  error: HttpResponse;
  ofStore: 'all' | 'none' | 'every third';
}

const error = (status: number, code = status) => json(status, { code, message: 'out of bounds', data: null });

const errors = [
  ...[400, 404, 416, 422, 500, 501].map((status) => error(status)),
  error(200, 404),
  { ...error(204), body: Buffer.alloc(0) },
  { ...error(404), contentType: 'text/html', body: Buffer.from('<p>no such page') },
];

/** Lists of six pages, whose end is an error response. */
export const usual: Paging = {
  total: 120,
  defaultLimit: 20,
  limit: 'any',
  offset: 'records',
  needsLimit: false,
  aligned: false,
  pastEnd: 'rejected',
  error: json(400, { code: 400, message: 'out of bounds', data: null }),
  ofStore: 'all',
};

/** Lists that keep the contract, with any open choice. */
export const conformingPaging: fc.Arbitrary<Paging> = fc.record({
  total: fc.integer({ min: 0, max: 120 }),
  defaultLimit: fc.constantFrom(1, 2, 3, 5, 7, 10, 12, 20, 25, 40, 50, 100),
  limit: fc.constantFrom(
    'any',
    'ignored',
    'capped',
    'raised',
    'rejected below',
    'rejected above',
    'multiples',
  ),
  offset: fc.constantFrom('records', 'pages', 'pages from one', 'bytes', 'pairs', 'page starts', 'ignored'),
  needsLimit: fc.boolean(),
  aligned: fc.boolean(),
  pastEnd: fc.constantFrom('empty', 'rejected', 'first page', 'last page'),
  error: fc.constantFrom(...errors),
  ofStore: fc.constantFrom('all', 'none', 'every third'),
});

const customer = (number: number) => ({
  uuid: `cus-${number}`,
  dial_code: '+1',
  reference_number: 'r',
  ...(number % 2 ? { name: 'A' } : {}),
});

/** A customer for each number. */
const numbered = (paging: Paging) => Array.from({ length: paging.total }, (_, number) => number);

/** A stable provider: the same request is always answered alike. @param numbers of the customers whom it lists */
export function pagesOf(paging: Paging, numbers = numbered(paging)): Pages {
  return (query) => {
    const ofStore = query.get('linked_source_type') === 'Store';
    const listed = numbers.filter((number) => !ofStore || belongs(paging, number)).map(customer);
    const limit = limitOf(paging, query);
    const start = limit === undefined ? undefined : startOf(paging, query, limit);
    if (limit === undefined || start === undefined) return paging.error;
    const found = listed.slice(start, start + limit);
    return start === 0 || found.length > 0 ? list(found) : pastEndOf(paging, listed, limit);
  };
}

export const list = (customers: unknown[]) => json(200, { code: 200, message: 'ok', data: { customers } });

const belongs = ({ ofStore }: Paging, number: number) =>
  ofStore === 'all' || (ofStore === 'every third' && number % 3 === 0);

/** How long a page is; undefined where the limit is rejected. */
function limitOf({ limit, defaultLimit, total }: Paging, query: URLSearchParams): number | undefined {
  if (!query.has('limit')) return defaultLimit;
  const asked = Number(query.get('limit'));
  const accepts: Record<Paging['limit'], number | undefined> = {
    any: asked,
    ignored: defaultLimit,
    capped: Math.min(asked, defaultLimit),
    raised: Math.max(asked, defaultLimit),
    'rejected below': asked < defaultLimit ? undefined : asked,
    'rejected above': asked > defaultLimit ? undefined : asked,
    // A list that is shorter than a page shows nobody which limit that is.
    multiples: asked % Math.min(defaultLimit, total || 1) ? undefined : asked,
  };
  return accepts[limit];
}

/** Where a page starts; undefined where the offset is rejected. */
function startOf(paging: Paging, query: URLSearchParams, limit: number): number | undefined {
  if (paging.needsLimit && !query.has('limit')) return 0;
  const offset = Number(query.get('offset') ?? 0);
  const step = Number(query.get('limit') ?? limit);
  const starts: Record<Paging['offset'], number> = {
    records: offset,
    pages: offset * limit,
    'pages from one': Math.max(0, offset - 1) * limit,
    bytes: Math.ceil(offset / 90),
    pairs: 2 * offset,
    'page starts': offset - (offset % limit),
    ignored: 0,
  };
  return paging.aligned && paging.offset === 'records' && offset % step > 0
    ? undefined
    : starts[paging.offset];
}

function pastEndOf({ pastEnd, offset, error }: Paging, listed: unknown[], limit: number): HttpResponse {
  // Two or three customers have no second page of pairs, and nothing tells a client so.
  if (pastEnd === 'empty' || offset === 'pairs') return list([]);
  if (pastEnd === 'rejected') return error;
  return list(pastEnd === 'first page' ? listed.slice(0, limit) : listed.slice(-limit));
}

/** A customer who comes or goes, at one place of the list, when the n-th list is requested. */
export interface Change {
  kind: 'added' | 'removed';
  place: number;
  request: number;
}

/** Any single change, at any time. */
export const anyChange: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('added', 'removed'),
  place: fc.oneof(fc.constantFrom(0, 1000), fc.nat(120)),
  request: fc.integer({ min: 1, max: 60 }),
});

/** A provider whose list changes once, and whom it knows. */
export function movingPages(paging: Paging, { kind, place, request }: Change) {
  let requests = 0;
  let numbers = numbered(paging);
  const pages: Pages = (query) => {
    requests += 1;
    const last = numbers.length - (kind === 'added' ? 0 : 1);
    const at = Math.max(0, Math.min(place, last));
    if (requests === request)
      numbers = kind === 'added' ? numbers.toSpliced(at, 0, numbers.length) : numbers.toSpliced(at, 1);
    return pagesOf(paging, numbers)(query);
  };
  return { pages, knows: (uuid: string) => numbers.some((number) => uuid === `cus-${number}`) };
}
