import type { Socket } from 'node:net';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { Blocked, Effort } from '../../../src/client/http-client.ts';
import { type Bytes, chunk, chunked, encoded, http, pour, sized, withClient } from './raw-responses.ts';

// What never ends would run into this.
test.setTimeout(60_000);

/** Only what never ends takes it all. */
const timeoutMs = 20_000;
const megabyte = Buffer.alloc(1024 * 1024, ' ');
const member = gzipSync(megabyte);
/** 1.5 GB of blanks. */
const bomb = Buffer.concat(Array.from({ length: 1500 }, () => member));
const bare = deflateRawSync('{"code":200}');
const part = deflateRawSync(megabyte, { finishFlush: constants.Z_SYNC_FLUSH });
const bareBomb = Buffer.concat(Array.from({ length: 1500 }, () => part));
const tooLarge = 'the body is larger than 8 MiB, the most that is read and judged (MAX_BODY_MB)';
const undecodable = 'the body could not be decompressed';
const notHttp = 'the answer is not HTTP';
/** For what keeps this process busy until then. */
const shortTimeoutMs = 500;
const late = (ms = shortTimeoutMs) => `no complete answer within ${ms} ms (REQUEST_TIMEOUT_MS)`;

type Rejected = [
  name: string,
  bytes: Bytes | ((socket: Socket) => void),
  sentence: string | RegExp,
  timeoutMs?: number,
];

const rejected: Rejected[] = [
  ['no HTTP', '220 mail.invalid ESMTP ready\r\n\r\n', notHttp],
  ['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', notHttp],
  ['length and chunks', http(['content-length: 2', 'transfer-encoding: chunked']), notHttp],
  ['two lengths', http(['content-length: 2', 'content-length: 3']), notHttp],
  ['a chunk of no size', chunked('zz\r\nok\r\n0\r\n\r\n'), /not HTTP|cut off in the middle/],
  ['a chunk larger than memory', chunked('fffffffffffffffff\r\nok\r\n'), /not HTTP|cut off/],
  [
    'headers of 70 kB',
    sized('ok', `x: ${'y'.repeat(70_000)}`),
    /headers of the answer are larger than 64 KiB/,
  ],
  [
    'headers without end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, Buffer.from('x: y\r\n'.repeat(99)));
    },
    /headers of the answer are larger than 64 KiB/,
  ],
  [
    'trailers without end',
    (socket) => {
      socket.write(chunked('0\r\n'));
      pour(socket, Buffer.from('x: y\r\n'.repeat(99)));
    },
    /64 KiB|cut off/,
  ],
  [
    'HTTP 101',
    http(['connection: upgrade', 'upgrade: websocket'], '', '101 Switching Protocols'),
    /HTTP 101/,
  ],
  [
    'HTTP 102 without end',
    (socket) => pour(socket, http([], '', '102 Processing')),
    late(shortTimeoutMs),
    shortTimeoutMs,
  ],
  [
    'one byte of a header at a time',
    (socket) => void setInterval(() => socket.write('H'), 100).unref(),
    /not HTTP/,
  ],
  [
    'a header that never ends',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      setInterval(() => socket.write('y'), 50).unref();
    },
    late(),
    shortTimeoutMs,
  ],
  ['half of the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nx'), /reset before|not HTTP|cut off/],
  ['a body that is cut', (socket) => socket.end(http(['content-length: 9'])), /cut off in the middle/],
  ...['gzip', 'deflate', 'br', 'deflate, gzip'].map((coding): Rejected => {
    const headers = [`content-encoding: ${coding}`, 'content-length: 9'];
    return [`${coding} that is cut`, (socket) => socket.end(http(headers, '')), /cut off in the middle/];
  }),
  ['chunks that are cut', (socket) => socket.end(chunked('5\r\nok')), /cut off in the middle/],
  [
    'a body without end',
    (socket) => {
      socket.write(http([], ''));
      pour(socket, megabyte);
    },
    tooLarge,
  ],
  [
    'chunks without end',
    (socket) => {
      socket.write(chunked());
      pour(socket, chunk(megabyte));
    },
    tooLarge,
  ],
  [
    'chunks of one byte without end',
    (socket) => {
      socket.write(chunked());
      pour(socket, Buffer.from('1\r\n \r\n'.repeat(10_000)));
    },
    late(shortTimeoutMs),
    shortTimeoutMs,
  ],
  ['8 MiB and a byte', sized(Buffer.alloc(8 * 1024 * 1024 + 1)), tooLarge],
  [
    'a length of a petabyte',
    (socket) => {
      socket.write(http(['content-length: 1000000000000000'], ''));
      pour(socket, megabyte);
    },
    tooLarge,
  ],
  ['1.5 GB of blanks in gzip', encoded('gzip', bomb), tooLarge],
  ['1.5 GB of blanks in gzip in gzip', encoded('gzip, gzip', gzipSync(bomb)), tooLarge],
  ['gzip nine times over', encoded(Array(9).fill('gzip').join(), 'ok'), undecodable],
  ...['gzip', 'deflate', 'br'].flatMap((coding): Rejected[] => [
    [`garbage as ${coding}`, encoded(coding, 'hello'.repeat(50)), undecodable],
    [`no bytes but a tail of garbage as ${coding}`, encoded(coding, Buffer.alloc(9, 0xff)), undecodable],
  ]),
  ['deflate without a head that is cut off', encoded('deflate', bare.subarray(0, -2)), undecodable],
  ['deflate without a head, and more', encoded('deflate', Buffer.concat([bare, bare])), undecodable],
  ['JSON that is called deflate', encoded('deflate', '{\n  "code": 200}'), undecodable],
  ['1.5 GB of blanks as deflate without a head', encoded('deflate', bareBomb), tooLarge],
  [
    'gzip that turns into garbage',
    encoded('gzip', Buffer.concat([member.subarray(0, 10), Buffer.alloc(999, 0xff)])),
    undecodable,
  ],
];

for (const [name, bytes, sentence, ms = timeoutMs] of rejected) {
  test(`${name}: one sentence, in time and memory`, async () => {
    const before = process.memoryUsage().rss;
    const send = typeof bytes === 'function' ? bytes : (socket: Socket) => void socket.write(bytes);
    const answer = await withClient(send, (client) => client.get('/a'), { timeoutMs: ms, requestId: 'off' });
    const { blocked, unread = true, durationMs, ...rest } = answer as Blocked & Effort;
    expect([unread, typeof durationMs, rest]).toEqual([true, 'number', {}]);
    expect(blocked).toMatch(sentence);
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024);
  });
}
