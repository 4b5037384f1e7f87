import { expect, test } from '@playwright/test';
import { runInProcessAgainst } from '../harness/in-process-run.ts';

for (const [own, announced, sent] of [
  [{}, 206, 48],
  [{ CUSTOMER_IDS: '', CARD_IDS: '' }, 187, 32],
] as const)
  test(`no more is sent than was announced ${JSON.stringify(own)}`, async () => {
    const choices = { maxLimit: 2, defaultLimit: 2 };
    const run = await runInProcessAgainst({ choices }, { ...own, MAX_RPS: '1000' });
    const [, said] = /at most (\d+) requests, 1000 a second: up to 1 s at that rate$/m.exec(run.output) ?? [];
    expect([Number(said), run.requests.length]).toEqual([announced, sent]);
  });
