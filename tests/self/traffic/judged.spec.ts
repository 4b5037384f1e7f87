import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { feeRule } from '../../../mock/records.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readTraffic } from '../../../src/traffic/read-traffic.ts';
import { customerOf } from '../harness/list-provider.ts';
import { addressesWith } from '../harness/provider.ts';
import { judgedTraffic, line } from './judging.ts';

const recording = (name: string) => fileURLToPath(new URL(`recordings/${name}`, import.meta.url));

/** What the recorded providers have named, in fields and elsewhere. */
const named = new Set(readFileSync(recording('playwright-embed-conforming.har'), 'utf8').match(/[\w-]+/g));

const recorders: [recorder: string, file: (provider: string) => string, hasBodies: boolean][] = [
  ['Playwright, embed', (provider) => `playwright-embed-${provider}.har`, true],
  ['Playwright, omit', (provider) => `playwright-omit-${provider}.har`, false],
  ['Playwright, zip', (provider) => `playwright-attach-${provider}.zip`, true],
  ['Playwright, attach', (provider) => `playwright-attach-${provider}/session.har`, true],
  ['mitmproxy', (provider) => `mitmproxy-${provider}.har`, true],
];

const broken = ['getCard/data/card/expiration_date', 'getFeeRules/rules/unique-keys'];

