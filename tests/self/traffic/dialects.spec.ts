import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import {
  body,
  createHar,
  createHarEntry,
  decodeBody,
  isExchange,
  listUrl,
  readBytes,
  readSingleEntry,
  summarizeEntry,
} from './reading.ts';

const size = body.length;
const base64 = Buffer.from(body).toString('base64');
const createContent = (changes: object) => ({
  content: { size, mimeType: 'application/json', text: body, ...changes },
});
const createBase64Content = (text: string, changes = {}) =>
  createContent({ text, encoding: 'base64', ...changes });
const createMissingContent = (changes = {}) => createContent({ text: undefined, ...changes });
const createResponseOfLength = (length: number, ...furtherHeaders: object[]) => ({
  ...createContent({ size: -1 }),
  headers: [{ name: 'Content-Length', value: String(length) }, ...furtherHeaders],
});

test('an entry of a HAR becomes an exchange', async () => {
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'X-Two', value: 'a' },
    { name: 'x-two', value: 'b' },
    { name: '__proto__', value: 'own' },
  ];
  const request = { method: 'GET', url: `${listUrl.replace('//', '//user:secret@')}?limit=%31#part` };
  const entries = await readSingleEntry(createHarEntry({ headers }, { request }));
  expect(entries).toMatchObject({
    kind: 'exchange',
    base: 'https://api.example',
    exchange: {
      parameters: { limit: '1' },
      response: { status: 200 },
      recorded: { headers: true, body: 'text' },
    },
    at: { from: Date.parse('2026-01-02T02:04:05.678Z'), source: '-', number: '1', index: 0 },
  });
  const expected = { 'content-type': 'application/json', 'x-two': 'a, b', ['__proto__']: 'own' };
  expect(entries && isExchange(entries) && { ...entries.exchange.response.headers }).toEqual(expected);
  expect(entries && isExchange(entries) && decodeBody(entries)).toBe(body);
});

/** How much of a recorded body is readable: text, JSON value only, or nothing. */
type BodyPart = 'text' | 'value' | 'nothing';

/** HAR `response` as recorders store it, and the readable part of its body. */
const harRows: [name: string, response: object, bodyPart: BodyPart][] = [
  ['text of that size', createContent({}), 'text'],
  ['text of unknown size', createContent({ size: -1 }), 'text'],
  ['base64', createBase64Content(base64), 'text'],
  ['no text (Chrome without content, Playwright omit)', createMissingContent(), 'nothing'],
  ['text that is null (mitmproxy, streamed)', createContent({ text: null, size: 0 }), 'nothing'],
  ['no text, discarded (Firefox)', createMissingContent({ size: -1, comment: 'not included' }), 'nothing'],
  ['an empty text of size 0', createContent({ text: '', size: 0 }), 'text'],
  ['an empty text of unknown size', createContent({ text: '', size: -1 }), 'nothing'],
  ['no content at all', { content: undefined }, 'nothing'],
  ['text shorter than its size (Firefox beyond its limit)', createContent({ size: size + 900 }), 'nothing'],
  ['text longer than its size', createContent({ size: 7 }), 'nothing'],
  ['text of size 0', createContent({ size: 0 }), 'nothing'],
  ['compressed size (mitmproxy)', createContent({ size: 30, compression: size - 30 }), 'text'],
  ['a small body that became larger', createContent({ size: size + 18, compression: -18 }), 'text'],
  ['characters for bytes', createContent({ text: '{"name":"Zoë"}', size: 14 }), 'text'],
  [
    'another charset, decoded by the recorder',
    {
      ...createContent({ text: '{"name":"Zoë"}', size: 14 }),
      headers: [{ name: 'Content-Type', value: 'application/json; charset=ISO-8859-1' }],
    },
    'value',
  ],
  ['a byte order mark that was lost', createContent({ size: size + 3 }), 'text'],
  ['replacement characters', createContent({ text: '"\ufffd"', size: 5 }), 'value'],
  ['half of a surrogate pair', createContent({ text: '"\udc80"', size: -1 }), 'value'],
  ['base64 that is none', createBase64Content('{"code":200}', { size: -1 }), 'nothing'],
  ['base64 that was cut', createBase64Content(base64.slice(0, -6), { size: -1 }), 'nothing'],
  ['base64 of another size', createBase64Content('e30='), 'nothing'],
  ['base64 that nobody marked (old Edge)', createContent({ text: base64 }), 'nothing'],
  ['an unknown encoding', createContent({ encoding: 'gzip' }), 'nothing'],
  ['less than Content-Length', createResponseOfLength(size + 4), 'nothing'],
  ['as much as Content-Length', createResponseOfLength(size), 'text'],
  [
    'less, and not compressed',
    createResponseOfLength(999, { name: 'Content-Encoding', value: 'Identity' }),
    'nothing',
  ],
  ['less, but compressed', createResponseOfLength(999, { name: 'Content-Encoding', value: 'gzip' }), 'text'],
];

