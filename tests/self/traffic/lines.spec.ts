import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { body, list, readBytes, summaryOf } from './reading.ts';

const base64 = Buffer.from(body).toString('base64');
const line = {
  method: 'GET',
  url: list,
  status: 200,
  startedAt: '2026-01-02T03:04:05Z',
};

/** What is held of a body, by how a line of newline-delimited JSON gives it. */
const lines: [name: string, changes: object, summary: string][] = [
  ['text', { body }, '200 text'],
  ['base64', { bodyBase64: base64 }, '200 text'],
  ['base64 beside text', { bodyBase64: base64, body: 'x' }, '200 text'],
  ['base64 that is none', { bodyBase64: '?' }, '200 nothing'],
  ['a value', { body: { code: 200 } }, '200 value'],
  [
    'base64 that is still compressed',
    {
      bodyBase64: gzipSync(body).toString('base64'),
      headers: { 'Content-Encoding': 'gzip' },
    },
    '200 nothing',
  ],
  ...Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }).flatMap(
    ([encoding, compress]) =>
      (['latin1', 'utf8'] as const).map((form): [string, object, string] => [
        `text of ${encoding}, read as ${form}`,
        { body: compress(body).toString(form), headers: { 'Content-Encoding': encoding } },
        '200 nothing',
      ]),
  ),
  ['a web page', { body: `<p>${'é'.repeat(200)}`, headers: { 'Content-Encoding': 'br' } }, '200 text'],
  ['base64 that was compressed', { bodyBase64: base64, headers: { 'Content-Encoding': 'gzip' } }, '200 text'],
  ['null', { body: null }, '200 nothing'],
  ['nothing', {}, '200 nothing'],
  ['less than Content-Length', { body, headers: { 'Content-Length': ['999'] } }, '200 nothing'],
  [
    'a value of another length than Content-Length',
    { body: {}, headers: { 'Content-Length': '999' } },
    '200 value',
  ],
];

for (const [name, changes, summary] of lines) {
  test(`a body given as ${name} in a line is: ${summary}`, async () => {
    const [read] = await readBytes(`\n${JSON.stringify({ ...line, ...changes })}\r\n\n`);
    expect(summaryOf(read)).toBe(summary);
  });
}

for (const [number, summary] of [
  ['1e400', '200 nothing'],
  ['-1e400', '200 nothing'],
  ['1e300', '200 value'],
  ['null', '200 value'],
] as const) {
  test(`a body given as a value that holds ${number} is: ${summary}`, async () => {
    const [read] = await readBytes(`${JSON.stringify(line).slice(0, -1)},"body":{"a":[null,${number}]}}`);
    expect(summaryOf(read)).toBe(summary);
  });
}

test('a body given as a value that is nested too deeply is missing', async () => {
  const nested = '['.repeat(100_000) + ']'.repeat(100_000);
  const [read] = await readBytes(`${JSON.stringify(line).slice(0, -1)},"body":${nested}}`);
  expect(summaryOf(read)).toBe('200 nothing');
});

test('a byte order mark before the first line is no part of it', async () => {
  const text = `\ufeff${JSON.stringify({ ...line, body })}\n${JSON.stringify({ ...line, body })}\n`;
  const read = await readBytes(text);
  expect(read.map(summaryOf)).toEqual(['200 text', '200 text']);
  expect(read[0]).toMatchObject({ at: { byte: 3 } });
  expect((await readBytes('\ufeff\n{}')).map(summaryOf)).toEqual(['skipped: malformed entry']);
});

test('a broken line is reported by its byte, and the next ones count', async () => {
  const good = JSON.stringify({ ...line, headers: { 'X-A': ['1', '2', 3] }, body });
  const read = await readBytes(`${good}\n{"method": GET}\n${good}\n${good.slice(0, 50)}`);
  expect(read.map(summaryOf)).toEqual(['200 text', 'broken: is not JSON', '200 text', 'broken: ends early']);
  const exchange = { answer: { headers: { 'x-a': '1, 2' } } };
  expect(read[0]).toMatchObject({ exchange, at: { from: Date.parse('2026-01-02T03:04:05Z') } });
  expect(read[1]).toMatchObject({ byte: good.length + 1 });
  expect(read[3]).toMatchObject({ byte: 2 * good.length + 18 + 50 });
});
