import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { maxRequests } from '../../../src/ask/ask-everything.ts';
import { createClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { targetOf } from '../harness/whole-run.ts';

const { target } = readConfiguration({}, '/nonexistent');

test('MAX_RPS holds for a run, however many requests wait', async () => {
  const mock = await startMock();
  const client = await createClient({ ...target, maxRps: 50 }, mock.url);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 26 }, () => client.get('/a')));
  // 25 intervals of 20 ms; a machine that is busy takes longer.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(500);
  await Promise.all([client.close(), mock.close()]);
});

const settings: Record<string, string>[] = [{}, { CUSTOMER_IDS: '', CARD_IDS: '' }];

for (const own of settings) {
  test(`no more is sent than was announced ${JSON.stringify(own)}`, async () => {
    const env = { ...own, MAX_RPS: '1000' };
    const choices = { maxLimit: 2, defaultLimit: 2 };
    const settled = readConfiguration({ ...targetOf('http://127.0.0.1'), ...env }, '/nonexistent').target;
    const run = await runInProcessAgainst({ choices }, env);
    const said = Number(/at most (\d+) requests/.exec(run.output)?.[1]);
    expect(said).toBe(await maxRequests(loadContract(), settled));
    expect(run.output).toMatch(/, 1000 a second: about 1 s$/m);
    expect(run.requests.length).toBeLessThanOrEqual(said);
    expect(run.requests.length).toBeGreaterThan(10);
  });
}
