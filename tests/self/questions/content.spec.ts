import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { literal, requestOf } from '../../../src/operations/request.ts';
import { createContentReader } from '../../../src/questions/content.ts';
import type { ResponseContent } from '../../../src/redact/observation.ts';
import { observe } from '../../../src/redact/redact.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { keyedHash } from '../../../src/relations/keyed-hash.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import { json } from '../harness/examples.ts';

const contract = loadContract();

/** Observes a response of the list, with its content unless the caller asks for none. */
function observeList(answer: HttpResponse, secret?: string) {
  const operation = contract.operations.find(({ id }) => id === 'listCustomers');
  if (!operation) throw new Error('the contract has no list of customers');
  const readContent = secret && createContentReader(contract, keyedHash(secret));
  const exchange = { operation, parameters: { limit: '2' }, answer };
  const judging = { entries: [], secrets: new Secrets([]), ...(readContent ? { readContent } : {}) };
  return observe(exchange, requestOf(operation, { limit: literal('2') }), judging).observation;
}

const listOf = (...customers: unknown[]) => json(200, { code: 200, message: 'yes', data: { customers } });
const withHeaders = (answer: HttpResponse, headers: Record<string, string>) => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});
const page = { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<p>') };
const latin1 = {
  ...json(200, {}),
  body: Buffer.from('{"code":200,"data":{"customers":[{"name":"é"}]}}', 'latin1'),
};
const headers = {
  'x-total-count': '2',
  server: 'Nginx/1.2 (host-7)',
  'x-secret': 'nginx',
  'content-type': 'application/json; charset=utf-8; boundary=ada',
};
const total = json(200, { code: 200, data: { customers: [], total: 2 } });
const tokens = ['Active', 'Active', 'Failed'].map((state) => ({ default_payment_token: { state } }));

const contents: [what: string, answer: HttpResponse, content: Partial<ResponseContent>][] = [
  ['a list', listOf({ uuid: 'a' }), { kind: 'success', hasRecord: true }],
  [
    'an announced length',
    withHeaders(total, headers),
    { announcements: ['header x-total-count', 'field total'] },
  ],
  ['headers', withHeaders(total, headers), { headers: { 'server-headers': { server: ['nginx'] } } }],
  ['a media type', withHeaders(total, headers), { mediaTypeParameters: ['charset=utf-8', 'another one'] }],
  [
    'values',
    listOf(...tokens),
    { tallies: expect.objectContaining({ 'token-states': { Active: 2, Failed: 1 } }) },
  ],
  [
    'an error',
    json(404, { code: 404 }),
    {
      kind: 'rejection',
      error: { label: 'refused as 404', form: 'HTTP 4xx with JSON of code' },
      hasRecord: false,
    },
  ],
  [
    'an error in a success',
    json(200, { code: 42201 }),
    { kind: 'rejection', error: { label: 'refused as 42201', form: 'HTTP 200 with JSON of code' } },
  ],
  [
    'a server error',
    json(500, {}),
    {
      kind: 'server error',
      error: { label: 'server error 500', form: 'HTTP 500 with JSON of other fields' },
    },
  ],
  [
    'a page for browsers',
    page,
    { kind: 'rejection', error: { label: 'refused as 200', form: 'HTTP 200 with an HTML page' } },
  ],
];

for (const [what, answer, content] of contents)
  test(`an observation holds of ${what} what questions read`, () => {
    expect(observeList(answer, 'secret').content ?? {}).toEqual(expect.objectContaining(content));
  });

test('records are told apart by hashes that depend on the secret of a run', () => {
  const uuid = '0B0B0B0B-0000-4000-8000-000000000000';
  const answer = listOf({ uuid }, { uuid: uuid.toLowerCase() }, { uuid: 'b' }, { name: 'Ada' });
  const hashes = (secret: string) => observeList(answer, secret).content?.lists.customers ?? [];
  const [first, again, other, keyless] = hashes('secret');
  expect(hashes('secret')).toEqual([first, first, other, keyless]);
  expect(again).toBe(first);
  expect(new Set(hashes('secret')).size).toBe(3);
  expect(hashes('other').filter((hash) => hashes('secret').includes(hash))).toEqual([]);
  expect(JSON.stringify(observeList(answer, 'secret').content)).not.toMatch(/0b0b|Ada/i);
});

test('a success that is not UTF-8 has no content: it is no rejection', () => {
  expect(observeList(latin1, 'secret')).toMatchObject({ kind: 'success' });
  expect(observeList(latin1, 'secret').content).toBeUndefined();
});

test('only who asks for contents gets them, and totals hold none', () => {
  expect(observeList(listOf())).not.toHaveProperty('content');
  const observation = observeList(listOf(), 'secret');
  expect(observation).toHaveProperty('content');
  for (const { observations } of [new Totals([observation]), new Totals([observation, observation])])
    for (const sum of observations) expect(sum).not.toHaveProperty('content');
});
