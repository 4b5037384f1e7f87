import { expect, test } from '@playwright/test';
import { body, harEntry, harOf, isExchange, list, readBytes, readOne, summaryOf, textOf } from './reading.ts';

const size = body.length;
const base64 = Buffer.from(body).toString('base64');
const content = (changes: object) => ({
  content: { size, mimeType: 'application/json', text: body, ...changes },
});
const missingText = { text: undefined };
const contentLength = (length: number, more: object[] = []) => ({
  headers: [{ name: 'Content-Length', value: String(length) }, ...more],
});

test('an entry of a HAR becomes an exchange', async () => {
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    { name: ':status', value: '200' },
    { name: 'X-Two', value: 'a' },
    { name: 'x-two', value: 'b\nc' },
    { name: '__proto__', value: 'own' },
  ];
  const request = { method: 'GET', url: `${list.replace('//', '//user:secret@')}?limit=%31#part` };
  const read = await readOne(harEntry({ headers }, { request }));
  expect(read).toMatchObject({
    kind: 'exchange',
    base: 'https://api.example',
    exchange: {
      parameters: { limit: '1' },
      answer: { status: 200 },
      recorded: { headers: true, body: 'text' },
    },
    at: { from: Date.parse('2026-01-02T02:04:05.678Z'), source: '-', number: '1', index: 0 },
  });
  const expected = { 'content-type': 'application/json', 'x-two': 'a, b, c', ['__proto__']: 'own' };
  expect(read && isExchange(read) && { ...read.exchange.answer.headers }).toEqual(expected);
  expect(read && isExchange(read) && textOf(read)).toBe(body);
});

/** What is held of a body, by what the entry says of it. */
const bodies: [name: string, response: object, summary: string][] = [
  ['text of that size', content({}), '200 text'],
  ['text of unknown size', content({ size: -1 }), '200 text'],
  ['base64', content({ text: base64, encoding: 'base64' }), '200 text'],
  [
    'base64 in lines',
    content({ text: `${base64.slice(0, 20)}\r\n${base64.slice(20)}`, encoding: 'base64' }),
    '200 text',
  ],
  ['no text (Chrome without content, Playwright omit)', content(missingText), '200 nothing'],
  ['no text and no size', content({ text: undefined, size: 0 }), '200 nothing'],
  ['text that is null (mitmproxy, streamed)', content({ text: null, size: 0 }), '200 nothing'],
  [
    'no text, with a comment (Fiddler)',
    content({ text: undefined, comment: 'Body length exceeded' }),
    '200 nothing',
  ],
  [
    'no text, discarded (Firefox)',
    content({ text: undefined, size: -1, comment: 'not included' }),
    '200 nothing',
  ],
  ['an empty text of size 0', content({ text: '', size: 0 }), '200 text'],
  ['an empty text of unknown size', content({ text: '', size: -1 }), '200 nothing'],
  ['no content at all', { content: undefined }, '200 nothing'],
  ['text shorter than its size (Firefox beyond its limit)', content({ size: size + 900 }), '200 nothing'],
  ['text longer than its size', content({ size: 7 }), '200 nothing'],
  ['text of size 0', content({ size: 0 }), '200 nothing'],
  [
    'compressed size and what compression saved (mitmproxy)',
    content({ size: 30, compression: size - 30 }),
    '200 text',
  ],
  ['a small body that compression made larger', content({ size: size + 18, compression: -18 }), '200 text'],
  ['characters for bytes', content({ text: '{"name":"Zoë"}', size: 14 }), '200 text'],
  ['a byte order mark that was lost', content({ size: size + 3 }), '200 text'],
  ['replacement characters', content({ text: '"\ufffd"', size: 5 }), '200 value'],
  ['half of a surrogate pair', content({ text: '"\udc80"', size: -1 }), '200 value'],
  ['base64 that is none', content({ text: '{"code":200}', encoding: 'base64', size: -1 }), '200 nothing'],
  [
    'base64 that was cut',
    content({ text: base64.slice(0, -6), encoding: 'base64', size: -1 }),
    '200 nothing',
  ],
  ['base64 of another size', content({ text: 'e30=', encoding: 'base64' }), '200 nothing'],
  ['base64 that nobody marked (old Edge)', content({ text: base64 }), '200 nothing'],
  ['an unknown encoding', content({ encoding: 'gzip' }), '200 nothing'],
  ['less than Content-Length', { ...content({ size: -1 }), ...contentLength(size + 10) }, '200 nothing'],
  ['as much as Content-Length', { ...content({ size: -1 }), ...contentLength(size) }, '200 text'],
  [
    'less than Content-Length of a compressed body',
    { ...content({ size: -1 }), ...contentLength(999, [{ name: 'Content-Encoding', value: 'gzip' }]) },
    '200 text',
  ],
  ['whole, as HTTP 206', { ...content({}), status: 206 }, '206 text'],
];

