import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { inWords } from '../../../src/questions/answers.ts';

const contract = loadContract();
const { questions } = contract;

test('what is sent and read for a question is part of the contract', () => {
  const places = new Set(contract.operations.flatMap(nodesOf).map((node) => node.operation + node.pointer));
  for (const place of questions.flatMap(({ values = [] }) => values))
    for (const { id } of place.startsWith('*') ? contract.operations : [{ id: '' }])
      expect(places, place).toContain(place.replace(/^\*/, id));
  const operations = contract.operations.map(({ id }) => id);
  for (const request of questions.flatMap(({ requests = [] }) => requests))
    expect(operations, request).toContain(/^\w+/.exec(request)?.[0]);
});

test('each answer that needs attention is a possible answer of its question', () => {
  const { length } = questions.filter(({ attention }) => attention);
  expect(length).toBeGreaterThan(0);
  for (const { answers, attention = {} } of questions)
    expect(answers).toEqual(expect.arrayContaining(Object.keys(attention)));
});

const words: [id: string, answer: string, words: string][] = [
  ['default-flag', 'true', 'never: always true'],
  ['default-flag', 'false, true', 'yes: both occur'],
  ['type-letter-case', 'refused as 400', 'yes: rejected with HTTP 400'],
  ['trailing-slash', 'refused as 404', 'no: rejected with HTTP 404'],
  ['limit-zero', 'refused as 40012', 'rejected as 40012'],
  ['offset-unit', 'nothing', 'neither: it has no effect'],
  ['offset-unit', 'records', 'customers'],
  ['limit-honoured', 'server error 500', 'no: a server error, 500'],
  ['missing-user-id', 'an empty list', 'not at all: with an empty list'],
  ['long-request', 'as if it were not there', 'the usual list'],
  ['unknown-user', 'other rules', 'rules other than those of the business'],
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
