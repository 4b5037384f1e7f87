import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { runScript } from '../harness/in-process-command.ts';
import { cleanEnvironment } from '../harness/whole-run.ts';

test('npm starts the mock with its arguments', async () => {
  const run = promisify(execFile)('npm', ['run', '--silent', 'mock', '--', '--help'], {
    env: cleanEnvironment(),
  });
  expect((await run).stdout).toContain('Usage: npm run mock');
});

test('what is given to a run behind -- reaches Playwright, as it was given', async () => {
  const script = ['run', '--silent', 'conformance', '--', '--reporter', "no 'such $one", '--list'];
  const env = { ...cleanEnvironment(), REPORTS_DIR: test.info().outputPath('none') };
  const run = promisify(execFile)('npm', script, { env });
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("no 'such $one") });
});

// npm starts each of them as it starts the mock.
test('a merge and the list of requirements are scripts that take arguments', async () => {
  expect(await runScript('merge', ['docs'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('usage: npm run merge'),
  });
  expect(await runScript('requirements', ['getFeeRules/code'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('getFeeRules/code '),
  });
});
