import { expect, test } from '@playwright/test';
import { isRelation, loadContract } from '../../../schemas/contract/contract.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';
import { listing } from '../proof/variants/variant.ts';

const rules = loadContract().operations.flatMap((operation) => operation.rules);
/** Number of requests that confirm contradictions: five of each relation, four requests each. */
const confirmationCount = 5 * 4 * rules.filter(({ check }) => isRelation(check)).length;
for (const [env, unsentCount] of [
  [{}, 40],
  [{ CUSTOMER_IDS: '', CARD_IDS: '' }, 37],
  [{ PROBES: 'on' }, 43],
] as const)
  test(`a run with ${JSON.stringify(env)} sends no more requests than it announces`, async () => {
    const mock = { choices: { maxLimit: 2, defaultLimit: 2 } };
    const run = await runInProcessAgainst(mock, { ...env, MAX_RPS: '1000' });
    const [, announcedCount] =
      /at most (\d+) requests, 1000 a second: up to 1 s at that rate$/m.exec(run.output) ?? [];
    expect(Number(announcedCount) - run.requests.length).toBe(unsentCount + confirmationCount);
  });

test('a run looks up one customer of each shape, 40 at most, and tries a fixed list of limits', async () => {
  const alter = listing((customers) =>
    customers.map((customer, index) => ({ ...customer, [`x${index}`]: 1 })),
  );
  const { observations } = await judgeProvider({ choices: { defaultLimit: 100 }, alter });
  const limits = observations.flatMap(({ parameters }) => parameters.limit ?? []);
  expect(new Set(limits)).toEqual(new Set(['20', '10', '50', '100']));
  expect(observations.findLast(({ exchange }) => exchange.includes('example 4'))?.exchange).toContain('40}');
});
