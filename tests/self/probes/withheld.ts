import { altering, set } from '../../../mock/edits.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { always } from './answer-cases.ts';
import { defaultAnswers } from './default-answers.ts';
import type { AnswerCase } from './joined-cases.ts';

/** A provider that says what may not be shown, or is no error response, and exactly the answers that follow. */
export const withheld: AnswerCase[] = [
  [
    'a state of cards that is no single word',
    always('getCard', set('data/card/status', 'On Hold')),
    { 'card-statuses': 'a string of 7 characters, shaped "Aa Aaaa"' },
  ],
  [
    'a state of cards that is a name elsewhere',
    {
      alter: inTurn(
        altering('getCard', set('data/card/status', 'Lovelace')),
        altering('listCustomers', set('data/customers/0/name', 'Ada LOVELACE')),
      ),
    },
    { 'card-statuses': 'a string of 8 characters, shaped "Aaaaaaaa"' },
  ],
  [
    'errors of odd forms',
    {
      alter: (answer) =>
        answer.status === 400 ? { ...answer, body: { code: 40012, Lovelace: 1, who: 'Lovelace' } } : answer,
    },
    {
      ...Object.fromEntries(
        Object.keys(defaultAnswers)
          .filter((id) => defaultAnswers[id] === 'refused as 400')
          .map((id) => [id, 'refused as 40012']),
      ),
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
