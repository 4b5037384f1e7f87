import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { body, harEntry, harOf, isExchange, list, readBytes, readOne, summaryOf, textOf } from './reading.ts';

const size = body.length;
const base64 = Buffer.from(body).toString('base64');
const content = (changes: object) => ({
  content: { size, mimeType: 'application/json', text: body, ...changes },
});
const encoded = (text: string, changes = {}) => content({ text, encoding: 'base64', ...changes });
const missing = (changes = {}) => content({ text: undefined, ...changes });
/** A text of unknown size, and a header that says how long the body was. */
const lengthOf = (length: number, ...more: object[]) => ({
  ...content({ size: -1 }),
  headers: [{ name: 'Content-Length', value: String(length) }, ...more],
});

test('an entry of a HAR becomes an exchange', async () => {
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'X-Two', value: 'a' },
    { name: 'x-two', value: 'b' },
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
  const expected = { 'content-type': 'application/json', 'x-two': 'a, b', ['__proto__']: 'own' };
  expect(read && isExchange(read) && { ...read.exchange.answer.headers }).toEqual(expected);
  expect(read && isExchange(read) && textOf(read)).toBe(body);
});

/** What is held of a body, by what the entry of a HAR says of it. */
const inHar: [name: string, response: object, holds: string][] = [
  ['text of that size', content({}), 'text'],
  ['text of unknown size', content({ size: -1 }), 'text'],
  ['base64', encoded(base64), 'text'],
  ['no text (Chrome without content, Playwright omit)', missing(), 'nothing'],
  ['text that is null (mitmproxy, streamed)', content({ text: null, size: 0 }), 'nothing'],
  ['no text, discarded (Firefox)', missing({ size: -1, comment: 'not included' }), 'nothing'],
  ['an empty text of size 0', content({ text: '', size: 0 }), 'text'],
  ['an empty text of unknown size', content({ text: '', size: -1 }), 'nothing'],
  ['no content at all', { content: undefined }, 'nothing'],
  ['text shorter than its size (Firefox beyond its limit)', content({ size: size + 900 }), 'nothing'],
  ['text longer than its size', content({ size: 7 }), 'nothing'],
  ['text of size 0', content({ size: 0 }), 'nothing'],
  ['compressed size (mitmproxy)', content({ size: 30, compression: size - 30 }), 'text'],
  ['a small body that became larger', content({ size: size + 18, compression: -18 }), 'text'],
  ['characters for bytes', content({ text: '{"name":"Zoë"}', size: 14 }), 'text'],
  ['a byte order mark that was lost', content({ size: size + 3 }), 'text'],
  ['replacement characters', content({ text: '"\ufffd"', size: 5 }), 'value'],
  ['half of a surrogate pair', content({ text: '"\udc80"', size: -1 }), 'value'],
  ['base64 that is none', encoded('{"code":200}', { size: -1 }), 'nothing'],
  ['base64 that was cut', encoded(base64.slice(0, -6), { size: -1 }), 'nothing'],
  ['base64 of another size', encoded('e30='), 'nothing'],
  ['base64 that nobody marked (old Edge)', content({ text: base64 }), 'nothing'],
  ['an unknown encoding', content({ encoding: 'gzip' }), 'nothing'],
  ['less than Content-Length', lengthOf(size + 4), 'nothing'],
  ['as much as Content-Length', lengthOf(size), 'text'],
  ['less, but compressed', lengthOf(999, { name: 'Content-Encoding', value: 'gzip' }), 'text'],
];

for (const [name, response, holds] of inHar)
  test(`of a body that a HAR has as ${name} is held: ${holds}`, async () => {
    expect(summaryOf(await readOne(harEntry(response)))).toBe(`200 ${holds}`);
  });

const line = { method: 'GET', url: list, status: 200, startedAt: '2026-01-02T03:04:05Z' };
const encodedAs = (encoding: string) => ({ headers: { 'Content-Encoding': encoding } });
const compressed = gzipSync(body).toString('base64');

/** The same of a line of newline-delimited JSON. */
const inLine: [name: string, changes: object, holds: string][] = [
  ['text', { body }, 'text'],
  ['base64', { bodyBase64: base64 }, 'text'],
  ['base64 that is none', { bodyBase64: '?' }, 'nothing'],
  ['a value', { body: { code: 200 } }, 'value'],
  ['base64 that is still compressed', { bodyBase64: compressed, ...encodedAs('gzip') }, 'nothing'],
  ['base64 that was compressed', { bodyBase64: base64, ...encodedAs('gzip') }, 'text'],
  ['gzip as text', { body: gzipSync(body).toString('latin1'), ...encodedAs('gzip') }, 'nothing'],
  ['a web page', { body: `<p>${'é'.repeat(200)}`, ...encodedAs('br') }, 'text'],
  ['nothing', {}, 'nothing'],
  [
    'less than Content-Length',
    { bodyBase64: base64, headers: { 'Content-Length': [`${size + 1}`] } },
    'nothing',
  ],
  ['a value of another length', { body: {}, headers: { 'Content-Length': '999' } }, 'value'],
];

