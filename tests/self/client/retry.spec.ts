import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { type Alter, type MockOptions, startMock } from '../../../mock/server.ts';
import { createClient, type HttpClient } from '../../../src/client/http-client.ts';
import type { Target } from '../../../src/client/target.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { throttlingGateway } from '../harness/gateway.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf } from '../harness/whole-run.ts';

const { target } = readConfiguration({}, '/nonexistent');

/** Asks a provider, and says what its paths were requested. */
async function asking<T>(
  options: MockOptions,
  ask: (client: HttpClient) => Promise<T>,
  settings: Partial<Target> = {},
): Promise<{ answer: T; repeated: Record<string, number>; paths: string[] }> {
  const mock = await startMock(options);
  const client = await createClient({ ...target, ...settings }, mock.url);
  try {
    const answer = await ask(client);
    expect(client.sent()).toBe(mock.requests.length);
    return { answer, repeated: client.repeated(), paths: mock.requests.map(({ path }) => path) };
  } finally {
    await Promise.all([client.close(), mock.close()]);
  }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
const waits: [form: string, retryAfter: () => string][] = [
  ['seconds', () => '1'],
  // Of whole seconds, the one that has begun is lost.
  ['a date', () => inSeconds(2)],
];

for (const [form, retryAfter] of waits)
  test(`Retry-After as ${form} is waited for`, async () => {
    const startedAt = performance.now();
    const { answer } = await asking({ alter: throttlingGateway(retryAfter) }, (client) => client.get('/a'));
    expect(answer).toMatchObject({ status: 404, repeated: 1 });
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

const answering =
  (status: number, retryAfter?: string): Alter =>
  (answer) => ({ ...answer, status, headers: retryAfter ? { 'retry-after': retryAfter } : {} });

const believed: [
  name: string,
  alter: Alter,
  requests: number,
  answer: Record<string, unknown>,
  settings?: Partial<Target>,
][] = [
  ['429 with a wait of an hour', answering(429, '3600'), 1, { status: 429 }],
  ['429 with a date far ahead', answering(429, 'Fri, 31 Dec 2100 23:59:59 GMT'), 1, { status: 429 }],
  ['429 with nonsense', answering(429, 'soon'), 1, { status: 429 }],
  ['429 without Retry-After', answering(429), 1, { status: 429 }],
  ['503 without Retry-After', answering(503), 1, { status: 503 }],
  ['502 with Retry-After', answering(502, '0'), 1, { status: 502 }],
  ['503 again and again', answering(503, '0'), 4, { status: 503, repeated: 3 }],
  ['500, once', answering(500), 1, { status: 500 }],
  // At this rate a repetition alone takes longer.
  ['429 once the budget is spent', answering(429, '0'), 1, { status: 429 }, { maxRps: 1 / 70 }],
  [
    'a connection that is reset when it is new',
    (answer) => ({ ...answer, abort: 'before' }),
    1,
    { blocked: 'the connection was reset before the answer was complete' },
  ],
];

for (const [name, alter, requests, expected, settings] of believed)
  test(`${name}: ${requests - 1} repetitions, and believed`, async () => {
    const { answer, paths } = await asking({ alter }, (client) => client.get('/a'), settings);
    expect(answer).toMatchObject(expected);
    expect(paths).toHaveLength(requests);
  });

test('a reused connection that is reset is repeated once, and counted', async () => {
  const alter: Alter = (answer, { ordinal }) => (ordinal === 2 ? { ...answer, abort: 'before' } : answer);
  const { answer, repeated, paths } = await asking({ alter }, async (client) => {
    await client.get('/a');
    return client.get('/b');
  });
  expect(answer).toMatchObject({ status: 404, repeated: 1 });
  expect(repeated).toEqual({ 'connection reset': 1 });
  expect(paths).toEqual(['/a', '/b', '/b']);
});

test('a server that closes each connection after its answer, and does not say so, gets each request on another', async () => {
  const server = createServer((request, response) => {
    response.on('finish', () => setImmediate(() => request.socket.destroy()));
    response.end('{}');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const client = await createClient(target, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => client.get(`/${n}`)));
  await client.close();
  server.close();
  expect(answers.filter((answer) => 'blocked' in answer)).toEqual([]);
});

/** What is answered 401 where it fits. */
const rejecting = (fits: (path: string) => boolean, others: Alter = (answer) => answer): Alter => {
  return (answer, request) => (fits(request.path) ? { ...answer, status: 401 } : others(answer, request));
};

test('401 to everything: a few requests, one verdict, one sentence', async () => {
  const run = await runInProcessAgainst({ alter: rejecting(() => true) }, { PROBES: 'on', SWEEP: 'all' });
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error' } });
  expect(run.requests.length).toBeLessThanOrEqual(6);
  expect(new Set(run.requests.map(({ path }) => path.split('?')[0])).size).toBeGreaterThan(1);
  expect(run.output).toContain('rejected the request with HTTP 401: check the credentials');
  expect(addressesOf(run, 'violation')).toEqual([]);
});

test('401 to each card alone: everything else is judged', async () => {
  const run = await runInProcessAgainst({ alter: rejecting((path) => path.includes('/cards/')) });
  const { requirements = [] } = run.conformance ?? {};
  expect(run.conformance?.verdict).toBe('error');
  const judged = new Set(
    requirements.filter(({ verdict }) => verdict === 'pass').map((one) => one.operation),
  );
  expect([...judged].sort()).toEqual(['getCustomer', 'getFeeRules', 'listCustomers']);
  expect(run.requests.filter(({ path }) => path.includes('/cards/')).length).toBeGreaterThan(6);
});
