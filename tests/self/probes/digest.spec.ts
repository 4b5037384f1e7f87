import { serialize } from 'node:v8';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpClient } from '../../client/http-client.ts';
import { operationQuestions } from '../../exchanges/files.ts';
import { type Evidence, evidenceOf } from '../../probes/evidence.ts';
import { attempt } from '../../probes/probe-answers.ts';
import { type RecordedExchange, recordExchanges } from '../../probes/recorded-exchange.ts';
import { Disclosure } from '../../redaction/disclosure.ts';
import { exampleTarget, json } from '../harness/examples.ts';
import { behaviourOf } from '../harness/observing.ts';
import { defaultAnswers } from './default-answers.ts';

/** Records what some target answers. */
async function recording(get: HttpClient['get']) {
  const contract = loadContract();
  const client = { get, sent: () => 0, repeated: () => ({}), close: async () => {} };
  const disclosure = new Disclosure(exampleTarget({}), contract);
  return recordExchanges(client, disclosure, contract, await operationQuestions(contract));
}

const page = (index: number) => `/svc/payment/api/v1/openapi/customers?offset=${index}`;

/** Records bodies one after another, and says how many bytes are kept of each, and what became of it. */
async function keptOf(bodies: string[]): Promise<{ bytes: number; kind: string }[]> {
  const answers = bodies.map((text) => new TextEncoder().encode(text));
  const client = await recording(async (path) => ({
    ...{ status: 200, contentType: 'application/json', headers: { 'x-long': 'x'.repeat(60_000) } },
    body: answers[Number(path.split('=')[1])] as Uint8Array,
  }));
  for (const index of bodies.keys()) await client.get(page(index));
  return [...client.recorded.values()].map(({ digest, outcome }) => ({
    bytes: serialize(digest).length,
    kind: outcome.kind,
  }));
}

test('evidence comes in the order of the requests, whichever is answered first', async () => {
  const waiting: (() => void)[] = [];
  const client = await recording(async () => {
    await new Promise<void>((resolve) => waiting.unshift(resolve));
    return json(200, {});
  });
  const requests = [0, 1, 2].map((index) => client.get(page(index)));
  for (const answer of waiting) {
    answer();
    await new Promise(setImmediate);
  }
  await Promise.all(requests);
  const offsets = (exchanges: Iterable<RecordedExchange>) =>
    [...exchanges].map(({ parameters }) => parameters.get('offset'));
  expect(offsets(client.recorded.values())).toEqual(['2', '1', '0']);
  expect(offsets(evidenceOf(client.recorded, [], {} as never).recorded)).toEqual(['0', '1', '2']);
});

const list = (customers: string) => `{"code":200,"message":"m","data":{"customers":[${customers}]}}`;
const many = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join();

const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;

const bodies: Record<string, [body: string, kind: string]> = {
  'a megabyte of arrays': [`[${'[],'.repeat(350_000)}[]]`, 'unreadable'],
  'nine megabytes of one string': [`{"code":200,"message":"${'x'.repeat(9e6)}"}`, 'unreadable'],
  'a value too deep to print': [`{"code":200,"data":{"fee_rules":[${deep}]}}`, 'unreadable'],
  'a deep value without an identity': [list(deep), 'answered'],
  'many customers': [list(many(20_000, (index) => `{"uuid":"${index}","name":"n${index}"}`)), 'answered'],
  'many words': [list(many(20_000, (index) => `{"default_payment_method":"way-${index}"}`)), 'answered'],
  'many fields': [
    `{"code":400,${many(25_000, (index) => `"total_${'x'.repeat(20)}${index}":1`)}}`,
    'rejected',
  ],
  'one customer': [list('{"uuid":"1"}'), 'answered'],
};

test('little is kept of an answer, however large it is', async () => {
  const digests = await keptOf(Object.values(bodies).map(([body]) => body));
  expect(digests.map(({ kind }) => kind)).toEqual(Object.values(bodies).map(([, kind]) => kind));
  for (const [index, { bytes }] of digests.entries())
    expect(bytes, Object.keys(bodies)[index]).toBeLessThan(200_000);
});

test('an inference that throws says nothing, and costs no other its answer', () => {
  const broken = () => {
    throw new TypeError('Cannot convert object to primitive value');
  };
  expect(attempt(broken, {} as Evidence)).toEqual({
    ...{ answer: 'unknown', confidence: 'unknown' },
    evidence: ['an answer could not be read'],
  });
});

test('objects that pretend to have methods stand in the place of values', async () => {
  const odd = { toString: 1, valueOf: 1, toJSON: 1, length: -1 };
  const alter = inTurn(
    altering('getFeeRules', set('data/fee_rules/0/fixed_fee', odd)),
    altering('getCustomer', set('data/customer/default_payment_token', { token_type: odd, state: odd })),
    altering('getCard', set('data/card/status', odd)),
    (answer) => (answer.status < 400 ? answer : { ...answer, body: { code: odd, message: odd } }),
  );
  const { answers } = await behaviourOf({ alter });
  expect(answers).toMatchObject({
    'card-statuses': 'an object with 4 fields',
    'credit-card-presence': expect.stringContaining('another type never'),
    'offset-unit': defaultAnswers['offset-unit'],
    'refusal-form': 'HTTP 4xx with JSON of code, message',
  });
  expect(answers['fee-forms']).toContain('another form');
});
