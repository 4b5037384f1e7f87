import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { limitingGateway } from '../harness/gateway.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { sendInOrder, sendToMock } from './with-client.ts';

const rejectAllWith429: Alter = (response) => ({
  ...response,
  status: 429,
  headers: { 'retry-after': '0' },
});

const reject429 =
  (...requestNumbers: number[]): Alter =>
  (response, request) =>
    requestNumbers.includes(request.requestNumber) ? rejectAllWith429(response, request) : response;

test('a client halves its rate until a limiter lets every request pass', async () => {
  const paths = Array.from({ length: 16 }, (_, index) => `/${index}`);
  const run = await sendToMock({ alter: limitingGateway(4) }, { MAX_RPS: '16' }, (client) =>
    Promise.all(paths.map((path) => client.get(path))),
  );
  expect(run.response.map((response) => 'status' in response && response.status)).toEqual(
    Array(16).fill(404),
  );
  expect(run.rateShare).toBeLessThan(1);
  expect(run.rateShare).toBeGreaterThan(0.1);
  expect(run.received.length).toBeLessThan(32);
});

test('several HTTP 429 to requests sent at one rate halve the rate once', async () => {
  const paths = ['/a', '/b', '/c', '/d'];
  const { rateShare } = await sendToMock({ alter: reject429(1, 2, 3) }, { MAX_RPS: '10000' }, (client) =>
    Promise.all(paths.map((path) => client.get(path))),
  );
  expect(rateShare).toBe(0.5);
});

test('a target that answers HTTP 429 at every rate gets requests at the configured rate again', async () => {
  const {
    response,
    rateShare,
    received: requests,
  } = await sendToMock({ alter: rejectAllWith429 }, { MAX_RPS: '2' }, sendInOrder('/a', '/b'));
  expect(response).toMatchObject(Array(2).fill({ status: 429, retries: 3 }));
  expect([rateShare, requests.length]).toEqual([0, 8]);
});

for (const [name, alter, note] of [
  [
    'a rate limit',
    reject429(3),
    'the target limits its rate: set MAX_RPS=500, to which this run slowed down',
  ],
  ['no rate limit', (response) => response, undefined],
] satisfies [string, Alter, string | undefined][])
  test(`a run against ${name} passes, and its notes name the rate that suffices only if it is lower`, async () => {
    const run = await runInProcessAgainst({ alter }, { MAX_RPS: '1000', PROBES: 'off' });
    expect(run.conformance?.verdict).toBe('pass');
    expect(run.conformance?.notes.find((line) => line.includes('MAX_RPS'))).toBe(note);
    expect(run.output.includes('MAX_RPS=')).toBe(note !== undefined);
  });
