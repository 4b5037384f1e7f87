import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { maxRequests } from '../../../src/ask/ask-everything.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { targetOf } from '../harness/whole-run.ts';

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
