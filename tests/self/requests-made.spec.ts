import { expect, test } from '@playwright/test';
import { requestLine } from '../run/requests.ts';

test('a request that was repeated, or has no response, says so', () => {
  const request = { operation: 'getCard', exchange: 'GET /cards/{CARD_IDS[0]}' };
  expect(requestLine({ ...request, blocked: 'the connection was refused', repeated: 2 })).toBe(
    'GET /cards/{CARD_IDS[0]} → the connection was refused, repeated 2 times',
  );
  expect(requestLine({ ...request, status: 200, bytes: 15_000_000, durationMs: 7, probe: true })).toBe(
    'GET /cards/{CARD_IDS[0]} → HTTP 200, 15 MB, 7 ms, probe',
  );
});
