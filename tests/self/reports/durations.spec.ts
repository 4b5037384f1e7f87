import { expect, test } from '@playwright/test';
import { durationsOf } from '../../../reports/durations.ts';
import type { RequestMade } from '../../../src/verdict/requests-made.ts';

const request = (durationMs: number, more: Partial<RequestMade> = {}): RequestMade => ({
  operation: 'getCard',
  exchange: 'GET /cards/{CARD_IDS[0]}',
  status: 200,
  firstByteMs: durationMs - 1,
  durationMs,
  ...more,
});

test('percentiles are times that were measured, by nearest rank', () => {
  const percentiles = [1, 2, 20, 21, 100].map((count) => {
    const all = Array.from({ length: count }, (_, index) => request(count - index));
    const { median, p95, slowest } = durationsOf(all)[0]?.wholeMs ?? {};
    return [count, median, p95, slowest];
  });
  expect(percentiles).toEqual([
    [1, 1, 1, 1],
    [2, 1, 2, 2],
    [20, 10, 19, 20],
    [21, 11, 20, 21],
    [100, 50, 95, 100],
  ]);
});

test('probes and requests without a response are not counted, repeated requests are named', () => {
  const { firstByteMs: _, status: __, ...unanswered } = request(10_000, { blocked: 'no answer' });
  const requests = [request(5, { repeated: 2 }), request(900, { probe: true }), unanswered];
  expect(durationsOf(requests)).toMatchObject([{ responses: 1, repeated: 1, wholeMs: { slowest: 5 } }]);
  expect(durationsOf([unanswered])).toEqual([]);
});
