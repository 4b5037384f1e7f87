import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { requestLine, unansweredReason } from '../../../src/verdict/requests-made.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';

const request = { operation: 'getCard', exchange: 'GET /cards/{CARD_IDS[0]}' };
const unanswered = { ...request, blocked: 'the connection was refused' };

test('a request that was repeated, or has no response, says so; of none that was answered, the list is no pass', () => {
  expect(requestLine({ ...unanswered, repeated: 2 })).toBe(
    'GET /cards/{CARD_IDS[0]} → the connection was refused, repeated 2 times',
  );
  expect(requestLine({ ...request, status: 200, bytes: 15_000_000, durationMs: 7, probe: true })).toBe(
    'GET /cards/{CARD_IDS[0]} → HTTP 200, 15 MB, 7 ms, probe',
  );
  expect(unansweredReason([])).toBe('no request was made');
  expect(unansweredReason([unanswered])).toBe('no request was answered');
  expect(unansweredReason([unanswered, { ...request, status: 500 }])).toBeUndefined();
});

/** Answers some requests later than others. */
const slow =
  (isSlow: (request: MockRequest) => boolean): Alter =>
  async (answer, request) => {
    if (isSlow(request)) await pause(20);
    return answer;
  };

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
    const run = await runInProcessAgainst({ alter }, { PROBES: 'on', REQUEST_ID: 'off' });
    const { findings = [], requestsMade = [], observed } = run.conformance ?? {};
    expect(new Set(findings.map(({ requirement }) => requirement)).size).toBeGreaterThan(0);
    reports.push({ findings, sent: requestsMade.map(({ exchange }) => exchange), observed });
  }
  expect(reports[1]).toEqual(reports[0]);
});
