import { expect, test } from '@playwright/test';
import { outputsOf, reportOf } from '../reports/report-outputs.ts';

test('the block of a verdict says how many records can break what a sample shows to be kept', async () => {
  const run = await reportOf();
  const swept = { judged: 14, broken: 0, records: 'customers', upperBound: 0.2034 };
  const requirements = run.requirements.map((one) => ({ ...one, swept }));
  const { terminal, markdown } = outputsOf({ ...run, requirements });
  const bound = 'sample: at most 21 % of customers can break what it shows to be kept (95 %)';
  expect(terminal.trim().split('\n').slice(0, 5).join('\n')).toContain(bound);
  expect(markdown.split('\n').slice(0, 8)).toContain(bound);
  expect(outputsOf(run).terminal).not.toContain('sample:');
});