for (const [name, changes, holds] of inLine)
  test(`of a body that a line has as ${name} is held: ${holds}`, async () => {
    const [read] = await readBytes(`\n${JSON.stringify({ ...line, ...changes })}\r\n\n`);
    expect(summaryOf(read)).toBe(`200 ${holds}`);
  });

test('of a body that a line has as a value with too many levels is held nothing', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const [read] = await readBytes(`${JSON.stringify(line).slice(0, -1)},"body":${deep}}`);
  expect(summaryOf(read)).toBe('200 nothing');
});

test('a byte order mark before the first line is no part of it', async () => {
  const text = `\ufeff${JSON.stringify({ ...line, body })}\n${JSON.stringify({ ...line, body })}\n`;
  const read = await readBytes(text);
  expect(read.map(summaryOf)).toEqual(['200 text', '200 text']);
  expect(read[0]).toMatchObject({ at: { byte: 0 } });
});

test('a broken line is reported by its byte, and the next ones count', async () => {
  const good = JSON.stringify({ ...line, headers: { 'X-A': ['1', '2', 3] }, body });
  const read = await readBytes(`${good}\n{"method": GET}\n${good}\n${good.slice(0, 50)}`);
  const [wrong, cut] = [good.length + 1, 2 * good.length + 18 + 50];
  const broken = [`broken: is not JSON at ${wrong}`, `broken: ends early at ${cut}`];
  expect(read.map(summaryOf)).toEqual(['200 text', broken[0], '200 text', broken[1]]);
  const exchange = { answer: { headers: { 'x-a': '1, 2' } } };
  expect(read[0]).toMatchObject({ exchange, at: { from: Date.parse('2026-01-02T03:04:05Z') } });
});

const asking = (method: unknown, url: unknown, ...headers: object[]) => ({
  request: { method, url, headers },
});
const unanswered = 'not answered by the target';

/** Why an entry does not count. */
const skipped: [reason: string, response: object, entry?: object][] = [
  ['other method', {}, asking('POST', list)],
  ['not HTTP', { status: 101 }, asking('GET', 'wss://api.example/live')],
  ['malformed entry', {}, asking('GET', '/cards/1')],
  ['malformed entry', {}, { request: undefined }],
  ['malformed entry', { status: '200' }],
  ['no response', {}, { response: undefined }],
  ['no response', { status: -1 }],
  [unanswered, {}, { _wasAborted: true }],
  [unanswered, {}, { _wasFulfilled: true }],
  [unanswered, {}, { _fromCache: 'disk' }],
  [unanswered, { _failureText: 'net::ERR_ABORTED' }],
  [unanswered, { status: 0, _error: 'connection lost' }],
  [unanswered, { _fetchedViaServiceWorker: true }],
  ['redirect', { status: 300 }],
  ['too many requests (429)', { status: 429 }],
  ['server error (5xx)', { status: 500 }],
  ['record not found (404)', { status: 404 }, asking('GET', `${list}/cus-1`)],
  ['other path', { status: 404 }, asking('GET', `${list}s`)],
];

for (const [index, [reason, response, entry]] of skipped.entries())
  test(`entry ${index} does not count: ${reason}`, async () => {
    expect(summaryOf(await readOne(harEntry(response, entry)))).toBe(`skipped: ${reason}`);
  });

test('what recorders say of a response that is whole does not keep it from counting, nor do 404 and 206', async () => {
  const whole = { _error: null, _failureText: '', statusText: null };
  const entries = [
    harEntry(whole, { _wasAborted: false }),
    harEntry({ status: 404 }, asking('GET', `${list}?limit=5`)),
    harEntry({ status: 206 }),
  ];
  expect((await readBytes(harOf(entries))).map(summaryOf)).toEqual(['200 text', '404 text', '206 text']);
});

test('the time counts only when it names its zone', async () => {
  const known = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123456+00:00'];
  const times = [...known, '2026-01-02T03:04:05', 'today', 7];
  const read = await readBytes(harOf(times.map((startedDateTime) => harEntry({}, { startedDateTime }))));
  const started = read.map((entry) => isExchange(entry) && entry.at.from);
  expect(started).toEqual([...known.map((time) => Date.parse(time)), Number.NaN, Number.NaN, Number.NaN]);
});
