import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../../src/client/target.ts';
import { createDisclosureFilter } from '../../../src/redact/disclosure.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { altering, applyInOrder, set } from '../harness/edits.ts';
import { answerQuestionsBriefly } from '../harness/observing.ts';

const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
const createCustomer = (fields: object) => ({ data: { customers: [{}, { ...fields }] } });

/** Response body, word, and whether reports may show the word. */
const wordRows: [name: string, body: unknown, word: string, isShown: boolean][] = [
  ['a name', createCustomer({ name: 'Ada Lovelace' }), 'Lovelace', false],
  ['a name in another letter case', createCustomer({ name: 'ada LOVELACE' }), 'old_lovelace', false],
  ['a part of a word of a name', createCustomer({ name: 'Ada Lovelace' }), 'love', true],
  ['a phone', createCustomer({ phone: '170 12345' }), '12345', false],
  ['a phone that is a number', createCustomer({ phone: 12345 }), '12345', false],
  ['a part of a phone', createCustomer({ phone: '17012345' }), '12345', true],
  ['a public value', createCustomer({ default_payment_method: 'Cash' }), 'Cash', true],
  ['a token', createCustomer({ default_payment_token: { token: 'tok-kumquat' } }), 'kumquat', false],
  [
    'what is no token',
    createCustomer({ default_payment_token: { token: { a: ['kumquat'] } } }),
    'kumquat',
    false,
  ],
  ['what was requested', {}, 'requested', false],
  ['nothing', {}, 'kumquat', true],
  ['two words', {}, 'two words', false],
  ['a long word', {}, 'k'.repeat(33), false],
  ['a long number', {}, '4111111111', false],
  ['a code', {}, '400130013', true],
];

for (const [name, body, word, isShown] of wordRows)
  test(`a word is ${isShown ? '' : 'not '}shown: ${word.slice(0, 20)}, ${name}`, () => {
    expect(createDisclosureFilter(new Secrets(), body, operation.schema, ['requested'])(word)).toBe(isShown);
  });

function sendWordEverywhere(word: string): Alter {
  const sendAsMediaType: Alter = (response, { parameters }) =>
    parameters.type === 'business' ? { ...response, headers: { 'content-type': `text/${word}` } } : response;
  const sendInError: Alter = (response) =>
    response.status < 400 ? response : { ...response, body: { code: response.status, [word]: 1 } };
  return applyInOrder(
    altering('getCard', set('data/card/status', word)),
    altering('getCustomer', set(`data/${word}`, 1)),
    altering('listCustomers', set('data/customers/0/default_payment_token/token_type', word)),
    sendAsMediaType,
    sendInError,
  );
}

test('a public word that violates a rule is shown in findings, answers, field names and media types', async () => {
  const countOccurrences = async (target: Partial<Target>) => {
    const settings = { probes: false, ...target };
    const { observations, observed, findings } = await answerQuestionsBriefly(
      { alter: sendWordEverywhere('kumquat') },
      settings,
    );
    return JSON.stringify([observations, observed, findings]).split('kumquat').length - 1;
  };
  expect(await countOccurrences({})).toBeGreaterThanOrEqual(5);
  expect(await countOccurrences({ headers: { 'X-Key': 'kumquat' } })).toBe(0);
});
