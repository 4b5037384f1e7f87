import { rmSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { copyProject } from '../harness/project-copy.ts';
import { startSuite } from '../harness/whole-run.ts';
import { addPayouts, operation } from './fifth-operation/edits.ts';

test.describe.configure({ mode: 'default' });
test.setTimeout(180_000);

let folder: string;
test.beforeAll(() => {
  folder = copyProject(test.info().outputPath('copy'), (file) => !file.includes('/recordings/'));
  addPayouts(folder);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a fifth operation has requirements, coverage, and a part of the contract page, where nothing of its records is shown', async () => {
  const run = await startSuite({ BASE_URL: 'mock' }, undefined, folder).ended;
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass', findings: [] } });
  const own = run.conformance?.requirements.filter((one) => one.operation === operation) ?? [];
  expect(own.map(({ address }) => address)).toEqual(
    expect.arrayContaining([
      ...['http/status', 'parameters/id', 'rules/unique-keys'].map((rest) => `${operation}/${rest}`),
      ...['status', 'paid_on', 'recipient/iban', 'items/*/amount'].map(
        (at) => `${operation}/data/payout/${at}`,
      ),
    ]),
  );
  expect(own.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  const page = run.files().find(({ name }) => name === 'contract.html')?.text;
  for (const address of [operation, `${operation}/data/payout/recipient/iban`, 'schemas/Payout'])
    expect(page).toContain(`id="${address}"`);
  // The page shows the example of the contract; these are of the mock's records alone.
  for (const { name, text } of run.files())
    expect(text, name).not.toMatch(/pay-[23]|DE8937|2023-12-31|Bo Example/);
});

test('each requirement of a fifth operation has a fault, and each derived fault is killed', async () => {
  const args = [
    '--config',
    'tests/self',
    'self/proof/proof',
    '--grep',
    `${operation}/|every requirement has`,
  ];
  const { code, output } = await startSuite({}, args, folder).ended;
  expect(code, output).toBe(0);
  expect(Number(/(\d+) passed/.exec(output)?.[1])).toBeGreaterThan(20);
});
