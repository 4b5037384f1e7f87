import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { CircuitBreaker } from '../../../src/client/http-client.ts';
import { exportNewRunIdentity } from '../../../src/run/run-identity.ts';
import { RunSession } from '../../../src/run/run-session.ts';
import { RunStore } from '../../../src/run/store.ts';
import { exampleTarget } from '../harness/examples.ts';
import { startRawProvider } from '../runs/hostile.ts';
import { withClient } from './with-client.ts';

// So that a test fails if the client waits for a response that never ends.
test.setTimeout(60_000);

type Bytes = string | Buffer;
type Send = (socket: Socket) => void;

const formatResponse = (headers: string[], body: Bytes = 'ok', status = '200 OK') => {
  const head = [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
};
const sized = (body: Bytes, ...headers: string[]) =>
  formatResponse([...headers, `content-length: ${body.length}`], body);
const chunked = (body = '') => formatResponse(['transfer-encoding: chunked'], body);
const encoded = (coding: string, body: Bytes) => sized(body, `content-encoding: ${coding}`);

const sendWithoutEnd =
  (head: Bytes, part: Bytes): Send =>
  (socket) => {
    const writeUntilBufferIsFull = () => {
      let hasSpace = true;
      while (hasSpace && socket.writable) hasSpace = socket.write(part);
    };
    socket.write(head);
    socket.on('drain', writeUntilBufferIsFull);
    writeUntilBufferIsFull();
  };
const sendSlowly =
  (head: string, part: string): Send =>
  (socket) => {
    socket.write(head);
    setInterval(() => socket.write(part), 50).unref();
  };
const sendAndClose =
  (bytes: Bytes): Send =>
  (socket) =>
    void socket.end(bytes);

/**
 * Starts a server that sends `response`, requests `/a` from it, and returns the client's outcome.
 * @param response complete response, or a function that sends one without end or without its last part
 * @param env further variables of the client, such as `REQUEST_TIMEOUT_MS`
 */
const receiveFrom = async (response: Bytes | Send, env = {}) => {
  const isIncomplete = typeof response === 'function';
  const sendResponse: Send = isIncomplete ? response : (socket) => void socket.write(response);
  let openConnections = 0;
  const provider = await startRawProvider((socket) => {
    openConnections += 1;
    socket.on('close', () => (openConnections -= 1));
    sendResponse(socket);
  });
  return withClient(provider, { REQUEST_ID: 'off', ...env }, async (client) => {
    const outcome = await client.get('/a');
    // The client must close the connection of a response that it cannot read to its end.
    if (isIncomplete) await expect.poll(() => openConnections, { intervals: [5] }).toBe(0);
    return outcome;
  });
};

const long = 'y'.repeat(15_000);
const megabyte = Buffer.alloc(1024 * 1024, ' ');
const json = Buffer.from('{"code":200}');
const body = Buffer.from('ok');
const interim = Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
const emptyBody = Buffer.alloc(0);
const prototype = { constructor: 'b', 'content-length': '2' };
const joined = { a: '1, 2', 'set-cookie': 'b\nc' };
const twice = ['A: 1', 'a: 2', 'Set-Cookie: b', 'set-cookie: c'];
const manyHeaders: string[] = Array(900).fill('x: y');
const tooManyHeaders: string[] = Array(2600).fill('x: y');

const accepted: [name: string, bytes: Bytes, part: Record<string, unknown>][] = [
  ['a header of 15 kB', sized('ok', `x: ${long}`), { headers: { x: long } }],
  ['nine hundred headers', sized('ok', ...manyHeaders, 'b: c'), { headers: { b: 'c' } }],
  ['a redirect', formatResponse(['location: /b', 'content-length: 0'], '', '302 Found'), { status: 302 }],
  ['names of the prototype', sized('ok', '__proto__: a', 'constructor: b'), { headers: prototype }],
  ['several headers of a name', sized('ok', ...twice), { headers: joined }],
  ['8 MiB', sized(Buffer.concat(Array(8).fill(megabyte))), { status: 200 }],
  ['no body', formatResponse([], '', '204 No Content'), { status: 204, body: emptyBody }],
  ['br', encoded('BR', brotliCompressSync(json)), { body: json }],
  ['deflate', encoded('Deflate', deflateSync(json)), { body: json }],
  ['an empty body in deflate', encoded('deflate', ''), { status: 200, body: emptyBody }],
  ['gzip without its checksum', encoded('gzip', gzipSync(json).subarray(0, -8)), { body: json }],
  ['gzip that ends before its content', encoded('gzip', gzipSync(json).subarray(0, 12)), { body: emptyBody }],
  ['interim responses', Buffer.concat([interim, sized('ok')]), { status: 200, body }],
];

for (const [name, bytes, part] of accepted)
  test(`the client reads ${name}`, async () => expect(await receiveFrom(bytes)).toMatchObject(part));

const member = gzipSync(megabyte);
const garbage = Buffer.alloc(999, 0xff);
const bomb = Buffer.concat(Array(1500).fill(member));

const head = 'HTTP/1.1 200 OK\r\n';
const tooLarge = 'the body is larger than 8 MiB (MAX_BODY_MB), so it is not judged';
const muchTooLarge =
  'the body, or one that arrived at the same time, is much larger than 8 MiB (MAX_BODY_MB), so it is not judged';
const tooLong =
  'the response headers exceed the limit of Node, 16 KiB by default: raise it with NODE_OPTIONS=--max-http-header-size=65536';
const undecodable = 'the body could not be decompressed';
const notHttp = 'the response is not valid HTTP';
const inTheMiddle = 'the connection was reset before the response was complete';
const upgrade = 'connection: upgrade\r\nupgrade: websocket';
const late = 'no complete response within 500 ms (REQUEST_TIMEOUT_MS)';

const chunkedWithLength = formatResponse(
  ['content-length: 2', 'transfer-encoding: chunked'],
  '2\r\nok\r\n0\r\n\r\n',
);

const rejected: [name: string, bytes: Bytes | Send, sentence: string][] = [
  ['no HTTP', '220 mail.invalid ESMTP ready\r\n\r\n', notHttp],
  // Legacy servers and proxies send both, and curl accepts that (RFC 9112 section 6.3).
  ['a length beside chunks', chunkedWithLength, notHttp],
  ['HTTP 099', formatResponse(['content-length: 2'], 'ok', '099 No Status'), notHttp],
  ['headers of 70 kB', sized('ok', `x: ${'y'.repeat(70_000)}`), tooLong],
  ['more headers than Node keeps', sized('ok', ...tooManyHeaders), tooLong],
  ['HTTP 101, which nobody asked for', `HTTP/1.1 101 Switching Protocols\r\n${upgrade}\r\n\r\n`, late],
  ['a header that never ends', sendSlowly(`${head}x: `, 'y'), late],
  ['a body that is cut', sendAndClose(formatResponse(['content-length: 9'])), inTheMiddle],
  ['chunks that are cut', sendAndClose(chunked('5\r\nok')), inTheMiddle],
  [
    'gzip that is cut',
    sendAndClose(formatResponse(['content-length: 99', 'content-encoding: gzip'], gzipSync(json))),
    inTheMiddle,
  ],
  ['chunks without a size', chunked('?\r\nok'), notHttp],
  ['a body without end', sendWithoutEnd(formatResponse([], ''), megabyte), muchTooLarge],
  ['chunks of one byte without end', sendWithoutEnd(chunked(), '1\r\n \r\n'.repeat(10_000)), late],
  ['8 MiB and a byte', sized(Buffer.alloc(8 * 1024 * 1024 + 1)), tooLarge],
  ['1.5 GB of blanks in gzip', encoded('gzip', bomb), muchTooLarge],
  ['gzip of gzip', encoded('gzip, x-gzip', gzipSync(gzipSync(json))), undecodable],
  ['gzip beside identity', encoded('identity, gzip', gzipSync(json)), undecodable],
  ['zstd, which was not requested', encoded('zstd', garbage), undecodable],
  ['garbage as gzip', encoded('gzip', garbage), undecodable],
  ['garbage as br', encoded('br', garbage), undecodable],
  ['deflate without a head', encoded('deflate', deflateRawSync(json)), undecodable],
];

for (const [name, bytes, sentence] of rejected)
  test(`the client rejects ${name} with one sentence, in bounded time and memory`, async () => {
    const before = process.memoryUsage().rss;
    // Only a response that never ends takes the whole time.
    const REQUEST_TIMEOUT_MS = sentence === late ? '500' : '20000';
    const response = await receiveFrom(bytes, { REQUEST_TIMEOUT_MS });
    const { blocked, unread = true, durationMs, ...rest } = Object(response);
    expect([unread, typeof durationMs, rest]).toEqual([true, 'number', {}]);
    expect(blocked).toBe(sentence);
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024);
  });

