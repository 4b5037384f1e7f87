import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { briefBehaviourOf } from '../harness/observing.ts';

const fuzzing = (fuzzRequests: number, fuzzSeed = 7) => ({ probes: false, fuzzRequests, fuzzSeed });

/** Fails for a limit with a sign, as a provider may that parses without looking. */
const failing: Alter = (answer, { operation, parameters }) =>
  operation === 'listCustomers' && /-/.test(parameters.limit ?? '') ? { ...answer, status: 500 } : answer;

test('as many requests as configured at most, all of them GET, none twice, and the same for the same seed', async () => {
  const { requests, extra, notes } = await briefBehaviourOf({}, fuzzing(60));
  const sent = async (seed: number) => (await briefBehaviourOf({}, fuzzing(60, seed))).requests;
  expect(await sent(7)).toEqual(requests);
  expect(await sent(8)).not.toEqual(requests);
  expect(extra).toBeLessThanOrEqual(60);
  expect(extra).toBeGreaterThan(30);
  const asked = requests.map(({ method, path }) => `${method} ${path}`);
  expect(asked.filter((one) => !one.startsWith('GET /'))).toEqual([]);
  const fuzzed = asked.slice(-extra);
  expect(fuzzed.filter((one) => asked.indexOf(one) < asked.length - extra)).toEqual([]);
  expect(new Set(fuzzed).size).toBe(extra);
  expect(notes).toEqual(['fuzzed with PROBES=60:7']);
  const unseeded = await briefBehaviourOf({}, { ...fuzzing(4), fuzzSeed: undefined });
  expect(unseeded.notes).toEqual([expect.stringMatching(/^fuzzed with PROBES=4:\d+$/)]);
});

test('a server error is shrunk to the smallest request that shows it, within the budget', async () => {
  const { extra: spent } = await briefBehaviourOf({ alter: failing }, fuzzing(16, 9));
  expect(spent).toBeLessThanOrEqual(16);
  const { findings } = await briefBehaviourOf({ alter: failing }, fuzzing(400));
  expect(findings).toHaveLength(1);
  const { kind, actual, exchange, repeat } = findings[0] ?? {};
  expect({ kind, actual }).toEqual({ kind: 'server error', actual: 'server error 500' });
  expect(exchange).toMatch(/\/customers\?limit=-\d?$/);
  expect(repeat).toContain(`\${BASE_URL:?}${exchange?.replace('GET ', '')}"`);
});
