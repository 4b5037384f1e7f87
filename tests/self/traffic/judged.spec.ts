import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { createFeeRule } from '../../../mock/records.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readTraffic } from '../../../src/traffic/read-traffic.ts';
import { createListedCustomer } from '../harness/list-provider.ts';
import { listAddressesWith } from '../harness/provider.ts';
import { createExchangeLine, judgeSources } from './judging.ts';
import { createHar, createHarEntry, listUrl, readSingleEntry, summarizeEntry } from './reading.ts';

const getRecordingPath = (name: string) => fileURLToPath(new URL(`recordings/${name}`, import.meta.url));

const recordingText = readFileSync(getRecordingPath('playwright-embed-conforming.har'), 'utf8');
/** All words of a recording, including its field names. */
const wordsInRecording = new Set(recordingText.match(/[\w-]+/g));

const recorders: [recorder: string, getFileName: (provider: string) => string, hasBodies: boolean][] = [
  ['Playwright, embed', (provider) => `playwright-embed-${provider}.har`, true],
  ['Playwright, omit', (provider) => `playwright-omit-${provider}.har`, false],
  ['Playwright, zip', (provider) => `playwright-attach-${provider}.zip`, true],
  ['Playwright, attach', (provider) => `playwright-attach-${provider}/session.har`, true],
  ['mitmproxy', (provider) => `mitmproxy-${provider}.har`, true],
];

const brokenAddresses = ['getCard/data/card/expiration_date', 'getFeeRules/rules/unique-keys'];