for (const [name, response, bodyPart] of harRows)
  test(`the body of a HAR recorded as ${name} holds: ${bodyPart}`, async () => {
    expect(summarizeEntry(await readSingleEntry(createHarEntry(response)))).toBe(`200 ${bodyPart}`);
  });

const lineFields = { method: 'GET', url: listUrl, status: 200, startedAt: '2026-01-02T03:04:05Z' };
const createEncodingHeader = (encoding: string) => ({ headers: { 'Content-Encoding': encoding } });
const compressedBase64 = gzipSync(body).toString('base64');

/** Fields of a recorded JSON line, and the readable part of its body. */
const lineRows: [name: string, changes: object, bodyPart: BodyPart][] = [
  ['text', { body }, 'text'],
  ['base64', { bodyBase64: base64 }, 'text'],
  ['base64 that is none', { bodyBase64: '?' }, 'nothing'],
  ['a value', { body: { code: 200 } }, 'value'],
  [
    'base64 that is still compressed',
    { bodyBase64: compressedBase64, ...createEncodingHeader('gzip') },
    'nothing',
  ],
  ['base64 that was compressed', { bodyBase64: base64, ...createEncodingHeader('gzip') }, 'text'],
  ['gzip as text', { body: gzipSync(body).toString('latin1'), ...createEncodingHeader('gzip') }, 'nothing'],
  ['a web page', { body: `<p>${'é'.repeat(200)}`, ...createEncodingHeader('br') }, 'text'],
  ['nothing', {}, 'nothing'],
  [
    'less than Content-Length',
    { bodyBase64: base64, headers: { 'Content-Length': [`${size + 1}`] } },
    'nothing',
  ],
  ['a value of another length', { body: {}, headers: { 'Content-Length': '999' } }, 'value'],
];

for (const [name, changes, bodyPart] of lineRows)
  test(`the body of a line recorded as ${name} holds: ${bodyPart}`, async () => {
    const [entries] = await readBytes(`\n${JSON.stringify({ ...lineFields, ...changes })}\r\n\n`);
    expect(summarizeEntry(entries)).toBe(`200 ${bodyPart}`);
  });

test('the body of a line recorded as a value with too many levels holds nothing', async () => {
  const deepValue = '['.repeat(100_000) + ']'.repeat(100_000);
  const [entries] = await readBytes(`${JSON.stringify(lineFields).slice(0, -1)},"body":${deepValue}}`);
  expect(summarizeEntry(entries)).toBe('200 nothing');
});

test('a byte order mark before the first line is ignored', async () => {
  const text = `\ufeff${JSON.stringify({ ...lineFields, body })}\n${JSON.stringify({ ...lineFields, body })}\n`;
  const entries = await readBytes(text);
  expect(entries.map(summarizeEntry)).toEqual(['200 text', '200 text']);
  expect(entries[0]).toMatchObject({ at: { byteOffset: 0 } });
});

