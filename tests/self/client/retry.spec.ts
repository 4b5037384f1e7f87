import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import type { HttpClient } from '../../../src/client/http-client.ts';
import { throttlingGateway } from '../harness/gateway.ts';
import type { Environment } from '../harness/whole-run.ts';
import { startRawProvider } from '../runs/hostile.ts';
import { sendInOrder, sendToMock, withClient } from './with-client.ts';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
const waits: [form: string, retryAfter: () => string][] = [
  ['seconds', () => '1'],
  // Two seconds, because an HTTP date has no fractions of a second: the client may wait up to a second less.
  ['a date', () => inSeconds(2)],
];

for (const [form, retryAfter] of waits)
  test(`a retry waits for Retry-After as ${form}`, async () => {
    const startedAt = performance.now();
    const { response } = await sendToMock({ alter: throttlingGateway(retryAfter) }, {}, sendInOrder('/a'));
    expect(response).toMatchObject([{ status: 404, retries: 1 }]);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

const answering =
  (status: number, retryAfter?: string): Alter =>
  (response) => ({ ...response, status, headers: retryAfter ? { 'retry-after': retryAfter } : {} });

const reset: Alter = (response) => ({ ...response, abort: 'before' });
const isReset = { blocked: 'the connection was reset before the response was complete' };

const believed: [name: string, alter: Alter, requests: number, response: object, env?: Environment][] = [
  ['429 with a wait of an hour', answering(429, '3600'), 1, { status: 429 }],
  ['429 with a date far ahead', answering(429, 'Fri, 31 Dec 2100 23:59:59 GMT'), 1, { status: 429 }],
  ['429 with nonsense', answering(429, 'soon'), 1, { status: 429 }],
  // `Date.parse` reads this as a day in 2001.
  ['429 with another word', answering(429, 'Wait 5'), 1, { status: 429 }],
  // RFC 9110 (section 10.2.3) allows no fraction, and `Date.parse` reads one as a past day.
  ['429 with a fraction of seconds', answering(429, '1.5'), 1, { status: 429 }],
  ['502 with Retry-After', answering(502, '0'), 1, { status: 502 }],
  ['503 again and again', answering(503, '0'), 4, { status: 503, retries: 3 }],
  // The secondary rate limit of GitHub.
  ['403 with Retry-After again and again', answering(403, '0'), 4, { status: 403, retries: 3 }],
  // At this rate a retry takes longer than the budget.
  ['429 once the budget is spent', answering(429, '0'), 1, { status: 429 }, { MAX_RPS: '0.014' }],
];

for (const [name, alter, requests, expected, env = {}] of believed)
  test(`${name} is the response after ${requests - 1} retries`, async () => {
    const { response, received, counted } = await sendToMock({ alter }, env, sendInOrder('/a'));
    expect(response).toMatchObject([expected]);
    expect([received.length, counted]).toEqual([requests, requests]);
  });

test('a target that resets each connection gets one retry, which is not counted', async () => {
  const { response, repeated, received, counted } = await sendToMock({ alter: reset }, {}, sendInOrder('/a'));
  expect(response).toMatchObject([isReset]);
  expect([received.length, counted, repeated]).toEqual([2, 1, {}]);
});

test('a request on a reused connection that is reset is sent on another connection', async () => {
  const alter: Alter = (response, request) =>
    request.requestNumber === 2 ? reset(response, request) : response;
  const { response, repeated, received } = await sendToMock({ alter }, {}, sendInOrder('/a', '/b'));
  expect(response).toMatchObject([{ status: 404 }, { status: 404 }]);
  expect(repeated).toEqual({});
  expect(received.map(({ path }) => path)).toEqual(['/a', '/b', '/b']);
});

test('a server that closes each connection without notice gets each request on another connection', async () => {
  const provider = await startRawProvider((socket) => {
    const close = () => setImmediate(() => socket.destroy());
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}', close);
  });
  const answers = await withClient(provider, {}, (client) =>
    Promise.all(Array.from({ length: 40 }, (_, n) => client.get(`/${n}`))),
  );
  expect(answers.filter((response) => 'blocked' in response)).toEqual([]);
});

const all = Array.from({ length: 9 }, (_, n) => `/${n}`);
const unauthorized: [name: string, paths: RegExp, requests: number, otherStatus?: number][] = [
  ['every request stops the run, because more may lock an account', /./, 3],
  ['all but one request does not stop the run, because the credentials are right', /[^1]$/, 9],
  [
    'every request after a 503 stops the run, because a gateway may send 503 for any credentials',
    /[^0]$/,
    4,
    503,
  ],
];

for (const [name, paths, requests, otherStatus = 404] of unauthorized)
  test(`401 to ${name}`, async () => {
    const alter: Alter = (response, { path }) => ({
      ...response,
      status: paths.test(path) ? 401 : otherStatus,
    });
    const { response, received } = await sendToMock({ alter }, {}, sendInOrder(...all));
    expect(received).toHaveLength(requests);
    const notSent = response.filter((outcome) => 'notSent' in outcome);
    expect(notSent).toHaveLength(9 - requests);
    const blocked = expect.stringMatching(/^the credentials are rejected with HTTP 401: set/);
    expect(notSent).toMatchObject(notSent.map(() => ({ blocked })));
  });

test('401 to requests that are sent at once reaches three of them, because more may lock an account', async () => {
  const alter: Alter = (response) => ({ ...response, status: 401, delayMs: 20 });
  const sendAtOnce = (client: HttpClient) => Promise.all(all.map((path) => client.get(path)));
  const { response, received } = await sendToMock({ alter }, {}, sendAtOnce);
  expect([received.length, response.length]).toEqual([3, 9]);
});

test('HTTP 403 that limits the rate does not show that the credentials are accepted', async () => {
  let responseCount = 0;
  const alter: Alter = (response) => {
    responseCount += 1;
    const headers = { ...response.headers, 'x-ratelimit-remaining': '0' };
    return responseCount === 1 ? { ...response, status: 403, headers } : { ...response, status: 401 };
  };
  const sendOneThenAll = async (client: HttpClient) => {
    await client.get(all[0] ?? '');
    return Promise.all(all.map((path) => client.get(path)));
  };
  const { received } = await sendToMock({ alter }, {}, sendOneThenAll);
  expect(received).toHaveLength(1 + 3);
});

test('a wait that several requests share is taken once from the time for waits', async () => {
  test.setTimeout(60_000);
  let opensAt = 0;
  const alter: Alter = (response) => {
    opensAt ||= Date.now() + 16_000;
    const remainingSeconds = Math.ceil((opensAt - Date.now()) / 1000);
    const headers = { ...response.headers, 'retry-after': `${remainingSeconds}` };
    return remainingSeconds > 0 ? { ...response, status: 429, headers } : response;
  };
  // All waits together take at most 60 s. Four waits of 16 s in turn would exceed them.
  const { response } = await sendToMock({ alter }, {}, (client) =>
    Promise.all(['/a', '/b', '/c', '/d'].map((path) => client.get(path))),
  );
  expect(response.map((outcome) => 'status' in outcome && outcome.status)).toEqual([404, 404, 404, 404]);
});

test('MAX_RPS limits the rate of a run, however many requests wait', async () => {
  const startedAt = performance.now();
  await sendToMock({}, { MAX_RPS: '50' }, (client) =>
    Promise.all(Array.from({ length: 26 }, () => client.get('/a'))),
  );
  // 25 intervals of 20 ms. A timer may fire a millisecond early; a busy machine takes longer.
  expect(performance.now() - startedAt).toBeGreaterThan(490);
});

test('at most four requests wait for a response at a time', async () => {
  let count = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const alter: Alter = async (response, { path }) => {
    count += path === '/' ? 0 : 1;
    if (path !== '/') await released;
    return response;
  };
  await sendToMock({ alter }, {}, async (client) => {
    await client.get('/');
    const answers = ['/a', '/b', '/c', '/d', '/e', '/f'].map((path) => client.get(path));
    await expect.poll(() => count).toBeGreaterThan(3);
    await new Promise((later) => setTimeout(later, 50));
    expect(count).toBe(4);
    release();
    expect(await Promise.all(answers)).toMatchObject(Array(6).fill({ status: 404 }));
  });
});
