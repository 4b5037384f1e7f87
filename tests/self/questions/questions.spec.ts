import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { phraseAnswer } from '../../../src/questions/answers.ts';

const contract = loadContract();
const { questions } = contract;

test('requests and values of a question are part of the contract', () => {
  const places = new Set(contract.operations.flatMap(listNodes).map((node) => node.operation + node.pointer));
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

const sentenceRows: [id: string, answer: string, sentence: string][] = [
  ['default-flag', 'true', 'never: always true'],
  ['default-flag', 'false, true', 'yes: both occur'],
  ['type-letter-case', 'refused as 400', 'yes: rejected with HTTP 400'],
  ['trailing-slash', 'refused as 404', 'no: rejected with HTTP 404'],
  ['card-number-form', 'not masked', 'all: it is not masked'],
  ['card-number-form', 'first 6 and last 4 digits, not masked', 'first 6 and last 4 digits, not masked'],
  ['limit-zero', 'refused as 40012', 'rejected as 40012'],
  ['offset-unit', 'nothing', 'neither: it has no effect'],
  ['offset-unit', 'records', 'customers'],
  ['limit-honoured', 'server error 500', 'no: a server error, 500'],
  ['missing-user-id', 'an empty list', 'not at all: with an empty list'],
  ['missing-user-id', 'no list', 'with a success that has no list'],
  ['long-request', 'as if it were not there', 'the usual list'],
  ['unknown-user', 'other rules', 'rules other than those of the business'],
];

for (const [id, answer, sentence] of sentenceRows)
  test(`"${answer}" answers ${id} with the sentence "${sentence}"`, () => {
    const question = questions.find((candidate) => candidate.id === id);
    expect(question && phraseAnswer(question, answer)).toBe(sentence);
  });

const beginningRows: [question: RegExp, answer: RegExp][] = [
  [/^(Is|Does) (?!`offset` count)/, /^(yes|no|never|always)\b|^unknown$/],
  [/^How is .* rejected\?$/, /^(rejected|not at all|answered with HTTP|a server error|unknown)/],
  [/^(What|Which|How|In which|Does `offset` count)/, /^(?!(yes|no|never|always|refused)\b)/],
];

test('each possible answer of a question has a sentence that fits the question', () => {
  for (const question of questions)
    for (const answer of [
      ...question.answers.map((answerPattern) => answerPattern.replace('…', '404')),
      'unknown',
    ]) {
      const sentence = phraseAnswer(question, answer);
      const [, sentencePattern] =
        beginningRows.find(([questionPattern]) => questionPattern.test(question.question)) ?? [];
      expect(sentence, `${question.question} ${sentence}`).toMatch(sentencePattern ?? /^$/);
    }
});
