import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { firstStep, Job } from './action-job.ts';

test.setTimeout(120_000);

const rejectedPaths = ['out\nverdict=pass', 'out\rverdict=pass', 'out/*', 'out[ab]', '!out', '-p', '-', ''];
test('the first step rejects a reports-dir that is no plain path of a folder', async () => {
  expect(firstStep).toBe('Check');
  for (const [index, folder] of rejectedPaths.entries()) {
    const job = new Job(test.info().outputPath(`${index}`));
    const { code, output } = await job.run('Check', { 'reports-dir': folder });
    expect(code, folder).toBe(1);
    expect(output).toMatch(/^::error::reports-dir must be the path of a folder: [^\n]*\n$/);
  }
});

test('no cache key of a target is a prefix of the key of another target', async () => {
  const names = ['', 'staging', 'staging-', 'staging-eu', 'staging-eu-1', 'a, b', 'é "$HOME"', '-n'];
  const keys: string[] = [];
  for (const [index, name] of names.entries()) {
    const job = new Job(test.info().outputPath(`${index}`));
    expect(await job.run('Name the cache', { 'target-name': name })).toEqual({ code: 0, output: '' });
    keys.push(job.outputs().key ?? '');
  }
  for (const key of keys) {
    expect(key).toMatch(/^conformance-\d+-\d+-$/);
    expect(keys.filter((otherKey) => otherKey.startsWith(key))).toEqual([key]);
  }
  const job = new Job(test.info().outputPath('unnamed'));
  await job.run('Name the cache', { 'base-url': 'staging' });
  expect(job.outputs().key).toBe(keys[1]);
});

test('a run that cannot start has the verdict error, whatever an earlier step left, in any folder and with any CDPATH', async () => {
  const job = new Job(test.info().outputPath('a folder, né 1'));
  expect(await job.run('Check', {})).toEqual({ code: 0, output: '' });
  const cwd = test.info().outputPath('workspace');
  mkdirSync(path.join(cwd, 'out'), { recursive: true });
  writeFileSync(path.join(cwd, 'out/conformance.json'), '{"verdict":"pass"}');
  const env = { GITHUB_ACTION_PATH: test.info().outputPath('nothing'), CDPATH: cwd };
  await job.run('Judge', { 'reports-dir': 'out' }, { env, cwd });
  expect(job.outputs()).toStrictEqual({ reports: path.join(cwd, 'out'), verdict: 'error' });
  expect(existsSync(path.join(cwd, 'out/conformance.json'))).toBe(false);
});
