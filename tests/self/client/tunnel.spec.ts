import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { createClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { startRaw } from '../runs/hostile.ts';
import { type Certificates, makeCertificates } from './certificates.ts';
import { startForwardProxy } from './forward-proxy.ts';

const { target } = readConfiguration({}, '/nonexistent');
let certificates: Certificates;

test.beforeAll(async () => {
  certificates = await makeCertificates();
});

/** What a request to an https:// target comes to through a proxy. */
async function getThrough(proxy: string, timeoutMs = 1000) {
  const mock = await startMock({ https: certificates.server });
  const transport = { ...target.transport, proxy, allowInvalidCertificates: true };
  const client = await createClient({ ...target, transport, timeoutMs }, mock.url);
  try {
    return await Promise.all(['/a', '/b', '/c'].map((path) => client.get(path)));
  } finally {
    await client.close();
    await mock.close();
  }
}

const three = (answer: Record<string, unknown>) => Array(3).fill(expect.objectContaining(answer));

test('a tunnel leads to the target', async () => {
  const proxy = await startForwardProxy('user', 'pass:word');
  expect(await getThrough(proxy.url, 5000).finally(proxy.close)).toEqual(
    three({ status: expect.any(Number), body: expect.anything() }),
  );
});

test('a tunnel with wrong credentials', async () => {
  const proxy = await startForwardProxy('user', 'right');
  const answers = await getThrough(proxy.url.replace('right', 'wrong')).finally(proxy.close);
  expect(answers).toEqual(
    three({
      blocked: 'the proxy rejected the request with HTTP 407: check the user and password of the proxy',
    }),
  );
});

const noTunnel = 'the proxy opened no tunnel to the target: check HTTPS_PROXY';
const bad: [name: string, bytes: string | undefined, sentence: string | RegExp][] = [
  ['answers HTTP 502', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n', noTunnel],
  ['answers HTTP 302', 'HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n', noTunnel],
  ['answers without HTTP', '220 ready\r\n\r\n', 'the answer is not HTTP'],
  ['never answers', undefined, 'no complete answer within 1000 ms'],
  ['opens a tunnel to nowhere', 'HTTP/1.1 200 OK\r\n\r\n', 'no complete answer within 1000 ms'],
  [
    'answers in the tunnel itself',
    'HTTP/1.1 200 OK\r\n\r\nhello',
    /no secure connection|reset before|no complete answer/,
  ],
];

for (const [name, bytes, sentence] of bad) {
  test(`a proxy that ${name}: one sentence, in time`, async () => {
    const proxy = await startRaw((socket, request) => {
      if (bytes !== undefined && request.startsWith('CONNECT')) socket.write(bytes);
    });
    const answers = await getThrough(proxy.url).finally(proxy.close);
    expect(answers).toEqual(three({ blocked: expect.stringMatching(sentence) }));
  });
}

test('nothing is left open when a client is closed', async () => {
  const open = new Set<object>();
  const proxy = await startRaw((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const transport = { ...target.transport, proxy: proxy.url };
  const client = await createClient({ ...target, transport, timeoutMs: 300 }, 'https://target.invalid');
  await client.get('/a');
  await client.close();
  await expect.poll(() => open.size).toBe(0);
  await proxy.close();
});
