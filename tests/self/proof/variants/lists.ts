import { feeRule } from '../../../../mock/records.ts';
import { customers } from '../../../../mock/seed.ts';
import type { Alter, MockAnswer, MockRequest } from '../../../../mock/server.ts';
import { altering, answering, type Condition, dataOf, set } from '../../harness/edits.ts';
import {
  assign,
  type Fields,
  feeRules,
  found,
  inTurn,
  listing,
  named,
  naming,
  type Variant,
  without,
} from './variant.ts';

const everybody: Fields[] = customers.map(({ customer }) => ({ ...customer }));
const offsetOf = ({ parameters }: MockRequest) => Number(parameters.offset ?? 0);
const limitOf = ({ parameters }: MockRequest) => Number(parameters.limit ?? 20);

const thousand = Array.from({ length: 1000 }, (_, index) => ({
  ...everybody[index % everybody.length],
  uuid: `cus-${index}`,
}));
const rejection = { status: 400, body: { code: 400, message: 'out of bounds', data: null } };
const rejecting = (when: Condition) => answering('listCustomers', when, rejection);
const tooShort = (min: number) => rejecting(({ parameters }) => Number(parameters.limit) < min);

/** A list of which `offset` counts the pages, and the answer for a page that does not exist. */
const paged = (total: number, pastEnd: Partial<MockAnswer>): Alter =>
  altering('listCustomers', (answer, request) => {
    const start = offsetOf(request) * limitOf(request);
    const found = everybody.slice(0, total).slice(start, start + limitOf(request));
    if (start > 0 && found.length === 0) return { ...answer, ...pastEnd };
    return set('data/customers', found)(answer, request);
  });

const endings: [total: number, name: string, pastEnd: Partial<MockAnswer>][] = [
  [2, 'HTTP 400', rejection],
  [3, 'HTTP 500', { status: 500, raw: '' }],
  [12, 'HTTP 200 and code 404', { body: { code: 404, message: 'no such page', data: null } }],
  [19, 'HTTP 204', { status: 204, raw: '' }],
  [20, 'HTTP 422', { ...rejection, status: 422 }],
  [45, 'HTTP 302', { status: 302, headers: { location: '/' }, raw: '' }],
];

/** A page of some customers, of which the offset counts records. */
const pageOf = (all: Fields[], request: MockRequest) =>
  all.slice(offsetOf(request), offsetOf(request) + limitOf(request));

const fromPageOne = listing((_, request) => {
  const start = Math.max(0, offsetOf(request) - 1) * limitOf(request);
  return everybody.slice(start, start + limitOf(request));
});

/** Pages as the contract leaves them open (contract 4.2 and 8). */
const pages: Variant[] = [
  ...named('choices', {
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
  { name: 'a limit below 25 is rejected', choices: { defaultLimit: 25 }, alter: tooShort(25) },
  ...named('alter', {
    'offset counts pages from one': fromPageOne,
    'an offset amid a page is rejected': rejecting((request) => offsetOf(request) % limitOf(request) > 0),
    // As Elasticsearch rejects what is beyond its `max_result_window`.
    'an offset of 20 or more is rejected': rejecting((request) => offsetOf(request) >= 20),
    'a list of 20 customers, and any offset beyond them answered with HTTP 500': inTurn(
      listing((_, request) => pageOf(everybody.slice(0, 20), request)),
      answering('listCustomers', (request) => offsetOf(request) >= 20, { status: 500, raw: '' }),
    ),
    'linked_source_type is ignored': listing((_, request) => pageOf(everybody, request)),
  }),
  ...[10, 50, 100].map((size) => ({
    name: `three customers, and a limit other than ${size} is rejected`,
    alter: inTurn(
      listing((_, request) => pageOf(everybody.slice(0, 3), request)),
      rejecting(({ parameters: { limit = size } }) => Number(limit) !== size),
    ),
  })),
  ...endings.map(([total, name, pastEnd]) => ({
    name: `pages of ${total} customers, and one beyond them answered with ${name}`,
    alter: paged(total, pastEnd),
  })),
];

const nobody = listing(() => []);
const noLimits = assign('card', { limits: [] });

/** Lists of any length and order (contract 4.2, 4.4 and 2.2). */
const contents = named('alter', {
  'no customers': nobody,
  'no customers linked to a store': listing((usual, { parameters }) =>
    parameters.linked_source_type === 'Store' ? [] : usual,
  ),
  'one customer': listing((usual, request) => (offsetOf(request) > 0 ? [] : usual.slice(0, 1))),
  'a page of a thousand customers': inTurn(
    found(thousand),
    listing(() => thousand),
  ),
  'the last page over and over': listing((usual) => (usual.length < 20 ? everybody.slice(-20) : usual)),
  'the same customer twice on a page': listing((usual) => [...usual.slice(0, 1), ...usual]),
  'no limits': noLimits,
  'no fee rules': feeRules([]),
  'nothing in any list': inTurn(nobody, noLimits, feeRules([])),
});

const ofBusinesses = Array.from({ length: 1000 }, (_, index) => ({ business_id: `b-${index}` }));

/** The rules of a user, and those of the business. */
const listingBoth = altering('getFeeRules', (answer) => {
  const data = dataOf<{ fee_rules: Fields[] }>(answer);
  data.fee_rules = [...data.fee_rules, feeRule({ business_id: 'b' })];
  return answer;
});

export const lists: Variant[] = [
  ...[...pages, ...contents].map((variant) => ({ ...variant, settings: { maxPages: 3 } })),
  ...named('alter', {
    'rules without and with a business': feeRules([{}, { business_id: 'b' }]),
    'rules of nobody': feeRules([{}, {}]),
    'a thousand rules': feeRules(ofBusinesses),
    'rules of both kinds': inTurn(naming('u'), listingBoth, naming()),
    "a user's rules without the user": without('feeRule', 'user_id'),
    "a user's rules with an empty user": assign('feeRule', { user_id: '' }),
  }),
];
