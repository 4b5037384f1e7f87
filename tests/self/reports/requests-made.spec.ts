import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { knownIdentifiers } from '../../../mock/operations.ts';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { literal, pathOf } from '../../../src/ask/request.ts';
import { requestLine, unansweredReason } from '../../../src/verdict/requests-made.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';

test('a request that was repeated, or has no response, says so', () => {
  const request = { operation: 'getCard', exchange: 'GET /cards/{CARD_IDS[0]}' };
  expect(requestLine({ ...request, blocked: 'the connection was refused', repeated: 2 })).toBe(
    'GET /cards/{CARD_IDS[0]} → the connection was refused, repeated 2 times',
  );
  expect(requestLine({ ...request, status: 200, bytes: 15_000_000, durationMs: 7, probe: true })).toBe(
    'GET /cards/{CARD_IDS[0]} → HTTP 200, 15 MB, 7 ms, probe',
  );
});

test('a list of requests of which none was answered is no pass', () => {
  const request = { operation: 'getCard', exchange: 'GET /cards/{CARD_IDS[0]}' };
  const unanswered = { ...request, blocked: 'the connection was refused' };
  expect(unansweredReason([])).toBe('no request was made');
  expect(unansweredReason([unanswered])).toBe('no request was answered');
  expect(unansweredReason([unanswered, { ...request, status: 500 }])).toBeUndefined();
});

for (const [name, parameters] of [
  ['limit', { limit: '20' }],
  ['offset', { limit: literal('20'), offset: 20 }],
  ['linked_source_type', { linked_source_type: {} }],
] as const)
  test(`a value of ${name} that is no argument is not sent, and what to write is said`, () => {
    const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
    expect(() => pathOf(operation, parameters as never)).toThrow(
      `src/ask/listCustomers.ts: the value of ${name} is no argument; write literal('…'), or`,
    );
  });

/** Answers some requests later than others. */
const slow =
  (isSlow: (request: MockRequest) => boolean): Alter =>
  async (answer, request) => {
    if (isSlow(request)) await pause(20);
    return answer;
  };

test('observations stand in the order of the requests, whichever response comes first', async () => {
  const isFirst = ({ parameters: { id } }: MockRequest) => id === knownIdentifiers.CARD_IDS?.[0];
  const { observations } = await judgeProvider({ alter: slow(isFirst) }, { maxPages: 1 });
  const cards = observations.filter(
    ({ operation, again, requests }) => operation === 'getCard' && !again && requests > 0,
  );
  expect(cards.map(({ parameters }) => parameters.id)).toEqual(
    [0, 1, 2].map((place) => `{CARD_IDS[${place}]}`),
  );
});

/** Breaks a rule in each page behind the first. Of each filter one page is rejected. */
const brokenBehindFirst: Alter = (answer, { operation, parameters }) => {
  const { offset = '0', linked_source_type: source = '' } = parameters;
  if (operation !== 'listCustomers' || answer.status !== 200) return answer;
  if (source && offset === '20') return { ...answer, status: 404, body: { code: 404, message: 'none' } };
  return { ...answer, status: offset === '0' ? 200 : 201 };
};

test('a report is the same whichever filter is answered first', async () => {
  const reports: unknown[] = [];
  for (const last of ['User', 'Store']) {
    const late = slow(({ parameters }) => parameters.linked_source_type === last);
    const alter: Alter = async (answer, request) => late(await brokenBehindFirst(answer, request), request);
    const run = await runInProcessAgainst({ alter }, { PROBES: 'on' });
    const { findings = [], requestsMade = [], observed } = run.conformance ?? {};
    expect(new Set(findings.map(({ requirement }) => requirement)).size).toBeGreaterThan(0);
    reports.push({ findings, sent: requestsMade.map(({ exchange }) => exchange), observed });
  }
  expect(reports[1]).toEqual(reports[0]);
});
