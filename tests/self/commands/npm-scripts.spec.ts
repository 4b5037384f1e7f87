import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { cleanEnvironment } from '../harness/whole-run.ts';

const npm = (args: string[], env = {}) =>
  promisify(execFile)('npm', ['run', '--silent', ...args], { env: { ...cleanEnvironment(), ...env } });

test('npm starts a command with its arguments', async () => {
  expect((await npm(['mock', '--', '--help'])).stdout).toContain('Usage: npm run mock');
});

test('what is given to a run behind -- reaches Playwright, as it was given', async () => {
  const script = ['conformance', '--', '--reporter', "no 'such $one", '--list'];
  const run = npm(script, { REPORTS_DIR: test.info().outputPath('none') });
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("no 'such $one") });
});
