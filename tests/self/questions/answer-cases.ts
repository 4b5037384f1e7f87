import { readFileSync } from 'node:fs';
import type { Choices } from '../../../mock/choices.ts';
import type { MockResponse } from '../../../mock/responses.ts';
import type { Alter } from '../../../mock/server.ts';
import { altering, applyInOrder, set, setContentType } from '../harness/edits.ts';

/** Name and options of a mock whose behaviour changes answers to the contract's open questions. */
export type AnswerCase = [name: string, choices: Partial<Choices>, ...alters: Alter[]];

const changeCard = (name: string, value: unknown) => altering('getCard', set(`data/card/${name}`, value));
const changeCustomer = (name: string, value: unknown) =>
  altering('getCustomer', set(`data/customer/${name}`, value));
const changeFirstListed = (name: string, value: unknown) =>
  altering('listCustomers', set(`data/customers/0/${name}`, value));

const limitHeaders = { 'X-RateLimit-Limit': '100', ETag: '"a1"', 'Cache-Control': 'private, max-age=60' };
const countHeaders = { 'X-Total-Count': '75', 'X-Page-Count': '4' };
const announcementHeaders = {
  Server: 'Nginx/1.2 (host-7)',
  Sunset: 'Sat',
  Deprecation: '@1',
  ...countHeaders,
};
const otherRules = [{ fixed_fee: '9.00', percentage_fee: '9.00' }];
const documentationPage = { headers: { 'content-type': 'text/html' }, raw: '<p>documentation</p>' };
const bodyWithName = { code: 40012, 'Ada Lovelace': 1, who: 'Ada' };

const replaceNotFound =
  (replacement: Partial<MockResponse>): Alter =>
  (response) =>
    response.status === 404 ? { ...response, ...replacement } : response;

const redirectTrailingSlash: Alter = (answer, { path }) =>
  path.endsWith('/') ? { ...answer, status: 308, body: {} } : answer;
const rejectWithName: Alter = (answer, { operation }) =>
  answer.status === 400 && operation === 'getFeeRules' ? { ...answer, body: bodyWithName } : answer;
const answerWithDocumentation: Alter = (answer, { headers }) =>
  headers.accept === 'text/html' ? { ...answer, ...documentationPage } : answer;

export const answerCases: AnswerCase[] = [
  [
    'pages that are counted, and strict media types',
    {
      offsetCounts: 'pages',
      zeroLimit: 'rejected',
      repeatedParameter: 'first',
      strictAccept: true,
      trailingSlash: 'accepted',
      headers: limitHeaders,
    },
    changeCard('status', 'OnHold'),
    altering('getCard', set('message', 'OK')),
    altering('getFeeRules', set('data/fee_rules/0/fixed_fee', '1,5')),
  ],
  [
    'an offset that is ignored, and headers',
    {
      offsetCounts: 'ignored',
      defaultSource: 'User',
      caseSensitiveEnums: false,
      headers: announcementHeaders,
    },
  ],
  [
    'a limit that is ignored, and web pages',
    { limitIgnored: true, defaultSource: 'Store', rejection: 'html', unknownParameters: 'rejected' },
    altering('listCustomers', set('data/total', 75)),
  ],
  [
    'small pages, and other forms of numbers',
    { defaultLimit: 10, maxLimit: 50, rejection: 'http-200' },
    changeCard('limits/0/used_amount', '0.001'),
    altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
    changeCustomer('default_payment_token/credit_card/number', '4242424242424242'),
    changeFirstListed('default_payment_token/state', 'Expired'),
  ],
  [
    'records that are gone',
    {},
    replaceNotFound({ status: 410, body: {} }),
    changeCustomer('default_payment_token/credit_card', {}),
    altering('getCard', setContentType('application/json')),
    altering('getCustomer', setContentType('application/json; Charset="UTF-8"')),
  ],
  [
    'words that may not be shown',
    {},
    redirectTrailingSlash,
    altering('getFeeRules', set('message', 'Found 12 rules that are of use')),
    altering('getFeeRules', set('data/fee_rules', otherRules), ({ path }) =>
      path.includes('business&user_id'),
    ),
    // Not a single word; a word of another value in the response; a word of another response.
    changeCard('status', 'On Hold'),
    applyInOrder(changeCard('type', 'Lovelace'), changeCard('title', 'Ada LOVELACE')),
    applyInOrder(
      changeCustomer('default_payment_method', 'Lovelace'),
      changeFirstListed('name', 'Ada LOVELACE'),
    ),
  ],
  ['a name of a field that may not be shown', {}, rejectWithName, answerWithDocumentation],
  ['another success', {}, replaceNotFound({ status: 201 })],
];

/** Default mock's answers to the contract's open questions: `{ 'offset-unit': 'records' }`. */
export const defaultAnswers: Record<string, string> = readDefaultAnswers();

function readDefaultAnswers(): Record<string, string> {
  const text = readFileSync(new URL('evidence/usual.txt', import.meta.url), 'utf8');
  // Such as `offset-unit: records, certain`: id, answer and confidence.
  const answerLine = /^(\S+): (.*), \w+$/m;
  const answers: Record<string, string> = {};
  for (const paragraph of text.split('\n\n')) {
    const [, id = '', answer = ''] = answerLine.exec(paragraph) ?? [];
    answers[id] = answer;
  }
  return answers;
}
