import { expect, test } from '@playwright/test';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';
import { replaceListedCustomers } from '../proof/variants/variant.ts';

const selections: [name: string, env: Record<string, string>, grep: RegExp][] = [
  ['a whole run', {}, /./],
  ['a whole run with probes', { PROBES: 'on' }, /./],
  ['a whole run without identifiers', { CARD_IDS: '', CUSTOMER_IDS: '', USER_IDS: '' }, /./],
  ['the operation getCard', {}, /^getCard\//],
  ['all operations without the gates', { PROBES: 'on' }, /^(?!run\/)/],
  ['one requirement of a list', {}, /^listCustomers\/http\/status$/],
  ['one requirement of a lookup', {}, /^getCustomer\/http\/status$/],
  ['one requirement of the fee rules', {}, /^getFeeRules\/http\/status$/],
];
for (const [name, env, grep] of selections)
  test(`${name} sends no more requests than announced, and at least half of them`, async () => {
    const run = await runInProcessAgainst({}, { ...env, MAX_RPS: '1000' }, grep);
    const pattern = /about (\d+) requests(?: of [\w, ]+)?, 1000 a second: about 1 s at that rate$/m;
    const announcedCount = Number(pattern.exec(run.output)?.[1]);
    expect(run.requests.length).toBeLessThanOrEqual(announcedCount);
    expect(run.requests.length * 2).toBeGreaterThanOrEqual(announcedCount);
  });

test('a run looks up one customer of each shape, 40 at most, and tries a fixed list of limits', async () => {
  const alter = replaceListedCustomers((customers) =>
    customers.map((customer, index) => ({ ...customer, [`x${index}`]: 1 })),
  );
  const { observations } = await judgeProvider({ choices: { defaultLimit: 100 }, alter });
  const limits = observations.flatMap(({ parameters }) => parameters.limit ?? []);
  expect(new Set(limits)).toEqual(new Set(['20', '10', '50', '100']));
  expect(
    observations.findLast(({ requestText }) => requestText.includes('example 4'))?.requestText,
  ).toContain('40}');
});
