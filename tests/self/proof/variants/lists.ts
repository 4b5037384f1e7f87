import { customers } from '../../../../mock/customers.ts';
import { createFeeRule } from '../../../../mock/records.ts';
import type { MockResponse } from '../../../../mock/responses.ts';
import type { Alter, MockRequest } from '../../../../mock/server.ts';
import { altering, answering, applyInOrder, type Condition, readData, set } from '../../harness/edits.ts';
import {
  answerLookupsOf,
  assign,
  createVariants,
  echoParameters,
  type Fields,
  listFeeRules,
  removeFields,
  replaceListedCustomers,
  type Variant,
} from './variant.ts';

const allCustomers: Fields[] = customers.map(({ customer }) => ({ ...customer }));
const readOffset = ({ parameters }: MockRequest) => Number(parameters.offset ?? 0);
const readLimit = ({ parameters }: MockRequest, defaultLimit = 20) =>
  Number(parameters.limit ?? defaultLimit);

const thousandCustomers = Array.from({ length: 1000 }, (_, index) => ({
  ...allCustomers[index % allCustomers.length],
  uuid: `cus-${index}`,
}));
const rejection = { status: 400, body: { code: 400, message: 'out of bounds', data: null } };
const redirection = { status: 302, headers: { location: '/' }, raw: '' };
const rejectList = (when: Condition) => answering('listCustomers', when, rejection);
const isAmidPage: Condition = (request) => readOffset(request) % readLimit(request) > 0;

/** Providers that reject some values of `limit`, as the contract allows (section 8). */
const limitRows: [limits: string, defaultLimit: number, isRejected: (limit: number) => boolean][] = [
  ['above 50', 20, (limit) => limit > 50],
  ['above 5', 5, (limit) => limit > 5],
  ['below 25', 25, (limit) => limit < 25],
  ['that is no multiple of 15', 15, (limit) => limit % 15 > 0],
  ['other than 32', 32, (limit) => limit !== 32],
];

/** Creates an `Alter` for a list of `total` customers in which `offset` counts pages. */
const countPages = (total: number, answerAfterEnd: Partial<MockResponse>, defaultLimit?: number): Alter =>
  altering('listCustomers', (response, request) => {
    const limit = readLimit(request, defaultLimit);
    const start = readOffset(request) * limit;
    const page = allCustomers.slice(0, total).slice(start, start + limit);
    const isAfterEnd = start > 0 && page.length === 0;
    if (isAfterEnd) return { ...response, ...answerAfterEnd };
    return set('data/customers', page)(response, request);
  });

const endingRows: [total: number, name: string, answerAfterEnd: Partial<MockResponse>][] = [
  [2, 'HTTP 400', rejection],
  [3, 'HTTP 500', { status: 500, raw: '' }],
  [12, 'HTTP 200 and code 404', { body: { code: 404, message: 'no such page', data: null } }],
  [13, 'HTTP 200 and a code of text', { body: { code: 'NOT_FOUND', message: 'no such page', data: {} } }],
  [
    17,
    'HTTP 200, a code of text and an empty list',
    { body: { code: 'NO_MORE', message: 'no such page', data: { customers: [] } } },
  ],
  // Jackson writes a field that was never set as null, and an enum with `JsonFormat.Shape.OBJECT` as an object.
  [15, 'HTTP 200 and code null', { body: { code: null, message: 'no such page', data: null } }],
  [16, 'HTTP 200 and an object as code', { body: { code: { value: 404 }, message: 'no', data: {} } }],
  [14, 'HTTP 200 and no success', { body: { success: false, data: [] } }],
  [19, 'HTTP 204', { status: 204, raw: '' }],
  [20, 'HTTP 422', { ...rejection, status: 422 }],
  [45, 'HTTP 302', redirection],
];

const selectPage = (customers: Fields[], request: MockRequest) =>
  customers.slice(readOffset(request), readOffset(request) + readLimit(request));

const countPagesFromOne = replaceListedCustomers((_, request) => {
  // Both `offset=0` and `offset=1` are the first page.
  const pageIndex = Math.max(0, readOffset(request) - 1);
  const start = pageIndex * readLimit(request);
  return allCustomers.slice(start, start + readLimit(request));
});

// The second page begins with the second customer of the first page, as if `offset` counted customers.
const countPagesInRandomOrder = applyInOrder(
  countPages(21, { status: 204, raw: '' }),
  altering('listCustomers', (response, request) => {
    const isSecondPage = readOffset(request) === 1 && readLimit(request) === 20;
    return isSecondPage
      ? set('data/customers', [allCustomers[1], allCustomers[20]])(response, request)
      : response;
  }),
);

