import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { createPublicArgument, describeRequest } from '../../../src/operations/request.ts';
import { createContentReader } from '../../../src/questions/content.ts';
import { createKeyedHash } from '../../../src/redact/keyed-hash.ts';
import type { Observation, ResponseContent } from '../../../src/redact/observation.ts';
import { type JudgeOptions, observe } from '../../../src/redact/redact.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import { json } from '../harness/examples.ts';

const contract = loadContract();

function observeList(response: HttpResponse, secret?: string): Observation {
  const operation = contract.operations.find(({ id }) => id === 'listCustomers');
  if (!operation) throw new Error('the contract has no list of customers');
  const exchange = { operation, parameters: { limit: '2' }, response };
  const describedRequest = describeRequest(operation, { limit: createPublicArgument('2') });
  const judgeOptions: JudgeOptions = { entries: [], secrets: new Secrets([]) };
  if (secret) judgeOptions.readContent = createContentReader(contract, createKeyedHash(secret));
  const { observation } = observe(exchange, describedRequest, judgeOptions);
  return observation;
}

const createListResponse = (...customers: unknown[]) =>
  json(200, { code: 200, message: 'yes', data: { customers } });
const addHeaders = (response: HttpResponse, headers: Record<string, string>) => ({
  ...response,
  headers: { ...response.headers, ...headers },
});
const htmlPage = { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<p>') };
const latin1Response = {
  ...json(200, {}),
  body: Buffer.from('{"code":200,"data":{"customers":[{"name":"é"}]}}', 'latin1'),
};
const headers = {
  'x-total-count': '2',
  server: 'Nginx/1.2 (host-7)',
  'x-secret': 'nginx',
  'content-type': 'application/json; charset=utf-8; boundary=ada',
};
const responseWithTotal = json(200, { code: 200, data: { customers: [], total: 2 } });
const customersWithTokens = ['Active', 'Active', 'Failed'].map((state) => ({
  default_payment_token: { state },
}));

const cardNumbers = ['411111******1111', '411111XXXXXX', '****', '4111 1111 1111 1111', 'none'];
const customersWithCards = cardNumbers.map((number) => ({
  default_payment_token: { credit_card: { number } },
}));

const contentRows: [what: string, answer: HttpResponse, content: Partial<ResponseContent>][] = [
  ['a list', createListResponse({ uuid: 'a' }), { kind: 'success', hasRecord: true }],
  [
    'an announced length',
    addHeaders(responseWithTotal, headers),
    { announcements: ['header x-total-count', 'field total'] },
  ],
  [
    'headers',
    addHeaders(responseWithTotal, headers),
    { headersByQuestion: { 'server-headers': { server: ['nginx'] } } },
  ],
  [
    'a media type',
    addHeaders(responseWithTotal, headers),
    { mediaTypeParameters: ['charset=utf-8', 'another one'] },
  ],
  [
    'values',
    createListResponse(...customersWithTokens),
    { tallies: expect.objectContaining({ 'token-states': { Active: 2, Failed: 1 } }) },
  ],
  [
    'card numbers',
    createListResponse(...customersWithCards),
    {
      tallies: expect.objectContaining({
        'card-number-form': {
          'first 6 and last 4 digits': 1,
          'first 6 digits': 1,
          'no digits': 1,
          'not masked': 1,
          'another form': 1,
        },
      }),
    },
  ],
  [
    'an error',
    json(404, { code: 404 }),
    {
      kind: 'rejection',
      error: { label: 'refused as 404', body: 'JSON of `code` integer' },
      hasRecord: false,
    },
  ],
  [
    'an error with fields of every type',
    json(422, { code: 4221, ratio: 1.5, message: 'no', data: null, errors: ['a'], meta: {}, final: true }),
    {
      error: {
        label: 'refused as 4221',
        body: 'JSON of `code` integer, `data` null, `errors` array, `final` boolean, `message` string, `meta` object, `ratio` number',
      },
    },
  ],
  [
    'an error in a success',
    json(200, { code: 42201 }),
    { kind: 'rejection', error: { label: 'refused as 42201', body: 'JSON of `code` integer' } },
  ],
  [
    'a server error',
    json(500, {}),
    {
      kind: 'server error',
      error: { label: 'server error 500', body: 'JSON of other fields' },
    },
  ],
  [
    'a page for browsers',
    htmlPage,
    { kind: 'rejection', error: { label: 'refused as 200', body: 'an HTML page' } },
  ],
];

for (const [what, answer, content] of contentRows)
  test(`the content of ${what} holds the facts that questions read`, () => {
    expect(observeList(answer, 'secret').content ?? {}).toEqual(expect.objectContaining(content));
  });

test('records are distinguished by hashes that depend on the secret of the run', () => {
  const uuid = '0B0B0B0B-0000-4000-8000-000000000000';
  const answer = createListResponse({ uuid }, { uuid: uuid.toLowerCase() }, { uuid: 'b' }, { name: 'Ada' });
  const hashCustomers = (secret: string) => observeList(answer, secret).content?.lists.customers ?? [];
  const [first, sameHash, otherHash, hashWithoutKey] = hashCustomers('secret');
  expect(hashCustomers('secret')).toEqual([first, first, otherHash, hashWithoutKey]);
  expect(sameHash).toBe(first);
  expect(new Set(hashCustomers('secret')).size).toBe(3);
  expect(hashCustomers('other').filter((hash) => hashCustomers('secret').includes(hash))).toEqual([]);
  expect(JSON.stringify(observeList(answer, 'secret').content)).not.toMatch(/0b0b|Ada/i);
});

test('a success that is not UTF-8 has no content and is not a rejection', () => {
  expect(observeList(latin1Response, 'secret')).toMatchObject({ kind: 'success' });
  expect(observeList(latin1Response, 'secret').content).toBeUndefined();
});

test('observations have content only with a content reader, and totals have no content', () => {
  expect(observeList(createListResponse())).not.toHaveProperty('content');
  const observation = observeList(createListResponse(), 'secret');
  expect(observation).toHaveProperty('content');
  for (const { observations } of [new Totals([observation]), new Totals([observation, observation])])
    for (const sum of observations) expect(sum).not.toHaveProperty('content');
});