test('a broken line is reported with its byte, and the following lines count', async () => {
  const goodLine = JSON.stringify({ ...lineFields, headers: { 'X-A': ['1', '2', 3] }, body });
  const entries = await readBytes(`${goodLine}\n{"method": GET}\n${goodLine}\n${goodLine.slice(0, 50)}`);
  const [wrongByte, cutByte] = [goodLine.length + 1, 2 * goodLine.length + 18 + 50];
  const broken = [`broken: is not JSON at ${wrongByte}`, `broken: ends early at ${cutByte}`];
  expect(entries.map(summarizeEntry)).toEqual(['200 text', broken[0], '200 text', broken[1]]);
  const exchange = { response: { headers: { 'x-a': '1, 2' } } };
  expect(entries[0]).toMatchObject({ exchange, at: { from: Date.parse('2026-01-02T03:04:05Z') } });
});

const createRequest = (method: unknown, url: unknown, ...headers: object[]) => ({
  request: { method, url, headers },
});
const requestOfFirefox = createRequest('GET', listUrl, {
  name: 'User-Agent',
  value: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
});
const notByTarget = 'not answered by the target';

const skippedRows: [reason: string, response: object, entry?: object][] = [
  ['other method', {}, createRequest('POST', listUrl)],
  ['not HTTP', { status: 101 }, createRequest('GET', 'wss://api.example/live')],
  ['malformed entry', {}, createRequest('GET', '/cards/1')],
  ['malformed entry', {}, { request: undefined }],
  ['malformed entry', { status: '200' }],
  ['no response', {}, { response: undefined }],
  ['no response', { status: -1 }],
  [notByTarget, {}, { _wasAborted: true }],
  [notByTarget, {}, { _wasFulfilled: true }],
  [notByTarget, {}, { _fromCache: 'disk' }],
  // Safari.
  [notByTarget, {}, { _fetchType: 'Disk Cache' }],
  [notByTarget, { headersSize: 0 }, { time: 0, ...requestOfFirefox }],
  [notByTarget, { _failureText: 'net::ERR_ABORTED' }],
  [notByTarget, { status: 0, _error: 'connection lost' }],
  [notByTarget, { _fetchedViaServiceWorker: true }],
  ['redirect', { status: 300 }],
  ['too many requests (429)', { status: 429 }],
  ['server error (5xx)', { status: 500 }],
  ['record not found (404)', { status: 404 }, createRequest('GET', `${listUrl}/cus-1`)],
  ['other path', { status: 404 }, createRequest('GET', `${listUrl}s`)],
];

for (const [index, [reason, response, entry]] of skippedRows.entries())
  test(`entry ${index} is skipped: ${reason}`, async () => {
    expect(summarizeEntry(await readSingleEntry(createHarEntry(response, entry)))).toBe(`skipped: ${reason}`);
  });

test('a complete response counts despite empty failure marks, and so do 404 and 206', async () => {
  const completeMarks = { _error: null, _failureText: '', statusText: null };
  const entries = [
    createHarEntry(completeMarks, { _wasAborted: false }),
    createHarEntry({ status: 404 }, createRequest('GET', `${listUrl}?limit=5`)),
    createHarEntry({ status: 206 }),
  ];
  expect((await readBytes(createHar(entries))).map(summarizeEntry)).toEqual([
    '200 text',
    '404 text',
    '206 text',
  ]);
});

test('only the sizes and times of Firefox show a response of its cache', async () => {
  const entries = [
    createHarEntry({ headersSize: 181 }, { time: 0, ...requestOfFirefox }),
    createHarEntry({ headersSize: 0 }, { time: 5, ...requestOfFirefox }),
    createHarEntry({ headersSize: 0, bodySize: 0 }, { time: 0 }),
  ];
  expect((await readBytes(createHar(entries))).map(summarizeEntry)).toEqual(Array(3).fill('200 text'));
});

test('a time counts only if it names its zone', async () => {
  const timesWithZone = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123456+00:00'];
  const times = [...timesWithZone, '2026-01-02T03:04:05', 'today', 7];
  const entries = await readBytes(
    createHar(times.map((startedDateTime) => createHarEntry({}, { startedDateTime }))),
  );
  const startTimes = entries.map((entry) => isExchange(entry) && entry.at.from);
  expect(startTimes).toEqual([
    ...timesWithZone.map((time) => Date.parse(time)),
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});
