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
  naming,
  type Variant,
  without,
} from './variant.ts';

const everybody: Fields[] = customers.map(({ customer }) => ({ ...customer }));
const offsetOf = ({ parameters }: MockRequest) => Number(parameters.offset ?? 0);
const limitOf = ({ parameters }: MockRequest) => Number(parameters.limit ?? 20);

const rotated = (all: Fields[], by: number) => [
  ...all.slice(by % all.length),
  ...all.slice(0, by % all.length),
];
const thousand = Array.from({ length: 1000 }, (_, index) => ({
  ...everybody[index % everybody.length],
  uuid: `cus-${index}`,
}));
const rejection = { status: 400, body: { code: 400, message: 'out of bounds', data: null } };
const rejecting = (when: Condition) => answering('listCustomers', when, rejection);
const tooLong = (max: number) => rejecting(({ parameters }) => Number(parameters.limit) > max);
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

/** Pages as the contract leaves them open (contract 4.2 and 8). */
const pages: Variant[] = [
  { name: 'limit is ignored', choices: { limitIgnored: true } },
  { name: 'offset is ignored', choices: { offsetCounts: 'ignored' } },
  { name: 'limit and offset are ignored', choices: { limitIgnored: true, offsetCounts: 'ignored' } },
  { name: 'offset counts pages', choices: { offsetCounts: 'pages' } },
  {
    name: 'offset counts pages from one',
    alter: listing((_, request) => {
      const start = Math.max(0, offsetOf(request) - 1) * limitOf(request);
      return everybody.slice(start, start + limitOf(request));
    }),
  },
  ...[1, 5, 50, 100].map((defaultLimit) => ({
    name: `pages of ${defaultLimit} unless said otherwise`,
    choices: { defaultLimit },
  })),
  { name: 'pages of three at most', choices: { maxLimit: 3 } },
  {
    name: 'three customers, and a limit beyond five is rejected',
    alter: inTurn(
      listing((_, request) =>
        everybody.slice(0, 3).slice(offsetOf(request), offsetOf(request) + limitOf(request)),
      ),
      tooLong(5),
    ),
  },
  { name: 'a limit beyond seven is rejected', choices: { defaultLimit: 7 }, alter: tooLong(7) },
  { name: 'a limit below 25 is rejected', choices: { defaultLimit: 25 }, alter: tooShort(25) },
  {
    name: 'an offset amid a page is rejected',
    alter: rejecting((request) => offsetOf(request) % limitOf(request) > 0),
  },
  ...endings.map(([total, name, pastEnd]) => ({
    name: `pages of ${total} customers, and one beyond them answered with ${name}`,
    alter: paged(total, pastEnd),
  })),
  { name: 'customers linked to a user unless said otherwise', choices: { defaultSource: 'User' } },
  { name: 'customers linked to a store unless said otherwise', choices: { defaultSource: 'Store' } },
  {
    name: 'linked_source_type is ignored',
    alter: listing((_, request) => everybody.slice(offsetOf(request), offsetOf(request) + limitOf(request))),
  },
];

/** Lists of any length and order (contract 4.2, 4.4 and 2.2). */
const contents: Variant[] = [
  { name: 'no customers', alter: listing(() => []) },
  {
    name: 'no customers linked to a store',
    alter: listing((usual, { parameters }) => (parameters.linked_source_type === 'Store' ? [] : usual)),
  },
  {
    name: 'one customer',
    alter: listing((usual, request) => (offsetOf(request) > 0 ? [] : usual.slice(0, 1))),
  },
  {
    name: 'a page of a thousand customers',
    alter: inTurn(
      found(thousand),
      listing(() => thousand),
    ),
  },
  {
    name: 'a list in another order each time',
    alter: listing((usual, { ordinal }) => rotated(usual, ordinal)),
  },
  {
    name: 'the last page over and over',
    alter: listing((usual) => (usual.length < 20 ? everybody.slice(-20) : usual)),
  },
  { name: 'the same customer twice on a page', alter: listing((usual) => [...usual.slice(0, 1), ...usual]) },
  { name: 'no limits', alter: assign('card', { limits: [] }) },
  { name: 'no fee rules', alter: feeRules([]) },
  {
    name: 'nothing in any list',
    alter: inTurn(
      listing(() => []),
      assign('card', { limits: [] }),
      feeRules([]),
    ),
  },
];

const rule = { fixed_fee: '0.30', percentage_fee: '1.5' };
const rules: [string, Fields[]][] = [
  ['rules without and with a business', [rule, { ...rule, business_id: 'b' }]],
  ['rules of nobody', [rule, rule]],
  ['a thousand rules', Array.from({ length: 1000 }, (_, index) => ({ ...rule, business_id: `b-${index}` }))],
];

/** The rules of a user, and those of the business. */
const listingBoth = altering('getFeeRules', (answer) => {
  const data = dataOf<{ fee_rules: Fields[] }>(answer);
  data.fee_rules = [...data.fee_rules, { ...rule, business_id: 'b' }];
  return answer;
});

/** What the contract allows of lists. */
export const lists: Variant[] = [
  ...[...pages, ...contents].map((variant) => ({ ...variant, settings: { maxPages: 3 } })),
  ...rules.map(([name, some]) => ({ name, alter: feeRules(some) })),
  { name: 'rules of both kinds', alter: inTurn(naming('u'), listingBoth, naming()) },
  { name: "a user's rules without the user", alter: without('feeRule', 'user_id') },
  { name: "a user's rules with an empty user", alter: assign('feeRule', { user_id: '' }) },
];