for (const [name, response, summary] of bodies) {
  test(`a body recorded as ${name} is: ${summary}`, async () => {
    const read = await readOne(harEntry(response));
    expect(summaryOf(read)).toBe(summary);
  });
}

const getCard = { method: 'GET', url: list };
const asking = (method: unknown, url: unknown) => ({ request: { method, url } });

/** Why an entry does not count. */
const skipped: [reason: string, response: object, entry?: object][] = [
  ['other method', {}, asking('POST', list)],
  ['other method', {}, asking('get', list)],
  ['not HTTP', { status: 101 }, asking('GET', 'wss://api.example/live')],
  ['not HTTP', {}, asking('GET', 'data:application/json,{}')],
  ['malformed entry', {}, asking('GET', '/cards/1')],
  ['malformed entry', {}, asking(7, 'https://api.example/')],
  ['malformed entry', {}, { request: undefined }],
  ['malformed entry', { status: '200' }],
  ['malformed entry', { status: 200.5 }],
  ['malformed entry', { status: 1e9 }],
  ['no response', {}, { response: undefined }],
  ['no response', { status: 0 }],
  ['no response', { status: -1 }],
  ['no response', { status: 101 }],
  ['aborted', {}, { _wasAborted: true }],
  ['aborted', { _failureText: 'net::ERR_ABORTED' }],
  ['aborted', { _error: 'net::ERR_ABORTED' }],
  ['aborted', { status: 0, _error: 'connection lost' }],
  ['aborted', { _charlesStatus: 'EXCEPTION' }],
  ['answered by a test', {}, { _wasFulfilled: true }],
  ['from a cache or service worker', {}, { _fromCache: 'disk' }],
  ['from a cache or service worker', { _fetchedViaServiceWorker: true }],
  ['not modified (304)', { status: 304 }],
  ['redirect', { status: 302 }],
  ['too many requests (429)', { status: 429 }],
  ['server error (5xx)', { status: 503 }],
  ['undocumented request', { status: 206, headers: [{ name: 'Content-Range', value: 'bytes 0-1/2' }] }],
  [
    'undocumented request',
    { status: 206 },
    { request: { ...getCard, headers: [{ name: 'range', value: 'bytes=0-' }] } },
  ],
];

for (const [index, [reason, response, entry]] of skipped.entries()) {
  test(`entry ${index} does not count: ${reason}`, async () => {
    expect(summaryOf(await readOne(harEntry(response, entry)))).toBe(`skipped: ${reason}`);
  });
}

test('what recorders say of a response that is whole does not keep it from counting', async () => {
  const whole = {
    _error: null,
    _failureText: '',
    _charlesStatus: 'Complete',
    _fetchedViaServiceWorker: true,
  };
  const response = { ...whole, _serviceWorkerResponseSource: 'network', statusText: null };
  expect(summaryOf(await readOne(harEntry(response, { _wasAborted: false })))).toBe('200 text');
});

test('a 404 says nothing of a lookup, and of a list it is a response as any', async () => {
  const at = (url: string) => readOne(harEntry({ status: 404 }, { request: { method: 'GET', url } }));
  expect(summaryOf(await at(`${list}/cus-1`))).toBe('skipped: record not found (404)');
  expect(summaryOf(await at(list))).toBe('404 text');
  expect(summaryOf(await at(`${list}s`))).toBe('skipped: other path');
});

test('the time counts only when it names its zone', async () => {
  const times = [
    '2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05.123456+00:00',
    '2026-01-02T03:04:05',
    'today',
    7,
  ];
  const read = await readBytes(harOf(times.map((startedDateTime) => harEntry({}, { startedDateTime }))));
  const started = read.map((entry) => isExchange(entry) && entry.at.from);
  const known = ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.123Z'].map(Date.parse);
  expect(started).toEqual([...known, Number.NaN, Number.NaN, Number.NaN]);
});
