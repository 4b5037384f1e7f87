import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { answerQuestionsBriefly } from '../harness/observing.ts';

const createFuzzSettings = (fuzzRequests: number, fuzzSeed = 7) => ({
  probes: false,
  fuzzRequests,
  fuzzSeed,
});

const failNegativeLimit: Alter = (answer, { operation, parameters }) =>
  operation === 'listCustomers' && /^-\d/.test(parameters.limit ?? '') ? { ...answer, status: 500 } : answer;

test('fuzzing sends at most the configured number of requests: only GET, each once, and the same for one seed', async () => {
  const { requests, extraCount, notes } = await answerQuestionsBriefly({}, createFuzzSettings(60));
  const sendWithSeed = async (seed: number) =>
    (await answerQuestionsBriefly({}, createFuzzSettings(60, seed))).requests;
  expect(await sendWithSeed(7)).toEqual(requests);
  expect(await sendWithSeed(8)).not.toEqual(requests);
  expect(extraCount).toBeLessThanOrEqual(60);
  expect(extraCount).toBeGreaterThan(30);
  const requestLines = requests.map(({ method, path }) => `${method} ${path}`);
  expect(requestLines.filter((line) => !line.startsWith('GET /'))).toEqual([]);
  const fuzzLines = requestLines.slice(-extraCount);
  const linesBefore = requestLines.slice(0, -extraCount);
  expect(fuzzLines.filter((line) => linesBefore.includes(line))).toEqual([]);
  expect(new Set(fuzzLines).size).toBe(extraCount);
  expect(notes).toEqual(['fuzzed with PROBES=60:7']);
  const unseeded = await answerQuestionsBriefly({}, { ...createFuzzSettings(4), fuzzSeed: undefined });
  expect(unseeded.notes).toEqual([expect.stringMatching(/^fuzzed with PROBES=4:\d+$/)]);
});

test('a request with a server error is shrunk to a minimal one, within the configured number', async () => {
  const { extraCount: spentRequests } = await answerQuestionsBriefly(
    { alter: failNegativeLimit },
    createFuzzSettings(16, 9),
  );
  expect(spentRequests).toBeLessThanOrEqual(16);
  const { findings } = await answerQuestionsBriefly({ alter: failNegativeLimit }, createFuzzSettings(400));
  expect(findings).toHaveLength(1);
  const { kind, actual, exchange, repeat } = findings[0] ?? {};
  expect({ kind, actual }).toEqual({ kind: 'server error', actual: 'server error 500' });
  expect(exchange).toMatch(/\/customers\?limit=-\d$/);
  expect(repeat).toContain(`\${BASE_URL:?}${exchange?.replace('GET ', '')}"`);
});
