import { readFileSync } from 'node:fs';
import type { Choices } from '../../../mock/choices.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { altering, contentType, set } from '../harness/edits.ts';
import { inTurn } from '../proof/variants/variant.ts';

/** A provider, what it chose, and how it differs from the usual one beside. */
export type AnswerCase = [name: string, choices: Partial<Choices>, ...alters: Alter[]];

const card = (name: string, value: unknown) => altering('getCard', set(`data/card/${name}`, value));
const customer = (name: string, value: unknown) =>
  altering('getCustomer', set(`data/customer/${name}`, value));
const listed = (name: string, value: unknown) =>
  altering('listCustomers', set(`data/customers/0/${name}`, value));

const limited = { 'X-RateLimit-Limit': '100', ETag: '"a1"', 'Cache-Control': 'private, max-age=60' };
const counting = { 'X-Total-Count': '75', 'X-Page-Count': '4' };
const announcing = { Server: 'Nginx/1.2 (host-7)', Sunset: 'Sat', Deprecation: '@1', ...counting };
const nines = [{ fixed_fee: '9.00', percentage_fee: '9.00' }];
const docs = { headers: { 'content-type': 'text/html' }, raw: '<p>documentation</p>' };
const withName = { code: 40012, 'Ada Lovelace': 1, who: 'Ada' };

/** Other answers to an unknown record. */
const unlessFound =
  (other: Partial<MockAnswer>): Alter =>
  (answer) =>
    answer.status === 404 ? { ...answer, ...other } : answer;

const redirecting: Alter = (answer, { path }) =>
  path.endsWith('/') ? { ...answer, status: 308, body: {} } : answer;
const rejectedByName: Alter = (answer, { operation }) =>
  answer.status === 400 && operation === 'getFeeRules' ? { ...answer, body: withName } : answer;
const documenting: Alter = (answer, { headers }) =>
  headers.accept === 'text/html' ? { ...answer, ...docs } : answer;

/** Providers that made other open choices: each answer that differs is the work of one of them. */
export const answerCases: AnswerCase[] = [
  [
    'pages that are counted, and strict media types',
    {
      ...{ offsetCounts: 'pages', zeroLimit: 'rejected', repeatedParameter: 'first', strictAccept: true },
      ...{ trailingSlash: 'accepted', headers: limited },
    },
    card('status', 'OnHold'),
    altering('getCard', set('message', 'OK')),
    altering('getFeeRules', set('data/fee_rules/0/fixed_fee', '1,5')),
  ],
  [
    'an offset that is ignored, and headers',
    { offsetCounts: 'ignored', defaultSource: 'User', caseSensitiveEnums: false, headers: announcing },
  ],
  [
    'a limit that is ignored, and web pages',
    { limitIgnored: true, defaultSource: 'Store', rejection: 'html', unknownParameters: 'rejected' },
    altering('listCustomers', set('data/total', 75)),
  ],
  [
    'small pages, and other forms of numbers',
    { defaultLimit: 10, maxLimit: 50, rejection: 'http-200' },
    card('limits/0/used_amount', '0.001'),
    altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
    customer('default_payment_token/credit_card/number', '4242424242424242'),
    listed('default_payment_token/state', 'Expired'),
  ],
  [
    'records that are gone',
    {},
    unlessFound({ status: 410, body: {} }),
    customer('default_payment_token/credit_card', {}),
    altering('getCard', contentType('application/json')),
    altering('getCustomer', contentType('application/json; Charset="UTF-8"')),
  ],
  [
    'words that may not be shown',
    {},
    redirecting,
    altering('getFeeRules', set('message', 'Found 12 rules that are of use')),
    altering('getFeeRules', set('data/fee_rules', nines), ({ path }) => path.includes('business&user_id')),
    // No single word; a word of another value of the response; a word of another response.
    card('status', 'On Hold'),
    inTurn(card('type', 'Lovelace'), card('title', 'Ada LOVELACE')),
    inTurn(customer('default_payment_method', 'Lovelace'), listed('name', 'Ada LOVELACE')),
  ],
  ['a name of a field that may not be shown', {}, rejectedByName, documenting],
  ['another success', {}, unlessFound({ status: 201 })],
];

/** What the mock answers, by what its choices and its data are. */
export const defaultAnswers: Record<string, string> = Object.fromEntries(
  readFileSync(new URL('evidence/usual.txt', import.meta.url), 'utf8')
    .split('\n\n')
    .map((text) => /^(\S+): (.*), \w+$/m.exec(text)?.slice(1) ?? []),
);
