import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import type { Question } from '../../../schemas/contract/questions.ts';
import { inferenceFor, inWords } from '../../../src/questions/answers.ts';

const contract = loadContract();
const { questions } = contract;
const ids = questions.map(({ id }) => id);

/** Each place where the contract says "not shown", and the questions that ask for it. */
const notShown: [section: string, what: string, ids: string][] = [
  ['1', 'write operations and the wider purpose of the service', 'write-operations'],
  ['2.2', 'allowed values of type and status', 'card-types card-statuses'],
  ['2.5', 'allowed values of state', 'token-states'],
  ['2.6', 'whether number is masked', 'card-number-form'],
  ['3', 'transitions', 'state-transitions'],
  ['4.2', 'default and maximum of limit', 'default-page-size greatest-page-size'],
  ['4.2', 'how offset counts', 'offset-unit'],
  ['4.2', 'result when linked_source_type is omitted', 'omitted-source'],
  ['5', 'authentication', 'no-credentials'],
  ['6', 'events', 'events'],
  ['7', 'error codes and the error response shape', 'refusal-form'],
  ['4.1 4.3 4.4', 'behaviour for an unknown id', 'unknown-card unknown-customer unknown-user'],
  ['4.4', 'behaviour for a missing required parameter', 'missing-type missing-user-id'],
  [
    '4.1 4.2 4.3 4.4',
    'behaviour for an invalid value',
    'malformed-card malformed-customer unknown-source source-letter-case empty-source limit-zero limit-negative ' +
      'limit-not-numeric limit-huge offset-negative offset-not-numeric unknown-type type-letter-case empty-user-id',
  ],
  ['8', 'rate limits', 'rate-limit-headers'],
  ['8', 'request size limits', 'long-request'],
  ['9', 'version policy and deprecation rules', 'version-headers'],
];

/** What the contract leaves open without saying so. */
const unsaid: [section: string, ids: string][] = [
  ['1', 'accept-any accept-other media-type-parameters'],
  ['2.1', 'success-message'],
  ['2.3', 'limit-periods limit-amount-forms'],
  ['2.4', 'payment-methods'],
  ['2.5', 'default-flag credit-card-presence'],
  ['2.7', 'fee-forms'],
  ['4', 'trailing-slash unknown-parameter repeated-parameter'],
  ['4.2', 'limit-honoured beyond-the-end order-stability total-announced'],
  ['4.4', 'user-id-with-business'],
  ['8', 'caching-headers'],
  ['9', 'server-headers'],
];

test('each thing that is not shown has a question, and each question a thing', () => {
  const listed = [...notShown.map(([, , asked]) => asked), ...unsaid.map(([, asked]) => asked)];
  expect(listed.flatMap((asked) => asked.split(' ')).sort()).toEqual([...ids].sort());
});

test('each question names the section that leaves it open', () => {
  const places = [...notShown.map(([section, , asked]) => [section, asked] as const), ...unsaid];
  for (const [sections, asked] of places)
    for (const id of asked.split(' ')) {
      const own = questions.find((question) => question.id === id)?.section;
      expect(sections.split(' '), id).toContain(own);
    }
});

test('each question but those that nothing can be read of has its own way to an answer', () => {
  for (const question of questions)
    if (!question.unaskable) expect(inferenceFor(question), question.id).toEqual(expect.any(Function));
  expect(() => inferenceFor({ ...questions[0], id: 'none' } as Question)).toThrow(
    /answers the question none/,
  );
});

test('what is sent and read for a question is part of the contract', () => {
  const places = new Set(contract.operations.flatMap(nodesOf).map((node) => node.operation + node.pointer));
  for (const place of questions.flatMap(({ values = [] }) => values))
    for (const { id } of place.startsWith('*') ? contract.operations : [{ id: '' }])
      expect(places, place).toContain(place.replace(/^\*/, id));
  const operations = contract.operations.map(({ id }) => id);
  for (const request of questions.flatMap(({ requests = [] }) => requests))
    expect(operations, request).toContain(/^\w+/.exec(request)?.[0]);
});

const words: [id: string, answer: string, words: string][] = [
  ['default-flag', 'true', 'never: always true'],
  ['default-flag', 'false, true', 'yes: both occur'],
  ['type-letter-case', 'refused as 400', 'yes: rejected with HTTP 400'],
  ['source-letter-case', 'as if written as documented', 'no'],
  ['trailing-slash', 'refused as 404', 'no: rejected with HTTP 404'],
  ['limit-zero', 'refused as 40012', 'rejected as 40012'],
  ['offset-unit', 'records', 'records'],
  ['offset-unit', 'nothing', 'neither: it has no effect'],
  ['limit-honoured', 'server error 500', 'no: a server error, 500'],
  ['limit-zero', 'as if it were not there', 'the same as without it'],
  ['trailing-slash', 'answered HTTP 308', 'no: answered with HTTP 308'],
  ['trailing-slash', 'unknown', 'unknown'],
  ['missing-user-id', 'an empty list', 'not at all: with an empty list'],
  ['long-request', 'as if it were not there', 'the usual list'],
];

for (const [id, answer, said] of words)
  test(`"${answer}" answers ${id} in the words "${said}"`, () => {
    const question = questions.find((one) => one.id === id);
    expect(question && inWords(question, answer)).toBe(said);
  });

/** How an answer begins, by how its question does. */
const beginnings: [question: RegExp, answer: RegExp][] = [
  [/^(Is|Does) (?!`offset` count)/, /^(yes|no|never|always)\b|^unknown$/],
  [/^How is .* rejected\?$/, /^(rejected|not at all|answered with HTTP|a server error|unknown)/],
  [/^(What|Which|How|In which|Does `offset` count)/, /^(?!(yes|no|never|always|refused)\b)/],
];

test('each possible answer of each question is said in words that fit it', () => {
  for (const question of questions)
    for (const answer of [...question.answers.map((one) => one.replace('…', '404')), 'unknown']) {
      const said = inWords(question, answer);
      const [, fits] = beginnings.find(([begins]) => begins.test(question.question)) ?? [];
      expect(said, `${question.question} ${said}`).toMatch(fits ?? /^$/);
    }
});
