import { expect, test } from '@playwright/test';
import type { HttpResponse } from '../../../schemas/judge/judgement.ts';
import {
  type Halves,
  limitMayBeRejected,
  offsetMayBeRejected,
  type Page,
  pageMayNotExist,
} from '../../exchanges/listCustomers/paging.ts';
import { maxConfirmations } from '../../relations/confirm.ts';
import { json } from '../harness/examples.ts';
import { resultsByProfile } from '../harness/provider.ts';
import { runAgainstPages } from './paging-client.ts';
import { list, type Pages, type Paging, pagesOf, usual } from './paging-provider.ts';

const page = (identities: string[], outcome: Partial<Page> = {}): Page => ({
  answered: true,
  rejected: false,
  ...outcome,
  content: { length: identities.length, identities, samples: [] },
});
const rejected = page([], { rejected: true });
const unanswered = page([], { answered: false });
const all = page(['a', 'b', 'c', 'd']);
const halves: Halves = { limit: 2, first: page(['a', 'b']), moved: rejected, aligned: rejected };

const offsets: [name: string, halves: Halves | undefined, mayBeRejected: boolean][] = [
  ['too few customers are listed', undefined, true],
  ['every offset is rejected', halves, false],
  ['offset counts records elsewhere', { ...halves, moved: page(['b', 'c']) }, false],
  ['offset counts pages elsewhere', { ...halves, moved: page(['c', 'd']) }, true],
  ['any offset is a multiple of the limit', { ...halves, limit: 1, moved: page(['b']) }, true],
  ['a multiple of the limit is accepted', { ...halves, aligned: page(['c', 'd']) }, true],
  ['the limit does not hold', { ...halves, first: all }, true],
  ['the limit is rejected', { ...halves, first: rejected }, true],
  ['the second page got no response', { ...halves, moved: unanswered }, true],
  ['the multiple of the limit got no response', { ...halves, aligned: unanswered }, true],
];

for (const [name, some, mayBeRejected] of offsets) {
  test(`offset 1 ${mayBeRejected ? 'may' : 'may not'} be rejected where ${name}`, () => {
    expect(offsetMayBeRejected(all, some)).toBe(mayBeRejected);
  });
}

const limits: [name: string, limit: number, others: Page[], mayBeRejected: boolean][] = [
  ['no other is accepted', 3, [rejected, rejected], false],
  ['another is accepted', 3, [rejected, page(['a'])], true],
  ['another is accepted, and nothing listed', 3, [page([])], true],
  ['a whole list has that length', 4, [all], true],
  ['a full page has that length', 4, [page(['a', 'b', 'c', 'd', 'e'])], false],
  ['another got no response', 3, [unanswered], true],
];

for (const [name, limit, others, mayBeRejected] of limits) {
  test(`a limit ${mayBeRejected ? 'may' : 'may not'} be rejected where ${name}`, () => {
    expect(limitMayBeRejected(limit, all, others)).toBe(mayBeRejected);
  });
}

test('no limit may be rejected where nothing shows how long a page is', () => {
  expect(limitMayBeRejected(3, rejected, [all])).toBe(false);
});

const ends: [name: string, offset: number, known: number, before: Page | undefined, mayBeMissing: boolean][] =
  [
    ['offset counts something else', 20, 0, undefined, true],
    ['more customers are known', 20, 21, undefined, false],
    ['the page before it holds two', 40, 40, page(['a', 'b']), false],
    ['the page before it holds one', 40, 40, page(['a']), true],
    ['the page before it is rejected', 40, 40, rejected, true],
  ];

for (const [name, offset, known, before, mayBeMissing] of ends) {
  test(`a page ${mayBeMissing ? 'may' : 'may not'} be missing where ${name}`, () => {
    expect(pageMayNotExist({ offset, known }, before)).toBe(mayBeMissing);
  });
}

const conforming: [name: string, paging: Partial<Paging>][] = [
  [
    'an offset amid a page is rejected, and one without limit ignored',
    { total: 40, defaultLimit: 100, needsLimit: true, aligned: true },
  ],
  [
    'no limit above one is accepted, and nothing listed',
    { total: 0, defaultLimit: 1, limit: 'rejected above' },
  ],
  ['fewer are listed than the least limit', { total: 12, defaultLimit: 25, limit: 'rejected below' }],
  ['limit is ignored, and there is no second page', { total: 20, offset: 'pages', limit: 'ignored' }],
  ['only pages begin', { total: 45, aligned: true, pastEnd: 'empty' }],
];

for (const [name, paging] of conforming) {
  test(`nothing is found where ${name}; only error responses are left unjudged`, async () => {
    const { observations } = await runAgainstPages(pagesOf({ ...usual, ...paging }), 3);
    const lists = observations.filter(({ operation }) => operation === 'listCustomers');
    expect(lists.flatMap(({ findings }) => findings)).toEqual([]);
    expect(lists.map(({ expectsSuccess }) => expectsSuccess)).toEqual(
      lists.map(({ status }) => status === 200),
    );
  });
}

