import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { Job } from './action-job.ts';

test.setTimeout(120_000);

// How the action judges a target, and what is published of it, is tested in `pages-allure.spec.ts`.
test('a run that could not start has the verdict error, whatever was restored of an earlier one', async () => {
  const job = new Job(test.info().outputPath());
  mkdirSync(job.reports, { recursive: true });
  writeFileSync(path.join(job.reports, 'conformance.json'), '{"verdict":"pass"}');
  const { code } = await job.run('Judge', {}, { GITHUB_ACTION_PATH: test.info().outputPath('nothing') });
  expect(code).not.toBe(0);
  expect(job.outputs()).toEqual({ reports: job.reports, verdict: 'error' });
});

test('the action installs exactly what the lock file names', async () => {
  const { code, output } = await new Job(test.info().outputPath()).run(
    'Install',
    {},
    { npm_config_dry_run: 'true', NODE_ENV: 'production' },
  );
  expect({ code, output }).toEqual({ code: 0, output: expect.not.stringContaining('npm error') });
});
