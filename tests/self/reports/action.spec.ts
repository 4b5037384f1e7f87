import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { firstStep, Job } from './action-job.ts';

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

test('inputs are checked before anything uses them', () => {
  expect(firstStep).toBe('Check');
});

const rejected = {
  'a line break': 'out\nverdict=pass',
  'a carriage return': 'out\rverdict=pass',
  'a pattern': 'out/*',
  'a class of characters': 'out[ab]',
  'an exclusion': '!out',
  'an option': '-p',
  'the folder of before': '-',
  nothing: '',
};
for (const [name, folder] of Object.entries(rejected))
  test(`reports-dir is rejected where it is ${name}`, async () => {
    const job = new Job(test.info().outputPath());
    const { code, output } = await job.run('Check', { 'reports-dir': folder });
    expect(code).toBe(1);
    expect(output).toMatch(/^::error::reports-dir must be the path of a folder: [^\n]*\n$/);
  });

test('no key of the cache begins like that of another target', async () => {
  const names = ['', 'staging', 'staging-', 'staging-eu', 'staging-eu-1', 'a, b', 'é "$HOME"', '-n'];
  const keys: string[] = [];
  for (const [index, name] of names.entries()) {
    const job = new Job(test.info().outputPath(`${index}`));
    expect(await job.run('Name the cache', { 'target-name': name })).toEqual({ code: 0, output: '' });
    keys.push(job.outputs().key ?? '');
  }
  for (const key of keys) {
    expect(key).toMatch(/^conformance-\d+-\d+-$/);
    expect(keys.filter((other) => other.startsWith(key))).toEqual([key]);
  }
  const job = new Job(test.info().outputPath('unnamed'));
  await job.run('Name the cache', { 'base-url': 'staging' });
  expect(job.outputs().key).toBe(keys[1]);
});

test('reports-dir may be any other path, and is one line of the outputs for any CDPATH', async () => {
  const job = new Job(test.info().outputPath('a folder, né 1'));
  expect(await job.run('Check', {})).toEqual({ code: 0, output: '' });
  const cwd = test.info().outputPath('workspace');
  mkdirSync(path.join(cwd, 'out'), { recursive: true });
  const env = { GITHUB_ACTION_PATH: test.info().outputPath('nothing'), CDPATH: cwd };
  await job.run('Judge', { 'reports-dir': 'out' }, env, cwd);
  expect(job.outputs()).toStrictEqual({ reports: path.join(cwd, 'out'), verdict: 'error' });
});

test('the action installs exactly what the lock file names', async () => {
  const { code, output } = await new Job(test.info().outputPath()).run(
    'Install',
    {},
    { npm_config_dry_run: 'true', NODE_ENV: 'production' },
  );
  expect({ code, output }).toEqual({ code: 0, output: expect.not.stringContaining('npm error') });
});
