import type { Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { Blocked } from '../../../src/client/http-client.ts';
import { type Bytes, chunked, encoded, http, sized, withClient } from './raw-responses.ts';

const long = 'y'.repeat(20_000);
const early = http(['link: </a>'], '', '103 Early Hints');
const json = Buffer.from('{"code":200}');
const large = Buffer.from(Array.from({ length: 30_000 }, (_, n) => n * n).join());
const accepted: [name: string, bytes: Bytes, part: Record<string, unknown>][] = [
  ['a header of 20 kB', sized('ok', `x: ${long}`), { headers: { x: long } }],
  [
    'three thousand headers',
    sized('ok', ...Array(3000).fill('x: y'), 'content-type: a/b'),
    { contentType: 'a/b' },
  ],
  ['HTTP 100 before', Buffer.concat([http([], '', '100 Continue'), sized('ok')]), { status: 200 }],
  [
    'HTTP 103 a hundred times before',
    Buffer.concat([...Array(100).fill(early), sized('ok')]),
    { status: 200 },
  ],
  [
    'trailers',
    chunked('2\r\nok\r\n0\r\n__proto__: x\r\nstatus: 500\r\n\r\n'),
    { status: 200, body: Buffer.from('ok') },
  ],
  ['a redirect', http(['location: /b', 'content-length: 0'], '', '302 Found'), { status: 302 }],
  [
    'names of the prototype',
    sized('ok', '__proto__: a', 'constructor: b', 'toString: c'),
    {
      headers: JSON.parse('{"__proto__":"a","constructor":"b","tostring":"c","content-length":"2"}'),
    },
  ],
  [
    'several headers of a name',
    sized('ok', 'A: 1', 'a: 2', 'Set-Cookie: b', 'set-cookie: c'),
    {
      headers: { a: '1, 2', 'set-cookie': 'b\nc', 'content-length': '2' },
    },
  ],
  ['8 MB', sized(' '.repeat(8_000_000)), { status: 200 }],
  ['no body', http([], '', '204 No Content'), { status: 204, body: Buffer.alloc(0) }],
  ['an empty body in gzip', encoded('gzip', ''), { status: 200, body: Buffer.alloc(0) }],
  [
    'gzip in deflate in br',
    encoded('gzip, deflate, br', brotliCompressSync(deflateSync(gzipSync(json)))),
    { body: json },
  ],
  ['deflate without a head', encoded('deflate', deflateRawSync(json)), { body: json }],
  ['deflate of many pieces', encoded('deflate', deflateSync(large)), { body: large }],
  [
    'deflate of many pieces without a head, in gzip',
    encoded('deflate, gzip', gzipSync(deflateRawSync(large))),
    { body: large },
  ],
  ['an empty body in deflate', encoded('deflate', ''), { status: 200, body: Buffer.alloc(0) }],
  ['gzip without its end', encoded('gzip', gzipSync(json).subarray(0, -8)), { body: json }],
  ['a coding that was not requested', encoded('zstd', 'ok'), { body: Buffer.from('ok') }],
];

for (const [name, bytes, part] of accepted) {
  test(`${name}: read`, async () => {
    const answer = await withClient(
      (socket) => void socket.write(bytes),
      (client) => client.get('/a'),
      { timeoutMs: 5000 },
    );
    expect(answer).toMatchObject(part);
  });
}

test('what follows a response belongs to none', async () => {
  let written: Promise<void> | undefined;
  const stray = (socket: Socket) => {
    socket.write(sized('first'));
    written = new Promise((done) => setTimeout(() => socket.write(sized('stray'), () => done()), 20));
  };
  const bodies = await withClient(stray, async (client) => {
    const all: (HttpResponse | Blocked)[] = [];
    for (const path of ['/a', '/b', '/c']) {
      all.push(await client.get(path));
      await written;
      await new Promise((later) => setTimeout(later, 60));
    }
    return all.map((one) => ('body' in one ? String(one.body) : one.blocked));
  });
  expect(bodies).toEqual(['first', 'first', 'first']);
});

test('cookies are dropped, and a request without credentials shares no connection with others', async () => {
  const seen: { socket: Socket; request: string }[] = [];
  const answer = (socket: Socket, request: string) => {
    seen.push({ socket, request });
    socket.write(sized('ok', 'set-cookie: session=1; Path=/'));
  };
  const headers = { 'X-Api-Key': 'key', Cookie: 'mine=1' };
  await withClient(
    answer,
    async (client) => {
      await client.get('/a');
      await client.get('/b', undefined, { anonymous: true });
      await client.get('/c');
    },
    { headers },
  );
  const [first, anonymous, last] = seen;
  expect(first?.socket).toBe(last?.socket);
  expect(anonymous?.socket).not.toBe(first?.socket);
  expect(anonymous?.request).not.toMatch(/cookie|x-api-key|authorization/i);
  for (const one of [first, last]) expect(one?.request.match(/^cookie: .*$/gim)).toEqual(['cookie: mine=1']);
  expect(seen.map(({ request }) => /session/.test(request))).toEqual([false, false, false]);
});