/** Three customers of a page of five; no more may be requested, and a limit of three is answered with a status. */
async function resultsOfThree(status: number) {
  const pages = pagesOf({ ...usual, total: 3, defaultLimit: 5, limit: 'rejected above' });
  const answer = json(status, { code: status, message: 'no', data: null });
  const { observations } = await runAgainstPages((query) => {
    return /^limit=3(&linked|$)/.test(`${query}`) ? answer : pages(query);
  }, 1);
  const lists = observations.filter(({ operation }) => operation === 'listCustomers');
  return resultsByProfile(lists, {}, 'asked').documented;
}

for (const status of [429, 502, 503, 504])
  test(`a limit that is answered with ${status} blocks: nobody knows whether it is accepted`, async () => {
    const { violated, blocked } = await resultsOfThree(status);
    expect(violated).toEqual([]);
    expect(blocked).toContain('listCustomers/http/status');
  });

test('a limit is found to be rejected where no other one is accepted', async () => {
  expect((await resultsOfThree(404)).violated).toEqual(['listCustomers/parameters/limit']);
});

const ok = json(200, {});
const broken: [name: string, answer: HttpResponse, address: string][] = [
  ['an empty body', { ...ok, body: Buffer.alloc(0) }, 'http/json'],
  ['a body cut short', { ...ok, body: Buffer.from('{"code":200,"data":{"cus') }, 'http/json'],
  ['a web page', { ...ok, contentType: 'text/html', body: Buffer.from('<p>') }, 'http/content-type'],
  ['an empty list without a code', json(200, { message: 'ok', data: { customers: [] } }), 'code'],
  ['its code as a text', json(200, { code: '200' }), 'code'],
  ['customers beside another code', json(200, { code: 0, data: { customers: [{}] } }), 'code'],
];

/** What is observed of the list at offset 1, where nothing shows that this page must exist. */
async function movedPage(answer: HttpResponse, offset: Paging['offset']) {
  const pages = pagesOf({ ...usual, offset });
  const isMoved = (query: URLSearchParams) => `${query}` === 'offset=1';
  const { observations } = await runAgainstPages((query) => (isMoved(query) ? answer : pages(query)), 1);
  return observations.find(({ exchange }) => exchange.endsWith('customers?offset=1'));
}

for (const offset of ['pages', 'ignored'] as const)
  for (const [name, answer, address] of broken) {
    test(`HTTP 200 with ${name} is a broken success (offset counts ${offset})`, async () => {
      const moved = await movedPage(answer, offset);
      expect(moved?.findings.map(({ requirement }) => requirement)).toContain(`listCustomers/${address}`);
      expect(moved?.visits).toHaveProperty(['listCustomers/parameters/offset']);
    });
  }

for (const error of [
  { code: 404, data: null },
  { code: 1, data: { customers: [] } },
  { code: 'E1', message: 'no' },
  { error: 'bad' },
])
  test(`HTTP 200 with ${JSON.stringify(error)} is an error response`, async () => {
    expect(await movedPage(json(200, error), 'pages')).toMatchObject({ findings: [], visits: {} });
  });

test('a page that must exist is judged, though it also settles something else', async () => {
  const pages = pagesOf({ ...usual, total: 40, defaultLimit: 40 });
  const { observations } = await runAgainstPages((query) => {
    const missing = query.get('offset') === '20' || `${query}` === 'offset=1';
    return missing ? usual.error : pages(query);
  }, 3);
  const found = observations.flatMap(({ findings }) => findings).map(({ exchange }) => exchange);
  expect(found).toContainEqual(expect.stringMatching(/customers\?limit=20&offset=20$/));
});

const sixty = Array.from({ length: 60 }, (_, index) => ({ uuid: `cus-${index}` }));

/** Rejects each limit but a half and the last one that is tried, each offset but those of the latter, and 42 of these. */
const reluctant: Pages = (query) => {
  const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
  if (limit === 100) return offset < 42 ? list(sixty.slice(offset, offset + 21)) : usual.error;
  const isAccepted = offset === 0 && (!query.has('limit') || limit === 11);
  return isAccepted ? list(sixty.slice(0, limit)) : usual.error;
};

test('as many requests are announced as it may take, and no more', async () => {
  const { sent, maxRequests } = await runAgainstPages(reluctant, 3);
  const lists = sent.filter((path) => /customers(\?|$)/.test(path));
  // What remains are the 40 lookups of listed customers, the two types of fee rules, and what may be asked again.
  expect(lists.length).toBe(maxRequests - 40 - 2 - maxConfirmations);
});
