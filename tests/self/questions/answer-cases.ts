import type { Choices, MockOptions } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { inTurn } from '../proof/variants/variant.ts';

/** What a provider does in its own way, and exactly the answers that follow, by question. */
export type AnswerCase = [name: string, options: MockOptions, answers: Record<string, string>];

const choosing = (choices: Partial<Choices>): MockOptions => ({ choices });
const always = (...args: Parameters<typeof altering>): MockOptions => ({ alter: altering(...args) });
const odd = 'limit-negative limit-not-numeric limit-zero';
const notFound =
  'unknown-card malformed-card unknown-customer malformed-customer unknown-user trailing-slash';
const all = (ids: string, answer: string) => Object.fromEntries(ids.split(' ').map((id) => [id, answer]));
const likeUnset = (ids: string) => all(ids, 'as if it were not there');

/** A provider that made another open choice, and exactly the answers that follow. */
export const answerCases: AnswerCase[] = [
  [
    'offset in pages',
    choosing({ offsetCounts: 'pages' }),
    { 'offset-unit': 'pages', 'omitted-source': 'those of both' },
  ],
  [
    'no offset',
    choosing({ offsetCounts: 'ignored' }),
    {
      'offset-unit': 'nothing',
      'beyond-the-end': 'customers',
      ...likeUnset('offset-negative offset-not-numeric'),
    },
  ],
  ['pages of ten', choosing({ defaultLimit: 10 }), { 'default-page-size': '10' }],
  ['a greatest page of 50', choosing({ maxLimit: 50 }), { 'greatest-page-size': '50' }],
  [
    'a limit that is ignored',
    choosing({ limitIgnored: true }),
    {
      'limit-honoured': 'no',
      'greatest-page-size': '20',
      'repeated-parameter': 'neither',
      ...likeUnset(odd),
    },
  ],
  ['a limit of zero rejected', choosing({ zeroLimit: 'rejected' }), { 'limit-zero': 'refused as 400' }],
  [
    'the first of two values',
    choosing({ repeatedParameter: 'first' }),
    { 'repeated-parameter': 'the first' },
  ],
  ['User as default source', choosing({ defaultSource: 'User' }), { 'omitted-source': 'those of User' }],
  ['Store as default source', choosing({ defaultSource: 'Store' }), { 'omitted-source': 'those of Store' }],
  [
    'error responses in HTTP 200',
    choosing({ rejection: 'http-200' }),
    { 'refusal-form': 'HTTP 200 with JSON of code, data, message' },
  ],
  ['HTML error pages', choosing({ rejection: 'html' }), { 'refusal-form': 'HTTP 4xx with an HTML page' }],
  ['trailing slashes', choosing({ trailingSlash: 'accepted' }), { 'trailing-slash': 'the same' }],
  [
    'a strict Accept',
    choosing({ strictAccept: true }),
    { 'accept-any': 'refused as 406', 'accept-other': 'refused as 406' },
  ],
  [
    'words in any letter case',
    choosing({ caseSensitiveEnums: false }),
    { 'source-letter-case': 'as if written as documented', 'type-letter-case': 'the rules of the business' },
  ],
  [
    'unknown parameters rejected',
    choosing({ unknownParameters: 'rejected' }),
    { 'unknown-parameter': 'refused as 400', 'long-request': 'refused as 400' },
  ],
  [
    'a rate limit',
    choosing({ headers: { 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': '99' } }),
    { 'rate-limit-headers': 'x-ratelimit-limit, x-ratelimit-remaining' },
  ],
  [
    'caching',
    choosing({ headers: { 'Cache-Control': 'private, max-age=60', ETag: '"a1"' } }),
    { 'caching-headers': 'cache-control (max-age private), etag' },
  ],
  [
    'a server with a name',
    choosing({ headers: { Server: 'nginx/1.2 (internal-host-7)' } }),
    { 'server-headers': 'server (nginx)' },
  ],
  [
    'a deprecation',
    choosing({ headers: { Deprecation: '@1', Sunset: 'Sat' } }),
    { 'version-headers': 'deprecation, sunset' },
  ],
  [
    'a total in a header',
    choosing({ headers: { 'X-Total-Count': '75' } }),
    { 'total-announced': 'header x-total-count' },
  ],
  [
    'a total in a field',
    always('listCustomers', set('data/total', 75)),
    { 'total-announced': 'field total' },
  ],
  ['another type of card', always('getCard', set('data/card/type', 'Metal')), { 'card-types': 'Metal' }],
  [
    'another state of cards',
    always('getCard', set('data/card/status', 'OnHold')),
    { 'card-statuses': 'OnHold' },
  ],
  [
    'another period',
    always('getCard', set('data/card/limits/0/period', 'Weekly')),
    { 'limit-periods': 'Daily, Monthly, Transaction, Weekly' },
  ],
  [
    'numbers for fees',
    always('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
    {
      'fee-forms':
        '1 decimal as text, 2 decimals as text, 3 decimals as text, a JSON number, an integer as text',
    },
  ],
  [
    'another form of amounts',
    always('getCard', set('data/card/limits/0/used_amount', '0.001')),
    { 'limit-amount-forms': '1 decimal as text, 2 decimals as text, 3 decimals as text, an integer as text' },
  ],
  [
    'card numbers without mask',
    always('getCustomer', set('data/customer/default_payment_token/credit_card/number', '4242424242424242')),
    { 'card-number-form': 'first 6 and last 4 digits, not masked' },
  ],
  [
    'another state of tokens',
    always('listCustomers', set('data/customers/0/default_payment_token/state', 'Expired')),
    { 'token-states': 'Active, Expired, Failed, Pending' },
  ],
  [
    'a card with every kind of token',
    always('getCustomer', set('data/customer/default_payment_token/credit_card', {})),
    {
      'card-number-form': 'first 6 and last 4 digits',
      'credit-card-presence': 'AlipayAutoDebit sometimes, CreditCard always, WechatPayAutoDebit sometimes',
    },
  ],
  [
    'another way to pay',
    always('getCustomer', set('data/customer/default_payment_method', 'Cash')),
    { 'payment-methods': 'AlipayAutoDebit, BankTransfer, Cash, CreditCard, WechatPayAutoDebit' },
  ],
  ['another message', always('getCard', set('message', 'OK')), { 'success-message': 'OK, success' }],
  [
    'no parameter of the media type',
    always('getCard', (answer) => ({ ...answer, headers: { 'content-type': 'application/json' } })),
    { 'media-type-parameters': 'charset=utf-8, none' },
  ],
  [
    'another status for what is not found',
    { alter: (answer) => (answer.status === 404 ? { ...answer, status: 410, body: {} } : answer) },
    {
      ...all(notFound, 'refused as 410'),
      'refusal-form': 'HTTP 4xx with JSON of code, data, message; HTTP 4xx with JSON of other fields',
    },
  ],
  [
    'a redirect from the trailing slash',
    {
      alter: (answer, { path }) => (path.endsWith('/') ? { ...answer, status: 308, body: {} } : answer),
    },
    { 'trailing-slash': 'answered HTTP 308' },
  ],
  [
    'rules of the user though of type business',
    {
      alter: altering(
        'getFeeRules',
        set('data/fee_rules', [{ fixed_fee: '9.00', percentage_fee: '9.00' }]),
        (request) => request.path.includes('business&user_id'),
      ),
    },
    { 'user-id-with-business': 'other rules' },
  ],
  [
    'a state of cards that is no single word',
    always('getCard', set('data/card/status', 'On Hold')),
    { 'card-statuses': 'a string of 7 characters, shaped "Aa Aaaa"' },
  ],
  [
    'a type of cards that is a word of their title',
    {
      alter: inTurn(
        altering('getCard', set('data/card/type', 'Lovelace')),
        altering('getCard', set('data/card/title', 'Ada LOVELACE')),
      ),
    },
    { 'card-types': 'a string of 8 characters, shaped "Aaaaaaaa"' },
  ],
  [
    'a type of tokens that is a name in another response',
    {
      alter: inTurn(
        altering('getCustomer', set('data/customer/default_payment_method', 'Lovelace')),
        altering('listCustomers', set('data/customers/0/name', 'Ada LOVELACE')),
      ),
    },
    { 'payment-methods': 'AlipayAutoDebit, BankTransfer, CreditCard, Lovelace, WechatPayAutoDebit' },
  ],
  [
    'errors of odd forms',
    {
      alter: (answer, { operation }) =>
        answer.status === 400 && operation === 'getFeeRules'
          ? { ...answer, body: { code: 40012, 'Ada Lovelace': 1, who: 'Ada' } }
          : answer,
    },
    {
      ...all('missing-type unknown-type type-letter-case missing-user-id empty-user-id', 'refused as 40012'),
      'refusal-form':
        'HTTP 4xx with JSON of (name withheld), code, who; HTTP 4xx with JSON of code, data, message',
    },
  ],
  [
    'a page of documentation for browsers',
    {
      alter: (answer, { headers }) =>
        headers.accept === 'text/html'
          ? { ...answer, headers: { 'content-type': 'text/html' }, raw: '<p>documentation</p>' }
          : answer,
    },
    {
      'accept-other': 'answered in another media type',
      'refusal-form': 'HTTP 4xx with JSON of code, data, message',
    },
  ],
  [
    'error codes in HTTP 201',
    { alter: (answer) => (answer.status === 404 ? { ...answer, status: 201 } : answer) },
    {
      'refusal-form': 'HTTP 201 with JSON of code, data, message; HTTP 4xx with JSON of code, data, message',
    },
  ],
];

/** So many runs show all cases, unless more of them than that have a say in one question. */
const minGroups = 8;

/**
 * Cases put together so that no two have a say in the same question: each answer is then the work of one of them. A case
 * that others would disturb names the answer that must stay as it is, and so has a say in it.
 */
export function joinedCases(cases: AnswerCase[]): AnswerCase[] {
  const groups: AnswerCase[][] = Array.from({ length: minGroups }, () => []);
  for (const one of cases) {
    const apart = groups.filter((all) => all.every((other) => areApart(one, other)));
    const [smallest] = apart.sort((some, others) => some.length - others.length);
    if (smallest) smallest.push(one);
    else groups.push([one]);
  }
  return groups.map(joined);
}

const areApart = ([, , some]: AnswerCase, [, , others]: AnswerCase) =>
  Object.keys(some).every((id) => !Object.hasOwn(others, id));

function joined(group: AnswerCase[]): AnswerCase {
  const choices = group.map(([, options]) => options.choices ?? {});
  const headers = Object.assign({}, ...choices.map((one) => one.headers));
  const alter = inTurn(...group.flatMap(([, options]) => options.alter ?? []));
  return [
    group.map(([name]) => name).join(' · '),
    { choices: Object.assign({}, ...choices, { headers }), alter },
    Object.assign({}, ...group.map(([, , answers]) => answers)),
  ];
}