for (const [recorder, fileOf, hasBodies] of recorders)
  for (const [provider, expected] of [
    ['conforming', []],
    ['faulty', broken],
  ] as const) {
    test(`what ${recorder} recorded of a ${provider} provider is judged like that provider`, async () => {
      const { results, exercised, traffic } = await judgedTraffic([recording(fileOf(provider))]);
      // A field that the provider did not have may be required since it was recorded.
      const known = results.filter(({ address }) => {
        const [, field = ''] = /\/data\/.*?([\w-]+)[/*]*$/.exec(address) ?? [];
        return field === '' || named.has(field);
      });
      expect(addressesWith(known, 'violation')).toEqual(hasBodies ? expected : []);
      expect(exercised.some((address) => address.includes('/data/'))).toBe(hasBodies);
      expect(exercised).toContain('getCard/http/content-type');
      expect(traffic).toMatchObject({ judged: 6, broken: [] });
      expect(traffic.skipped).toMatchObject({ redirect: 1, 'record not found (404)': 1 });
      expect(traffic.from && traffic.until && traffic.from <= traffic.until).toBe(true);
    });
  }

test('a pattern stands for files in the order of their names, and each file counts once', async () => {
  const numbers = new Set<string>();
  const sources = [recording('*-conforming*'), recording('mitmproxy-conforming.har')];
  for await (const one of readTraffic(sources, { operations: loadContract().operations }))
    if (one.kind !== 'broken') numbers.add(`${one.at.number} ${path.basename(one.at.source)}`);
  expect([...numbers]).toEqual([
    '1.1 mitmproxy-conforming.har',
    '1.2 playwright-attach-conforming.zip',
    '1.3 playwright-embed-conforming.har',
    '1.4 playwright-omit-conforming.har',
  ]);
});

test('only exchanges below BASE_URL count, if it is set', async () => {
  const text = ['http://one.example/gate', 'http://one.example/gates', 'http://other.example/gate']
    .map((base) => line({ url: `${base}/svc/payment/api/v1/openapi/customers` }))
    .join('');
  const { traffic } = await judgedTraffic(['-'], { text, baseUrl: 'http://one.example/gate' });
  expect(traffic).toMatchObject({ exchanges: 3, judged: 1, skipped: { 'other path': 2 } });
  expect((await judgedTraffic(['-'], { text })).traffic.judged).toBe(3);
});

test('what holds no exchange is said to', async () => {
  for (const text of ['', '\n\n', '{"log":{"entries":[]}}'])
    expect((await judgedTraffic(['-'], { text })).traffic.broken).toEqual([
      'TRAFFIC holds no recorded exchange: name a recording',
    ]);
});

const card = 'https://api.example/svc/ts/api/v1/openapi/cards/0b7e2a52-0000-4000-8000-000000000001';
const customers = 'https://api.example/svc/payment/api/v1/openapi/customers';
const fees = 'https://api.example/api/v1/openapi/digital_wallets/fee_rule';
const rejected = (code: number) => JSON.stringify({ code, message: 'no', data: null });

const undocumented = 'undocumented request';
const notFound = 'record not found (404)';
const leftOpen = 'error response that the contract leaves open';
const emptyList = '{"code":404,"message":"no","data":{"customers":[]}}';
const page = `${customers}?offset=1`;
const unjudged: [name: string, entry: object, reason: string][] = [
  ['a card that is not found', { url: card, status: 404 }, notFound],
  ['a card that is not found, as an envelope', { url: card, body: rejected(404) }, leftOpen],
  ['a card without content', { url: card, status: 204, body: '' }, leftOpen],
  ['another success with an error code', { url: card, status: 202, body: rejected(404) }, leftOpen],
  ['a page that is rejected', { url: page, status: 400, body: rejected(400) }, leftOpen],
  ['an error code beside an empty list', { url: page, body: emptyList }, leftOpen],
  ['a user that is not known', { url: `${fees}?type=user&user_id=u`, status: 404 }, notFound],
  ['rejected credentials', { status: 401, body: '' }, 'unauthorized (401, 403, 407)'],
  ['rejected credentials, as an envelope', { body: rejected(403) }, 'unauthorized (401, 403, 407)'],
  ['a rate limit, as an envelope', { body: rejected(429) }, 'too many requests (429)'],
  ['a server error, as an envelope', { body: rejected(500) }, 'server error (5xx)'],
  ['a parameter that is not documented', { url: `${customers}?fields=uuid` }, undocumented],
  ['a value that is not documented', { url: `${customers}?limit=all` }, undocumented],
  ['a parameter given twice', { url: `${customers}?limit=1&limit=2` }, undocumented],
  ['a required parameter that is left out', { url: fees }, undocumented],
  ['a card without a UUID', { url: `${card.slice(0, -5)}` }, undocumented],
  ['a resource beside customers', { url: `${customers}/count`, body: '{"data":{}}' }, 'other path'],
];

for (const [name, entry, reason] of unjudged)
  test(`nothing is said of ${name}`, async () => {
    const { violated, exercised, traffic } = await judgedTraffic(['-'], { text: line(entry) });
    expect({ violated, exercised }).toEqual({ violated: [], exercised: [] });
    expect(traffic).toMatchObject({ exchanges: 1, judged: 0, skipped: { [reason]: 1 } });
  });

const customer = customerOf(1, { uuid: 'cus-1' });

const ofOther = JSON.stringify({ code: 200, message: '', data: { fee_rules: [feeRule({ user_id: 'u2' })] } });

const numbered = { body: { code: 200, message: '', data: { customers: [{ ...customer, uuid: 7 }] } } };

/** Of faults, the proof shows that a recording breaks what the provider breaks. */
const judged: [name: string, entry: object, violated: string[]][] = [
  ['an error code beside an empty list, for the whole list', { body: emptyList }, ['listCustomers/code']],
  ['a list with another status', { status: 201 }, ['listCustomers/http/status']],
  ['a page as HTTP 206', { url: page, status: 206 }, ['listCustomers/http/status']],
  ['HTTP 202 without the card', { url: card, status: 202, body: '{"data":{}}' }, ['getCard/http/status']],
  ['a list without a media type', { headers: { date: 'x' } }, ['listCustomers/http/content-type']],
  ['a list of which no header was recorded', { headers: undefined }, []],
  ['a web page', { headers: { 'content-type': 'text/html' }, body: '<p>' }, []],
  ['a business that ignores a user', { url: `${fees}?type=business&user_id=u1`, body: ofOther }, []],
  ['a value that the recorder has read', numbered, ['listCustomers/data/customers/*/uuid']],
];

for (const [name, entry, expected] of judged)
  test(`${name} breaks ${expected.join(', ') || 'nothing'}`, async () => {
    const { violated, traffic } = await judgedTraffic(['-'], { text: line(entry) });
    expect(traffic).toMatchObject({ judged: 1, skipped: {} });
    expect(violated).toEqual(expected);
  });

const listOf = (uuid: string) =>
  line({ body: JSON.stringify({ code: 200, message: '', data: { customers: [{ ...customer, uuid }] } }) });
const lookup = (segment: string, data: object, changes: object = {}) => {
  const body = JSON.stringify({ code: 200, message: '', data });
  return line({ url: `${customers}/${segment}`, body, ...changes });
};
const top10 = { customer: { ...customer, uuid: 'top10' } };
const csv = { headers: { 'content-type': 'text/csv' }, body: 'a;b' };

const wrongCustomer = { customer: { ...top10.customer, dial_code: 1 } };
const shownBefore = lookup('top10', top10) + lookup('top10', { customer });

/** Of what is below the customers and is named by no UUID, only what is shown to be a customer is judged. */
const others: [name: string, text: string, violated: string[]][] = [
  ['a file', listOf('cus-1') + lookup('export.csv', {}, csv), []],
  ['an alias', listOf('cus-1') + lookup('me', { customer }), []],
  ['a customer that a list has shown', listOf('top10') + lookup('top10', {}), ['data/customer']],
  ['a customer that it shows itself', lookup('top10', wrongCustomer), ['data/customer/dial_code']],
  ['a customer that was shown before', shownBefore, ['rules/id-is-requested']],
];

for (const [name, text, expected] of others)
  test(`${name} by an odd name breaks ${expected.join(', ') || 'nothing'}`, async () => {
    const { violated, traffic } = await judgedTraffic(['-'], { text });
    expect(violated).toEqual(expected.map((one) => `getCustomer/${one}`));
    expect(traffic.skipped['other path'] ?? 0).toBe(expected.length === 0 ? 1 : 0);
  });

test('exchanges are folded as they are read, and identifiers numbered', async () => {
  const body = JSON.stringify({ code: 200, message: 7, data: { customer } });
  const lookups = ['cus-9001', 'cus-9002', 'cus-9002'].map((uuid, index) => {
    const own = body.replace(customer.uuid, uuid);
    return line({ url: `${customers}/${uuid}`, body: index === 0 ? own.replace('7', '""') : own });
  });
  const query = 'limit=7&offset=1234567&linked_source_type=Store';
  const text = lookups.join('') + line({ url: `${customers}?${query}`, body: body.replace('customer', 'x') });
  const { results } = await judgedTraffic(['-'], { text });
  const messageOf = (operation: string) => results.find(({ address }) => address === `${operation}/message`);
  expect(messageOf('getCustomer')).toMatchObject({ requests: 3, affected: 2, exercised: 3 });
  const path = 'GET /svc/payment/api/v1/openapi/customers';
  expect(messageOf('getCustomer')?.findings).toMatchObject([
    { exchange: `${path}/{customer 2}`, requests: 2 },
  ]);
  const exchange = `${path}?limit=7&offset={offset}&linked_source_type=Store`;
  expect(messageOf('listCustomers')?.findings).toMatchObject([{ exchange }]);
  expect(JSON.stringify(results)).not.toContain('cus-900');
});
