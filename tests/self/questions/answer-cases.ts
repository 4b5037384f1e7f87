import type { Choices } from '../../../mock/choices.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { altering, contentType, set } from '../harness/edits.ts';
import { inTurn } from '../proof/variants/variant.ts';

/** What a provider chose, how it differs from the usual one beside, and exactly the answers that follow, by question. */
export type AnswerCase = [choices: Partial<Choices>, alters: Alter[], answers: Record<string, string>];

const all = (ids: string, answer: string) => Object.fromEntries(ids.split(' ').map((id) => [id, answer]));
const card = (name: string, value: unknown) => altering('getCard', set(`data/card/${name}`, value));
const customer = (name: string, value: unknown) =>
  altering('getCustomer', set(`data/customer/${name}`, value));
const listed = (name: string, value: unknown) =>
  altering('listCustomers', set(`data/customers/0/${name}`, value));

const decimals = '1 decimal as text, 2 decimals as text, 3 decimals as text, ';
const errorForm = 'HTTP 4xx with JSON of code, data, message';

const limited = { 'X-RateLimit-Limit': '100', ETag: '"a1"', 'Cache-Control': 'private, max-age=60' };
const announcing = { Server: 'nginx/1.2 (host-7)', Sunset: 'Sat', Deprecation: '@1', 'X-Total-Count': '75' };
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

/** Providers that made other open choices: each answer is the work of one of them. */
export const answerCases: AnswerCase[] = [
  [
    {
      ...{ offsetCounts: 'pages', zeroLimit: 'rejected', repeatedParameter: 'first', strictAccept: true },
      ...{ trailingSlash: 'accepted', headers: limited },
    },
    [card('status', 'OnHold'), altering('getCard', set('message', 'OK'))],
    {
      ...{ 'offset-unit': 'pages', 'limit-zero': 'refused as 400', 'repeated-parameter': 'the first' },
      ...all('accept-any accept-other', 'refused as 406'),
      ...{ 'trailing-slash': 'the same', 'card-statuses': 'OnHold', 'success-message': 'OK, success' },
      'rate-limit-headers': 'x-ratelimit-limit',
      'caching-headers': 'cache-control (max-age private), etag',
    },
  ],
  [
    { offsetCounts: 'ignored', defaultSource: 'User', caseSensitiveEnums: false, headers: announcing },
    [],
    {
      ...{ 'offset-unit': 'nothing', 'beyond-the-end': 'customers' },
      ...all('offset-negative offset-not-numeric', 'as if it were not there'),
      ...{ 'omitted-source': 'those of User', 'source-letter-case': 'as if written as documented' },
      ...{ 'type-letter-case': 'the rules of the business', 'server-headers': 'server (nginx)' },
      ...{ 'version-headers': 'deprecation, sunset', 'total-announced': 'header x-total-count' },
    },
  ],
  [
    { limitIgnored: true, defaultSource: 'Store', rejection: 'html', unknownParameters: 'rejected' },
    [altering('listCustomers', set('data/total', 75))],
    {
      ...{ 'limit-honoured': 'no', 'greatest-page-size': '20', 'repeated-parameter': 'neither' },
      ...all('limit-negative limit-not-numeric limit-zero', 'as if it were not there'),
      ...{ 'omitted-source': 'those of Store', 'refusal-form': 'HTTP 4xx with an HTML page' },
      ...all('unknown-parameter long-request', 'refused as 400'),
      'total-announced': 'field total',
    },
  ],
  [
    { defaultLimit: 10, maxLimit: 50, rejection: 'http-200' },
    [
      card('limits/0/used_amount', '0.001'),
      altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
      customer('default_payment_token/credit_card/number', '4242424242424242'),
      listed('default_payment_token/state', 'Expired'),
    ],
    {
      ...{ 'default-page-size': '10', 'greatest-page-size': '50' },
      'refusal-form': 'HTTP 200 with JSON of code, data, message',
      'limit-amount-forms': `${decimals}an integer as text`,
      'fee-forms': `${decimals}a JSON number, an integer as text`,
      'card-number-form': 'first 6 and last 4 digits, not masked',
      'token-states': 'Active, Expired, Failed, Pending',
    },
  ],
  [
    {},
    [
      unlessFound({ status: 410, body: {} }),
      customer('default_payment_token/credit_card', {}),
      altering('getCard', contentType('application/json')),
    ],
    {
      ...all('unknown-card malformed-card unknown-customer malformed-customer', 'refused as 410'),
      ...all('unknown-user trailing-slash', 'refused as 410'),
      'refusal-form': `${errorForm}; HTTP 4xx with JSON of other fields`,
      'credit-card-presence': 'AlipayAutoDebit sometimes, CreditCard always, WechatPayAutoDebit sometimes',
      'media-type-parameters': 'charset=utf-8, none',
    },
  ],
  [
    {},
    [
      redirecting,
      altering('getFeeRules', set('data/fee_rules', nines), ({ path }) => path.includes('business&user_id')),
      // No single word; a word of another value of the response; a word of another response.
      card('status', 'On Hold'),
      inTurn(card('type', 'Lovelace'), card('title', 'Ada LOVELACE')),
      inTurn(customer('default_payment_method', 'Lovelace'), listed('name', 'Ada LOVELACE')),
    ],
    {
      ...{ 'trailing-slash': 'answered HTTP 308', 'user-id-with-business': 'other rules' },
      'card-statuses': 'a string of 7 characters, shaped "Aa Aaaa"',
      'card-types': 'a string of 8 characters, shaped "Aaaaaaaa"',
      'payment-methods': 'AlipayAutoDebit, BankTransfer, CreditCard, Lovelace, WechatPayAutoDebit',
    },
  ],
  [
    {},
    [rejectedByName, documenting],
    {
      ...all('missing-type unknown-type type-letter-case missing-user-id empty-user-id', 'refused as 40012'),
      'refusal-form': `HTTP 4xx with JSON of (name withheld), code, who; ${errorForm}`,
      'accept-other': 'answered in another media type',
    },
  ],
  [
    {},
    [unlessFound({ status: 201 })],
    { 'refusal-form': `HTTP 201 with JSON of code, data, message; ${errorForm}` },
  ],
];

