import { expect, test } from '@playwright/test';
import { runAgainst, writePassedReports } from '../harness/whole-run.ts';

test('a run whose --grep selects nothing sends nothing, says why, and leaves the reports of the last run', async () => {
  const env = { REPORTS_DIR: writePassedReports() };
  const args = ['--reporter=line,./reports/reporter.ts', '--grep', '@getCard/kode'];
  const run = await runAgainst({}, env, args);
  expect(run).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'pass' } });
  expect(run.output).toContain(
    'no test was selected: npm run requirements lists what --grep can select; write \\* for * in it',
  );
  expect(run.output).not.toMatch(/^ {4}at /m);
});
