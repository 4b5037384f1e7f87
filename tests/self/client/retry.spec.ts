import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { type Alter, type Mock, startMock } from '../../../mock/server.ts';
import { createClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { inRow, throttlingGateway } from '../harness/gateway.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';

test.setTimeout(120_000);

const { target } = readConfiguration({}, '/nonexistent');

/** Notes when each request arrived, in milliseconds. */
function clock(): { times: number[]; alter: Alter } {
  const times: number[] = [];
  const alter: Alter = (answer) => {
    times.push(Date.now());
    return answer;
  };
  return { times, alter };
}

/** Cuts the connection when a path that fits is requested the first time, or always. */
function resetting(fits: RegExp, always = false): Alter {
  const seen = new Set<string>();
  return (answer, { path }) => {
    if (!fits.test(path) || (seen.has(path) && !always)) return answer;
    seen.add(path);
    return { ...answer, abort: 'before' };
  };
}

/** The first error response demands a real wait, the others none: a test is to be quick. */
function waits(first: () => string, others: () => string): () => string {
  let asked = 0;
  return () => {
    asked += 1;
    return asked === 1 ? first() : others();
  };
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
const headers: [form: string, retryAfter: () => string][] = [
  [
    'seconds',
    waits(
      () => '1',
      () => '0',
    ),
  ],
  [
    'a date',
    waits(
      () => inSeconds(2),
      () => inSeconds(0),
    ),
  ],
];

for (const [form, retryAfter] of headers) {
  test(`429 on every first request, Retry-After as ${form}: green, with the repetitions listed`, async () => {
    const { times, alter } = clock();
    const run = await runInProcessAgainst({ alter: inRow(alter, throttlingGateway(retryAfter)) });
    expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass', requests: run.requests.length } });
    const distinct = new Set(pathsOf(run.requests)).size;
    // Cards are requested a second time: they have to be constant.
    const cards = new Set(pathsOf(run.requests).filter((path) => path.includes('/cards/'))).size;
    expect(run.requests).toHaveLength(2 * distinct + cards);
    expect(run.conformance?.notes).toEqual([`repeated ${distinct} times: HTTP 429 with Retry-After`]);
    const [first = ''] = pathsOf(run.requests);
    const again = pathsOf(run.requests).lastIndexOf(first);
    expect((times[again] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900);
  });
}

const pathsOf = (requests: Mock['requests']) => requests.map(({ path }) => path);

/** Counts requests by path, in front of another gateway. */
function counting(gateway: Alter): { alter: Alter; maxCalls: () => number } {
  const counts = new Map<string, number>();
  const alter: Alter = (answer, { path }) => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    return answer;
  };
  return { alter: inRow(alter, gateway), maxCalls: () => Math.max(...counts.values()) };
}

const errorResponse =
  (status: number, retryAfter?: string): Alter =>
  (answer) => ({ ...answer, status, headers: retryAfter ? { 'retry-after': retryAfter } : {} });

const believed: [name: string, gateway: Alter, times: number][] = [
  ['429 with a wait of an hour', errorResponse(429, '3600'), 1],
  ['429 with a date far ahead', errorResponse(429, 'Fri, 31 Dec 2100 23:59:59 GMT'), 1],
  ['429 with nonsense', errorResponse(429, 'soon'), 1],
  ['429 without Retry-After', errorResponse(429), 1],
  ['503 without Retry-After', errorResponse(503), 1],
  ['502 with Retry-After', errorResponse(502, '0'), 1],
  ['503 again and again', errorResponse(503, '0'), 4],
  ['connections that are always reset when they are new', resetting(/./, true), 1],
];

for (const [name, gateway, times] of believed) {
  test(`${name}: ${times - 1} repetitions, and blocked`, async () => {
    const { alter, maxCalls } = counting(gateway);
    const { observed } = await judgeProvider({ alter });
    expect(maxCalls()).toBe(times);
    expect(observed.violated).toEqual([]);
    expect(observed.blocked.length).toBeGreaterThan(100);
  });
}

test('once its budget is spent, a client takes 429 for the response', async () => {
  const { alter, maxCalls } = counting(errorResponse(429, '0'));
  const mock = await startMock({ alter });
  // At this rate a repetition alone takes longer.
  const client = await createClient({ ...target, maxRps: 1 / 70 }, mock.url);
  const answer = await client.get('/api/v1/openapi/digital_wallets/fee_rule?type=business');
  await Promise.all([client.close(), mock.close()]);
  expect({ answer, calls: maxCalls() }).toMatchObject({ answer: { status: 429 }, calls: 1 });
});

test('a reused connection that is reset is repeated once, and counted', async () => {
  const mock = await startMock({ alter: resetting(/cards/) });
  const client = await createClient(target, mock.url);
  const card = target.identifiers.CARD_IDS?.[0];
  await client.get('/api/v1/openapi/digital_wallets/fee_rule?type=business');
  const answer = await client.get(`/svc/ts/api/v1/openapi/cards/${card}`);
  const counted = [client.sent(), client.repeated(), mock.requests.length];
  await Promise.all([client.close(), mock.close()]);
  expect(answer).toMatchObject({ status: 200 });
  expect(counted).toEqual([3, { 'connection reset': 1 }, 3]);
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

test('an answer that fails once is a finding', async () => {
  let failed = false;
  const { alter, maxCalls } = counting((answer, { operation }) => {
    if (operation !== 'getCard' || failed) return answer;
    failed = true;
    return { ...answer, status: 500 };
  });
  const { observed } = await judgeProvider({ alter });
  expect(observed.violated).toEqual(['getCard/http/status']);
  // Cards are requested a second time: they have to be constant.
  expect(maxCalls()).toBe(2);
});
