import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { durationsOf } from '../../../reports/durations.ts';
import type { RequestMade } from '../../../src/verdict/requests-made.ts';
import { sized, withClient } from '../client/raw-responses.ts';
import { runInProcess } from '../harness/in-process-run.ts';

const request = (durationMs: number, more: Partial<RequestMade> = {}): RequestMade => ({
  operation: 'getCard',
  exchange: 'GET /cards/{CARD_IDS[0]}',
  status: 200,
  firstByteMs: durationMs - 1,
  durationMs,
  ...more,
});

test('percentiles are times that were measured, by nearest rank', () => {
  const percentiles = [1, 2, 3, 20, 21, 100].map((count) => {
    const all = Array.from({ length: count }, (_, index) => request(count - index));
    const { median, p95, slowest } = durationsOf(all)[0]?.wholeMs ?? {};
    return [count, median, p95, slowest];
  });
  expect(percentiles).toEqual([
    [1, 1, 1, 1],
    [2, 1, 2, 2],
    [3, 2, 3, 3],
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

test('the client measures the first byte and the whole', async () => {
  const [head, rest] = [sized('ok').subarray(0, -1), sized('ok').subarray(-1)];
  const { firstByteMs = 0, durationMs = 0 } = await withClient(
    (socket) => {
      socket.write(head);
      setTimeout(() => socket.write(rest), 60);
    },
    (client) => client.get('/a'),
  );
  expect(durationMs - firstByteMs).toBeGreaterThanOrEqual(40);
});

test('a run tells how long responses took, and records none of it', async () => {
  const RECORD_FILE = test.info().outputPath('recorded.json');
  const { code, conformance, files } = await runInProcess({ PROBES: 'on', RECORD: '1', RECORD_FILE });
  expect(code).toBe(0);
  const { durations = [], requirements = [] } = conformance ?? {};
  const operations = new Set(requirements.map(({ operation }) => operation));
  expect(new Set(durations.map(({ operation }) => operation))).toEqual(operations);
  const text = (name: string) => files().find((file) => file.name === name)?.text;
  for (const operation of operations) expect(text('contract.html')).toContain(`id="${operation}/durations"`);
  expect(readFileSync(RECORD_FILE, 'utf8')).not.toMatch(/\bms\b|durations?Ms|firstByte/);
});