/** Providers that page or filter the customers list unusually (contract 4.2 and 8). */
const pageVariants: Variant[] = [
  ...createVariants('choices', {
    'limit is ignored': { limitIgnored: true },
    'offset is ignored': { offsetCounts: 'ignored' },
    'limit and offset are ignored': { limitIgnored: true, offsetCounts: 'ignored' },
    'offset counts pages': { offsetCounts: 'pages' },
    'pages of one unless said otherwise': { defaultLimit: 1 },
    'pages of a hundred unless said otherwise': { defaultLimit: 100 },
    'pages of three at most': { maxLimit: 3 },
    'customers linked to a user unless said otherwise': { defaultSource: 'User' },
    'customers linked to a store unless said otherwise': { defaultSource: 'Store' },
  }),
  ...limitRows.flatMap(([limits, defaultLimit, isRejected]) =>
    [rejection, { ...rejection, status: 200 }, redirection].map((response) => ({
      name: `a limit ${limits} is rejected with HTTP ${response.status}`,
      choices: { defaultLimit },
      alter: answering(
        'listCustomers',
        ({ parameters: { limit = defaultLimit } }) => isRejected(Number(limit)),
        response,
      ),
    })),
  ),
  ...createVariants('alter', {
    'offset counts pages from one': countPagesFromOne,
    'offset counts pages from one, and 0 is rejected': applyInOrder(
      countPagesFromOne,
      rejectList(({ parameters }) => parameters.offset === '0'),
    ),
    'offset counts pages, and the page without limit is the whole list': countPages(45, rejection, 100),
    'offset counts pages, in random order': countPagesInRandomOrder,
    'an offset amid a page is rejected': rejectList(isAmidPage),
    'an offset amid a page is answered with HTTP 500': answering('listCustomers', isAmidPage, {
      status: 500,
      raw: '',
    }),
    'three customers, and an offset amid a page is rejected': applyInOrder(
      replaceListedCustomers((_, request) => selectPage(allCustomers.slice(0, 3), request)),
      rejectList(isAmidPage),
    ),
    // Elasticsearch rejects offsets beyond its `max_result_window` like this.
    'an offset of 20 or more is rejected': rejectList((request) => readOffset(request) >= 20),
    'a list of 20 customers, and any offset beyond them answered with HTTP 500': applyInOrder(
      replaceListedCustomers((_, request) => selectPage(allCustomers.slice(0, 20), request)),
      answering('listCustomers', (request) => readOffset(request) >= 20, { status: 500, raw: '' }),
    ),
    'a limit above 5 is rejected for customers linked to a store': rejectList(
      ({ parameters: { linked_source_type: source, limit = '0' } }) =>
        source === 'Store' && Number(limit) > 5,
    ),
    'linked_source_type is ignored': replaceListedCustomers((_, request) =>
      selectPage(allCustomers, request),
    ),
  }),
  ...[1, 5, 10, 15, 25, 30, 50, 100].map((size) => ({
    name: `three customers, and a limit other than ${size} is rejected`,
    alter: applyInOrder(
      replaceListedCustomers((_, request) => selectPage(allCustomers.slice(0, 3), request)),
      rejectList(({ parameters: { limit = size } }) => Number(limit) !== size),
    ),
  })),
  ...endingRows.map(([total, name, answerAfterEnd]) => ({
    name: `pages of ${total} customers, and one beyond them answered with ${name}`,
    alter: countPages(total, answerAfterEnd),
  })),
];

const listNobody = replaceListedCustomers(() => []);
const isLinkedToStore: Condition = ({ parameters }) => parameters.linked_source_type === 'Store';
const hasOffset: Condition = ({ parameters }) => 'offset' in parameters;
const listNobodyOfStore = replaceListedCustomers((usual, request) => (isLinkedToStore(request) ? [] : usual));

const listOneCustomer = replaceListedCustomers((usual, request) => {
  return readOffset(request) > 0 ? [] : usual.slice(0, 1);
});
const listThousandCustomers = replaceListedCustomers(() => thousandCustomers);
const repeatLastPage = replaceListedCustomers((usual) => {
  return usual.length < 20 ? allCustomers.slice(-20) : usual;
});
const repeatFirstCustomer = replaceListedCustomers((usual) => [...usual.slice(0, 1), ...usual]);

const removeLimits = assign('card', { limits: [] });

const contentVariants = createVariants('alter', {
  'no customers': listNobody,
  'no customers linked to a store': listNobodyOfStore,
  'no customers linked to a store, and any offset in their list is rejected': applyInOrder(
    listNobodyOfStore,
    rejectList((request) => isLinkedToStore(request) && hasOffset(request)),
  ),
  'no customers, and any offset is rejected': applyInOrder(listNobody, rejectList(hasOffset)),
  'one customer': listOneCustomer,
  'a page of a thousand customers': applyInOrder(answerLookupsOf(thousandCustomers), listThousandCustomers),
  'the last page over and over': repeatLastPage,
  'the same customer twice on a page': repeatFirstCustomer,
  'no limits': removeLimits,
  'no fee rules': listFeeRules([]),
  'nothing in any list': applyInOrder(listNobody, removeLimits, listFeeRules([])),
});

const businessRules = Array.from({ length: 1000 }, (_, index) => ({ business_id: `b-${index}` }));

const addBusinessRule = altering('getFeeRules', (response) => {
  const data = readData<{ fee_rules: Fields[] }>(response);
  data.fee_rules = [...data.fee_rules, createFeeRule({ business_id: 'b' })];
  return response;
});

export const listVariants: Variant[] = [
  ...pageVariants,
  ...contentVariants,
  ...createVariants('alter', {
    'rules without and with a business': listFeeRules([{}, { business_id: 'b' }]),
    'rules of nobody': listFeeRules([{}, {}]),
    'a thousand rules': listFeeRules(businessRules),
    'rules of both kinds': applyInOrder(echoParameters('u'), addBusinessRule, echoParameters()),
    "a user's rules without the user": removeFields('feeRule', 'user_id'),
    "a user's rules with an empty user": assign('feeRule', { user_id: '' }),
  }),
];