for (const [recorder, getFileName, hasBodies] of recorders)
  for (const [provider, expected] of [
    ['conforming', []],
    ['faulty', brokenAddresses],
  ] as const) {
    test(`a recording of a ${provider} provider by ${recorder} is judged like that provider`, async () => {
      const { results, exercised, traffic } = await judgeSources([getRecordingPath(getFileName(provider))]);
      // A field that the recorded provider lacks may have become required since.
      const knownResults = results.filter(({ address }) => {
        const [, field = ''] = /\/data\/.*?([\w-]+)[/*]*$/.exec(address) ?? [];
        return field === '' || wordsInRecording.has(field);
      });
      expect(listAddressesWith(knownResults, 'violation')).toEqual(hasBodies ? expected : []);
      expect(exercised.some((address) => address.includes('/data/'))).toBe(hasBodies);
      expect(exercised).toContain('getCard/http/content-type');
      expect(traffic).toMatchObject({ judged: 6, broken: [] });
      expect(traffic.skipped).toMatchObject({ redirect: 1, 'record not found (404)': 1 });
      expect(traffic.from && traffic.until && traffic.from <= traffic.until).toBe(true);
    });
  }

test('a pattern stands for files in the order of their names, and each file counts once', async () => {
  const numbers = new Set<string>();
  const sources = [getRecordingPath('*-conforming*'), getRecordingPath('mitmproxy-conforming.har')];
  for await (const entry of readTraffic(sources, { operations: loadContract().operations }))
    if (entry.kind !== 'broken') numbers.add(`${entry.at.number} ${path.basename(entry.at.source)}`);
  expect([...numbers]).toEqual([
    '1.1 mitmproxy-conforming.har',
    '1.2 playwright-attach-conforming.zip',
    '1.3 playwright-embed-conforming.har',
    '1.4 playwright-omit-conforming.har',
  ]);
});

test('only exchanges below BASE_URL count, if it is set', async () => {
  const text = ['http://one.example/gate', 'http://one.example/gates', 'http://other.example/gate']
    .map((base) => createExchangeLine({ url: `${base}/svc/payment/api/v1/openapi/customers` }))
    .join('');
  const { traffic } = await judgeSources(['-'], { text, baseUrl: 'http://one.example/gate' });
  expect(traffic).toMatchObject({ exchanges: 3, judged: 1, skipped: { 'other path': 2 } });
  expect((await judgeSources(['-'], { text })).traffic.judged).toBe(3);
});

test('a recording without exchanges is reported', async () => {
  for (const text of ['', '\n\n', '{"log":{"entries":[]}}'])
    expect((await judgeSources(['-'], { text })).traffic.broken).toEqual([
      'the recorded traffic holds no exchange: name another file',
    ]);
});

const cardUrl = 'https://api.example/svc/ts/api/v1/openapi/cards/0b7e2a52-0000-4000-8000-000000000001';
const customersUrl = 'https://api.example/svc/payment/api/v1/openapi/customers';
const feeRuleUrl = 'https://api.example/api/v1/openapi/digital_wallets/fee_rule';
const createRejection = (code: number) => JSON.stringify({ code, message: 'no', data: null });

const undocumented = 'undocumented request';
const notFound = 'record not found (404)';
const leftOpen = 'error response that the contract leaves open';
const emptyList = '{"code":404,"message":"no","data":{"customers":[]}}';
const pageUrl = `${customersUrl}?offset=1`;
const unjudgedRows: [name: string, entry: object, reason: string][] = [
  ['a card that is not found', { url: cardUrl, status: 404 }, notFound],
  ['a card that is not found, as an envelope', { url: cardUrl, body: createRejection(404) }, leftOpen],
  ['a card without content', { url: cardUrl, status: 204, body: '' }, leftOpen],
  ['another success with an error code', { url: cardUrl, status: 202, body: createRejection(404) }, leftOpen],
  ['a page that is rejected', { url: pageUrl, status: 400, body: createRejection(400) }, leftOpen],
  ['an error code beside an empty list', { url: pageUrl, body: emptyList }, leftOpen],
  ['a user that is not known', { url: `${feeRuleUrl}?type=user&user_id=u`, status: 404 }, notFound],
  ['rejected credentials', { status: 401, body: '' }, 'unauthorized (401, 403, 407)'],
  ['rejected credentials, as an envelope', { body: createRejection(403) }, 'unauthorized (401, 403, 407)'],
  ['a request that came too early (RFC 8470)', { status: 425 }, 'server error (5xx)'],
  ['a rate limit, as an envelope', { body: createRejection(429) }, 'too many requests (429)'],
  ['a server error, as an envelope', { body: createRejection(500) }, 'server error (5xx)'],
  [
    'a challenge of AWS WAF',
    { status: 202, headers: { 'x-amzn-waf-action': 'challenge' }, body: '' },
    'not answered by the target',
  ],
  ['a parameter that is not documented', { url: `${customersUrl}?fields=uuid` }, undocumented],
  ['a value that is not documented', { url: `${customersUrl}?limit=all` }, undocumented],
  ['a parameter given twice', { url: `${customersUrl}?limit=1&limit=2` }, undocumented],
  ['a required parameter that is left out', { url: feeRuleUrl }, undocumented],
  ['a card without a UUID', { url: `${cardUrl.slice(0, -5)}` }, undocumented],
  ['a resource beside customers', { url: `${customersUrl}/count`, body: '{"data":{}}' }, 'other path'],
];

for (const [name, entry, reason] of unjudgedRows)
  test(`a recording of ${name} is not judged`, async () => {
    const { violated, exercised, traffic } = await judgeSources(['-'], { text: createExchangeLine(entry) });
    expect({ violated, exercised }).toEqual({ violated: [], exercised: [] });
    expect(traffic).toMatchObject({ exchanges: 1, judged: 0, skipped: { [reason]: 1 } });
  });

const createTypeHeader = (type: string) => ({ headers: [{ name: 'Content-Type', value: type }] });
const [asXml, asHtml] = [createTypeHeader('application/xml;charset=UTF-8'), createTypeHeader('text/html')];
const acceptOfSpring = 'application/xml, text/xml, application/json, application/*+xml, application/*+json';
const acceptOfAxios = 'application/json, text/plain, */*';

/** Headers of a request, and changes of its response. */
const requestHeaderRows: [name: string, headers: object, response: object, result: string][] = [
  ['XML to RestTemplate of Spring', { Accept: acceptOfSpring }, asXml, undocumented],
  ['a web page to RestTemplate of Spring', { Accept: acceptOfSpring }, asHtml, 'judged'],
  ['XML where JSON is second', { Accept: 'application/xml, application/json; q=0.9' }, asXml, undocumented],
  ['XML where JSON is first', { Accept: 'application/json, application/xml;q=0.9' }, asXml, 'judged'],
  ['XML where JSON is in capitals', { Accept: 'APPLICATION/JSON' }, asXml, 'judged'],
  ['text to axios', { Accept: acceptOfAxios }, createTypeHeader('text/plain'), undocumented],
  ['a web page to axios', { Accept: acceptOfAxios }, asHtml, 'judged'],
  ['a web page to fetch()', { Accept: '*/*' }, asHtml, 'judged'],
  ['a web page to a browser', { Accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' }, asHtml, undocumented],
  ['HTTP 406 where only XML is accepted', { Accept: 'application/xml' }, { status: 406 }, undocumented],
  ['HTTP 406 where JSON is accepted', { Accept: acceptOfAxios }, { status: 406 }, 'judged'],
  ['HTTP 206 to a range', { Range: 'bytes=0-' }, { status: 206 }, undocumented],
  ['HTTP 416 to a range', { Range: 'bytes=900-' }, { status: 416 }, undocumented],
  ['HTTP 200 to a range', { Range: 'bytes=0-' }, {}, 'judged'],
  ['HTTP 206 to a request without a range', {}, { status: 206 }, 'judged'],
];

for (const [name, headers, response, result] of requestHeaderRows)
  test(`a recording of ${name}: ${result}`, async () => {
    const headerList = Object.entries(headers).map(([header, value]) => ({ name: header, value }));
    const request = { method: 'GET', url: listUrl, headers: headerList };
    const summary = summarizeEntry(await readSingleEntry(createHarEntry(response, { request })));
    expect(summary.startsWith('skipped: ') ? summary : 'judged').toBe(
      result === 'judged' ? result : `skipped: ${result}`,
    );
  });

const customer = createListedCustomer(1, { uuid: 'cus-1' });

const feeRulesOfOtherUser = JSON.stringify({
  code: 200,
  message: '',
  data: { fee_rules: [createFeeRule({ user_id: 'u2' })] },
});

const numericUuid = { body: { code: 200, message: '', data: { customers: [{ ...customer, uuid: 7 }] } } };

/** Change of a valid recorded exchange and the violations: `{ status: 201 }`, `['listCustomers/http/status']`. */
const judgedRows: [name: string, entry: object, violated: string[]][] = [
  // An error in every response blocks the run, since nothing shows that the target conforms or not.
  ['an error code beside an empty list, in the only response,', { body: emptyList }, []],
  ['a list with another status', { status: 201 }, ['listCustomers/http/status']],
  ['a page as HTTP 206', { url: pageUrl, status: 206 }, ['listCustomers/http/status']],
  ['HTTP 202 without the card', { url: cardUrl, status: 202, body: '{"data":{}}' }, ['getCard/http/status']],
  ['a list without a media type', { headers: { date: 'x' } }, ['listCustomers/http/content-type']],
  ['a list of which no header was recorded', { headers: undefined }, []],
  ['a web page', { headers: { 'content-type': 'text/html' }, body: '<p>' }, []],
  [
    'a business that ignores a user',
    { url: `${feeRuleUrl}?type=business&user_id=u1`, body: feeRulesOfOtherUser },
    [],
  ],
  ['a value that the recorder has read', numericUuid, ['listCustomers/data/customers/*/uuid']],
];

for (const [name, entry, expected] of judgedRows)
  test(`${name} breaks ${expected.join(', ') || 'nothing'}`, async () => {
    const { violated, traffic } = await judgeSources(['-'], { text: createExchangeLine(entry) });
    expect(traffic).toMatchObject({ judged: 1, skipped: {} });
    expect(violated).toEqual(expected);
  });

const createListLine = (uuid: string) =>
  createExchangeLine({
    body: JSON.stringify({ code: 200, message: '', data: { customers: [{ ...customer, uuid }] } }),
  });
const createLookupLine = (id: string, data: object, changes: object = {}) => {
  const body = JSON.stringify({ code: 200, message: '', data });
  return createExchangeLine({ url: `${customersUrl}/${id}`, body, ...changes });
};
const top10 = { customer: { ...customer, uuid: 'top10' } };
const csvResponse = { headers: { 'content-type': 'text/csv' }, body: 'a;b' };

const wrongCustomer = { customer: { ...top10.customer, dial_code: 1 } };
const shownBefore = createLookupLine('top10', top10) + createLookupLine('top10', { customer });

/** Recordings of requests such as `/customers/me`, and the requirements that they violate. */
const oddNameRows: [name: string, text: string, violated: string[]][] = [
  // A request is judged only if its own or an earlier response shows the requested customer.
  ['a file', createListLine('cus-1') + createLookupLine('export.csv', {}, csvResponse), []],
  ['an alias', createListLine('cus-1') + createLookupLine('me', { customer }), []],
  [
    'a customer that a list has shown',
    createListLine('top10') + createLookupLine('top10', {}),
    ['data/customer'],
  ],
  ['a customer that it shows itself', createLookupLine('top10', wrongCustomer), ['data/customer/dial_code']],
  ['a customer that was shown before', shownBefore, ['rules/id-is-requested']],
];

for (const [name, text, expected] of oddNameRows)
  test(`${name} with an odd name breaks ${expected.join(', ') || 'nothing'}`, async () => {
    const { violated, traffic } = await judgeSources(['-'], { text });
    expect(violated).toEqual(expected.map((address) => `getCustomer/${address}`));
    expect(traffic.skipped['other path'] ?? 0).toBe(expected.length === 0 ? 1 : 0);
  });

test('exchanges are added up while they are read, and identifiers are numbered', async () => {
  const body = JSON.stringify({ code: 200, message: 7, data: { customer } });
  const lookups = ['cus-9001', 'cus-9002', 'cus-9002'].map((uuid, index) => {
    const bodyOfCustomer = body.replace(customer.uuid, uuid);
    return createExchangeLine({
      url: `${customersUrl}/${uuid}`,
      body: index === 0 ? bodyOfCustomer.replace('7', '""') : bodyOfCustomer,
    });
  });
  const query = 'limit=7&offset=1234567&linked_source_type=Store';
  const text =
    lookups.join('') +
    createExchangeLine({ url: `${customersUrl}?${query}`, body: body.replace('customer', 'x') });
  const { results } = await judgeSources(['-'], { text });
  const findMessageResult = (operation: string) =>
    results.find(({ address }) => address === `${operation}/message`);
  expect(findMessageResult('getCustomer')).toMatchObject({ requests: 3, affected: 2, exercised: 3 });
  const path = 'GET /svc/payment/api/v1/openapi/customers';
  expect(findMessageResult('getCustomer')?.findings).toMatchObject([
    { exchange: `${path}/{customer 2}`, requests: 2 },
  ]);
  const exchange = `${path}?limit=7&offset={offset}&linked_source_type=Store`;
  expect(findMessageResult('listCustomers')?.findings).toMatchObject([{ exchange }]);
  expect(JSON.stringify(results)).not.toContain('cus-900');
});

test('a recording without bodies does not show that a parameter was accepted', async () => {
  const content = { size: 60, mimeType: 'application/json' };
  const entry = createHarEntry(
    { content },
    { request: { method: 'GET', url: `${listUrl}?limit=5`, headers: [] } },
  );
  const { exercised } = await judgeSources(['-'], { text: createHar([entry]) });
  expect(exercised).toContain('listCustomers/http/status');
  expect(exercised.filter((address) => address.includes('/parameters/'))).toEqual([]);
});