/** Response to each request except the third (`/ok`), message for the last request (`/f`), and paths that the server received. */
const faultyResponses: [bytes: Bytes, lastMessage: string, receivedPaths: string][] = [
  [sized(Buffer.alloc(9 * 2 ** 20)), tooLarge, '/a /b /ok /c /d /e /f'],
  [
    formatResponse(['content-length: 9']),
    'not sent, because the last 3 requests got no response',
    '/a /b /ok /c /d /e',
  ],
];

for (const [bytes, lastMessage, receivedPaths] of faultyResponses)
  test(`three requests in a row without a readable response lead to: ${lastMessage}`, async () => {
    const breaker = new CircuitBreaker();
    const requests: string[] = [];
    const provider = await startRawProvider((socket, request) => {
      socket.end(requests.push(request) === 3 ? sized('ok', 'connection: close') : bytes);
    });
    const response = await withClient(provider, {}, async (client) => {
      for (const path of ['/a', '/b', '/ok', '/c', '/d', '/e']) await client.get(path, breaker);
      return client.get('/f', breaker);
    });
    expect(requests.map((request) => request.split(' ')[1]).join(' ')).toBe(receivedPaths);
    expect(response).toMatchObject({ blocked: lastMessage });
  });

test('the client drops cookies, and sends requests without credentials on their own connection', async () => {
  const requests: { socket: Socket; request: string }[] = [];
  const provider = await startRawProvider((socket, request) => {
    requests.push({ socket, request });
    socket.write(sized('ok', 'set-cookie: session=1; Path=/'));
  });
  const BASE_URL = provider.url.replace('//', '//user:password@');
  const env = { BASE_URL, API_HEADERS: '{"X-Api-Key":"key","Cookie":"mine=1"}' };
  await withClient({ ...provider, close: async () => {} }, env, async (client) => {
    await client.get('/a');
    await client.get('/b', undefined, { anonymous: true });
    await client.get('/c');
  });
  const [first, anonymous, last] = requests;
  await provider.close();
  expect(first?.socket).toBe(last?.socket);
  expect(anonymous?.socket).not.toBe(first?.socket);
  expect(anonymous?.request).not.toMatch(/cookie|x-api-key|authorization/i);
  expect(first?.request).toMatch(/^authorization: Basic dXNlcjpwYXNzd29yZA==\r$/m);
  for (const entry of [first, last])
    expect(entry?.request.match(/^cookie: .*$/gim)).toEqual(['cookie: mine=1']);
});

