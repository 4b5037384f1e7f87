import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { measureDurations } from '../../../reports/conformance.ts';
import { explainUnanswered, type RequestMade } from '../../../src/verdict/requests-made.ts';
import { judgeMock } from '../harness/judge-mock.ts';

const request = { operation: 'getCard', exchange: 'GET /cards/{CARD_IDS[0]}' };
const unanswered = { ...request, blocked: 'the connection was refused' };
const createTimedRequest = (durationMs: number, overrides: Partial<RequestMade> = {}): RequestMade => ({
  ...request,
  status: 200,
  firstByteMs: durationMs - 1,
  durationMs,
  ...overrides,
});

test('a list of requests without any response does not pass', () => {
  expect(explainUnanswered([])).toBe('no request was made');
  expect(explainUnanswered([unanswered])).toBe('no request got a response');
  expect(explainUnanswered([unanswered, { ...request, status: 500 }])).toBeUndefined();
});

/** Expected percentiles in ms of `requestCount` requests that take 1, 2, 3, … ms. */
const percentiles: [requestCount: number, median: number, p95: number, slowest: number][] = [
  [1, 1, 1, 1],
  [2, 1, 2, 2],
  [20, 10, 19, 20],
  [21, 11, 20, 21],
];
test('percentiles are measured times, by nearest rank, without probes and requests that have no response', () => {
  for (const [requestCount, median, p95, slowest] of percentiles) {
    const requests = Array.from({ length: requestCount }, (_, index) =>
      createTimedRequest(requestCount - index),
    );
    expect(measureDurations(requests)[0]?.wholeMs).toEqual({ median, p95, slowest });
  }
  const feeRequest = createTimedRequest(7, { operation: 'getFeeRules' });
  const requests = [
    createTimedRequest(5, { repeated: 1 }),
    feeRequest,
    createTimedRequest(900, { probe: true }),
    unanswered,
  ];
  expect(measureDurations(requests)).toMatchObject([
    { responses: 1, repeated: 1, wholeMs: { slowest: 5 } },
    { responses: 1, repeated: 0, wholeMs: { slowest: 7 } },
  ]);
});

test('a report does not depend on which filter gets its response first', async () => {
  const reportWithLast = async (last: string) => {
    // Breaks a rule in each page after the first, and rejects one page of each filter.
    const alter: Alter = async (response, { operation, parameters }) => {
      const { offset = '0', linked_source_type: source = '' } = parameters;
      if (source === last) await pause(20);
      if (operation !== 'listCustomers' || response.status !== 200 || offset === '0') return response;
      if (!source || offset !== '20') return { ...response, status: 201 };
      return { ...response, status: 404, body: { code: 404, message: 'none' } };
    };
    const { findings, requestsMade, observed } = await judgeMock({ alter }, { traceHeaders: 'off' });
    expect(findings.length).toBeGreaterThan(0);
    return { findings, requestTexts: requestsMade.map(({ exchange }) => exchange), observed };
  };
  expect(await reportWithLast('User')).toEqual(await reportWithLast('Store'));
});
