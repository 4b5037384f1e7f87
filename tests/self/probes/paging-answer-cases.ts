import { altering, set } from '../../../mock/edits.ts';
import { customers } from '../../../mock/seed.ts';
import { listing } from '../../../mock/variants/variant.ts';
import { noTotal } from './answer-cases.ts';
import type { AnswerCase } from './joined-cases.ts';

/** A provider whose pages do not fit together in some way, and exactly the answers that follow. */
export const pagingAnswerCases: AnswerCase[] = [
  [
    'a total of something else',
    { alter: altering('listCustomers', set('data/total', 74)) },
    { 'total-announced': 'field total', 'total-matches': 'no' },
  ],
  [
    'pages of seven that lose the last customer',
    {
      alter: listing((usual, { parameters }) => (parameters.limit === '7' ? usual.slice(0, -1) : usual)),
    },
    { 'next-page': 'customers are lost', 'same-union': 'no', ...noTotal },
  ],
  [
    'the first customer again on the next page of seven',
    {
      alter: listing((usual, { parameters: { limit, offset } }) =>
        limit === '7' && offset === '7'
          ? [...customers.slice(0, 1).map(({ customer }) => ({ ...customer })), ...usual.slice(1)]
          : usual,
      ),
    },
    { 'next-page': 'customers are lost, others come twice', 'same-union': 'no', ...noTotal },
  ],
  [
    'every list with its first customer twice',
    {
      alter: listing((usual, { parameters: { limit } }) =>
        limit === '1000' ? [...usual, ...usual.slice(0, 1)] : usual,
      ),
    },
    { 'customer-twice': 'yes', 'greatest-page-size': 'not reached by this list', ...noTotal },
  ],
  [
    'an order of parameters that matters',
    {
      alter: listing((usual, { path }) => (path.endsWith('offset=7&limit=7') ? usual.slice(1) : usual)),
    },
    { 'parameter-order': 'it matters' },
  ],
];