test('the client closes its spare connections, and sends the next request on the one that it used last', async () => {
  const sockets: Record<string, Socket> = {};
  const provider = await startRawProvider((socket, request) => {
    const [, path = ''] = request.split(' ');
    sockets[path] = socket;
    setTimeout(() => socket.write(sized('ok')), path === '/late' ? 300 : 50);
  });
  await withClient({ ...provider, close: async () => {} }, {}, async (client) => {
    await Promise.all(['/a', '/b', '/late'].map((path) => client.get(path)));
    const [first, second, last] = ['/a', '/b', '/late'].map((path) => sockets[path]);
    expect(new Set([first, second, last]).size).toBe(3);
    await client.closeSpareConnections();
    await expect
      .poll(() => [first, second, last].map((socket) => socket?.closed))
      .toEqual([true, true, false]);
    await client.get('/next');
    expect(sockets['/next'] === last).toBe(true);
  });
  await provider.close();
});

test('after the requests of an operation, a run leaves one connection open', async () => {
  const mock = await startMock();
  const openSockets = new Set<Socket>();
  let maxOpen = 0;
  const proxy = createServer((socket) => {
    openSockets.add(socket);
    maxOpen = Math.max(maxOpen, openSockets.size);
    const upstream = connect(Number(new URL(mock.url).port), '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    socket.on('error', () => {}).on('close', () => openSockets.delete(socket) && upstream.destroy());
    upstream.on('error', () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const target = exampleTarget({ baseUrl: `http://127.0.0.1:${port}` });
  const identity = exportNewRunIdentity();
  const store = new RunStore(test.info().outputPath('reports'), identity.id);
  const session = new RunSession({ target, contract: loadContract(), identity, store });
  await session.requestOperation('getFeeRules');
  await expect.poll(() => openSockets.size).toBe(1);
  expect(maxOpen).toBeGreaterThan(1);
  await session.close();
  await expect.poll(() => openSockets.size).toBe(0);
  proxy.close();
  await mock.close();
});

test.describe('in a test', () => {
  const cookies = [
    {
      name: 'a',
      value: 'b',
      domain: '127.0.0.1',
      path: '/',
      expires: -1,
      httpOnly: false,
      secure: false,
      sameSite: 'Lax' as const,
    },
  ];
  test.use({
    extraHTTPHeaders: { 'x-key': 'k' },
    httpCredentials: { username: 'user', password: 'password', send: 'always' },
    storageState: { cookies, origins: [] },
  });

  test('requests have neither what `use` sets nor a cookie of an earlier response', async () => {
    const requests: string[] = [];
    const provider = await startRawProvider((socket, request) => {
      requests.push(request);
      socket.write(sized('ok', 'set-cookie: session=1; Path=/'));
    });
    await withClient(provider, {}, async (client) => {
      await client.get('/a');
      await client.get('/b');
    });
    expect(requests).toHaveLength(2);
    for (const request of requests) expect(request).not.toMatch(/cookie|x-key|authorization/i);
  });
});
