import { expect, test } from '@playwright/test';
import { runInProcess, runInProcessAgainst } from '../../harness/in-process-run.ts';
import { operation } from './edits.ts';

test(`${operation}/ has requirements, coverage and a part of the contract page`, async () => {
  const run = await runInProcess({ BASE_URL: 'mock' });
  expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap');
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass', findings: [] } });
  const requirements =
    run.conformance?.requirements.filter((requirement) => requirement.operation === operation) ?? [];
  expect(requirements.map(({ address }) => address)).toEqual(
    expect.arrayContaining([
      ...['http/status', 'parameters/id', 'rules/unique-keys', 'rules/id-is-requested'].map(
        (addressEnd) => `${operation}/${addressEnd}`,
      ),
      ...['status', 'paid_on', 'recipient/iban', 'items/*/amount'].map(
        (field) => `${operation}/data/payout/${field}`,
      ),
    ]),
  );
  expect(requirements.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  const page = run.files().find(({ name }) => name === 'contract.html')?.text;
  for (const address of [operation, `${operation}/data/payout/recipient/iban`, 'schemas/Payout'])
    expect(page).toContain(`id="${address}"`);
});

test(`no report of a target shows records of ${operation}`, async () => {
  const run = await runInProcessAgainst({}, {});
  expect(run.conformance?.requirements.some((requirement) => requirement.operation === operation)).toBe(true);
  // The page shows the example of the contract; these values occur only in records of the mock.
  for (const { name, text } of run.files())
    expect(text, name).not.toMatch(/9a1f0000-0000-4000-8000-00000000000[23]|DE8937|2023-12-31|Bo Example/);
});
