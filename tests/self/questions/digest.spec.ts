import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Answer } from '../../../src/client/http-client.ts';
import { type Digest, recordDigests } from '../../../src/questions/digest.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { json } from '../harness/examples.ts';
import { clientOf } from '../harness/provider.ts';

const path = '/svc/payment/api/v1/openapi/customers?limit=2';
const two = json(200, { code: 200, message: 'yes', data: { customers: [{ uuid: 'a' }, {}], total: 2 } });
const page = { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<p>') };
const states = ['Active', 'Active', 'Failed'].map((state) => ({ default_payment_token: { state } }));
const tokens = json(200, { code: 200, data: { customers: states } });
const counted = { ...two, headers: { ...two.headers, 'x-total-count': '2' } };
const down = { blocked: 'it is closed', repeated: 2 };
const announcements = ['header x-total-count', 'field total'];

/** What comes in, and what is kept of it. */
const digests: [what: string, answer: Answer, kept: Partial<Digest>][] = [
  ['a list', two, { kind: 'success', hasRecord: true, bytes: two.body.length, operation: 'listCustomers' }],
  ['an announced length', counted, { announcements, form: 'HTTP 200 with JSON of code, data, message' }],
  ['values', tokens, { tallies: expect.objectContaining({ 'token-states': { Active: 2, Failed: 1 } }) }],
  ['an error', json(404, { code: 404 }), { kind: 'rejection', label: 'refused as 404', hasRecord: false }],
  ['an error in a success', json(200, { code: 42201 }), { kind: 'rejection', label: 'refused as 42201' }],
  ['a server error', json(500, {}), { kind: 'server error', label: 'server error 500', status: 500 }],
  ['a page for browsers', page, { kind: 'rejection', form: 'HTTP 200 with an HTML page' }],
  ['no answer', down, { ...down, lists: {} }],
];

for (const [what, answer, kept] of digests)
  test(`a question reads of ${what} what it needs, by request`, async () => {
    const provider = clientOf(async () => answer);
    const client = recordDigests(provider, loadContract(), new Secrets([]));
    await client.get(path);
    expect(Object.fromEntries(client.recorded)).toMatchObject({
      [`${path} {}`]: { exchange: `GET ${path}`, ...kept },
    });
  });