const unreadable = 'not to be found out by reading';

/** What the mock answers, by what its choices and its data are. */
export const defaultAnswers: Record<string, string> = {
  ...all('write-operations state-transitions events', unreadable),
  ...all('accept-any accept-other', 'answered in JSON'),
  'media-type-parameters': 'charset=utf-8',
  'success-message': 'success',
  'card-types': 'Physical, Prepaid, Virtual',
  'card-statuses': 'Active, Closed, Frozen, Inactive, Pending',
  'limit-periods': 'Daily, Lifetime, Monthly, Transaction',
  'limit-amount-forms': '1 decimal as text, 2 decimals as text, an integer as text',
  'payment-methods': 'AlipayAutoDebit, BankTransfer, CreditCard, WechatPayAutoDebit',
  'token-states': 'Active, Failed, Pending',
  'default-flag': 'false, true',
  'credit-card-presence': 'AlipayAutoDebit never, CreditCard always, WechatPayAutoDebit never',
  'card-number-form': 'first 6 and last 4 digits',
  'fee-forms': '1 decimal as text, 2 decimals as text, 3 decimals as text, an integer as text',
  ...all(
    'trailing-slash unknown-card malformed-card unknown-customer malformed-customer unknown-user',
    'refused as 404',
  ),
  ...all('unknown-parameter long-request', 'as if it were not there'),
  'repeated-parameter': 'the last',
  'default-page-size': '20',
  'limit-honoured': 'yes',
  'greatest-page-size': 'not reached by this list',
  'offset-unit': 'records',
  ...all('beyond-the-end limit-zero', 'an empty list'),
  'order-stability': 'yes, within a run',
  'total-announced': 'no',
  'omitted-source': 'those of both',
  ...all(
    'unknown-source source-letter-case empty-source limit-negative limit-not-numeric offset-negative ' +
      'offset-not-numeric missing-type unknown-type type-letter-case missing-user-id empty-user-id',
    'refused as 400',
  ),
  'limit-huge': 'customers',
  'user-id-with-business': 'the rules of the business',
  'no-credentials': 'answered',
  'refusal-form': 'HTTP 4xx with JSON of code, data, message',
  ...all('rate-limit-headers caching-headers server-headers version-headers', 'none'),
};
