import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { maxRequests } from '../../../src/ask/ask-everything.ts';
import { createClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { targetOf } from '../harness/whole-run.ts';

test.setTimeout(120_000);

const { target } = readConfiguration({}, '/nonexistent');

test('MAX_RPS holds for a run, however many requests wait', async () => {
  const times: number[] = [];
  const mock = await startMock({
    alter: (answer) => {
      times.push(performance.now());
      return answer;
    },
  });
  const client = await createClient({ ...target, maxRps: 50 }, mock.url);
  await Promise.all(Array.from({ length: 26 }, () => client.get('/a')));
  await Promise.all([client.close(), mock.close()]);
  // Of 25 intervals of 20 ms the first request may be late, and the last one not.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(24 * 20 - 100);
});

const settings: Record<string, string>[] = [{}, { CUSTOMER_IDS: '', CARD_IDS: '' }];

for (const own of settings) {
  test(`no more is sent than was announced ${JSON.stringify(own)}`, async () => {
    const env = { ...own, MAX_RPS: '1000' };
    const mock = await startMock({ choices: { maxLimit: 2, defaultLimit: 2 } });
    const settled = readConfiguration({ ...targetOf(mock.url), ...env }, '/nonexistent').target;
    await mock.close();
    const run = await runInProcessAgainst({ choices: { maxLimit: 2, defaultLimit: 2 } }, env);
    const announced = Number(/at most (\d+) requests/.exec(run.output)?.[1]);
    expect(announced).toBe(await maxRequests(loadContract(), settled));
    expect(run.output).toMatch(/, 1000 a second: about 1 s$/m);
    expect(run.requests.length).toBeLessThanOrEqual(announced);
    expect(run.requests.length).toBeGreaterThan(10);
  });
}
