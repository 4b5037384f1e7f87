import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { measureDurations } from '../../../reports/conformance.ts';
import { type RequestMade, unansweredReason } from '../../../src/verdict/requests-made.ts';
import { judgedRun } from '../harness/judged-runs.ts';

const request = { operation: 'getCard', exchange: 'GET /cards/{CARD_IDS[0]}' };
const unanswered = { ...request, blocked: 'the connection was refused' };
const taking = (durationMs: number, more: Partial<RequestMade> = {}): RequestMade => ({
  ...{ ...request, status: 200, firstByteMs: durationMs - 1, durationMs },
  ...more,
});

test('of requests none of which was answered, the list is no pass', () => {
  expect(unansweredReason([])).toBe('no request was made');
  expect(unansweredReason([unanswered])).toBe('no request was answered');
  expect(unansweredReason([unanswered, { ...request, status: 500 }])).toBeUndefined();
});

/** How many requests, which took 1, 2, 3, … ms, and their median, 95th percentile and slowest. */
const percentiles = [
  [1, 1, 1, 1],
  [2, 1, 2, 2],
  [20, 10, 19, 20],
  [21, 11, 20, 21],
] as const;
test('percentiles are times that were measured, by nearest rank, without probes and requests that no response has', () => {
  for (const [count, median, p95, slowest] of percentiles) {
    const all = Array.from({ length: count }, (_, index) => taking(count - index));
    expect(measureDurations(all)[0]?.wholeMs).toEqual({ median, p95, slowest });
  }
  const other = taking(7, { operation: 'getFeeRules' });
  const requests = [taking(5, { repeated: 1 }), other, taking(900, { probe: true }), unanswered];
  expect(measureDurations(requests)).toMatchObject([
    { responses: 1, repeated: 1, wholeMs: { slowest: 5 } },
    { responses: 1, repeated: 0, wholeMs: { slowest: 7 } },
  ]);
});

test('a report is the same whichever filter is answered first', async () => {
  const reportOf = async (last: string) => {
    // Breaks a rule in each page behind the first. Of each filter one page is rejected.
    const alter: Alter = async (answer, { operation, parameters }) => {
      const { offset = '0', linked_source_type: source = '' } = parameters;
      if (source === last) await pause(20);
      if (operation !== 'listCustomers' || answer.status !== 200 || offset === '0') return answer;
      if (!source || offset !== '20') return { ...answer, status: 201 };
      return { ...answer, status: 404, body: { code: 404, message: 'none' } };
    };
    const { findings, requestsMade, observed } = await judgedRun({ alter }, { requestId: 'off' });
    expect(findings.length).toBeGreaterThan(0);
    return { findings, sent: requestsMade.map(({ exchange }) => exchange), observed };
  };
  expect(await reportOf('User')).toEqual(await reportOf('Store'));
});
