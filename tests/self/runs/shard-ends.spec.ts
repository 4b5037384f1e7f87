import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import type { Shard } from '../../verdict/verdict.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { askInProcess } from '../harness/in-process-run.ts';
import { type Environment, targetOf } from '../harness/whole-run.ts';

test('a shard to which nothing of what was selected falls passes, unless something is blocked', async () => {
  let isDown = false;
  const alter: Alter = (answer, { operation }) =>
    isDown && operation === 'getCustomer' ? { ...answer, status: 503 } : answer;
  const mock = await startMock({ population: { customers: 30 }, alter });
  const codes = async (env: Environment, shard: Shard, reporter?: string) => {
    const settings = { ...targetOf(mock.url), ...env, REPORTS_DIR: test.info().outputPath('shard') };
    const select = (all: string[]) => (env.SWEEP ? all.filter((one) => one.startsWith('getCard/')) : []);
    const judging = { shard, select, ...(reporter ? { reporter } : {}) };
    const { code, output } = await askInProcess(settings, (judge) => judge(judging), { shard });
    return [code, /nothing to judge before the shards are merged/.test(output)];
  };
  const [second, only] = [
    { current: 2, total: 2 },
    { current: 1, total: 1 },
  ];
  expect(await codes({}, second)).toEqual([0, true]);
  expect(await codes({ SWEEP: 'all' }, second)).toEqual([0, true]);
  expect(await codes({}, second, 'line')).toEqual([0, true]);
  for (const reporter of [undefined, 'line']) expect((await codes({}, only, reporter))[0]).toBe(1);
  isDown = true;
  for (const reporter of [undefined, 'line']) expect((await codes({}, second, reporter))[0]).toBe(1);
  await mock.close();
});

test('a shard that was killed before it could report is missing, and the others are merged', async () => {
  const [killed, other] = ['s1', 's2'].map((name) => test.info().outputPath(name)) as [string, string];
  const shard = { current: 2, total: 2 };
  const select = (all: string[]) => all.slice(all.length / 2);
  await askInProcess({ REPORTS_DIR: other }, (judge) => judge({ shard, select }), { shard });
  mkdirSync(killed);
  const merge = () =>
    runCommand('reports/merge.ts', [killed, other, '--output', test.info().outputPath('all')]);
  const stderr = expect.stringContaining(`${killed} holds no conformance.json`);
  expect(await merge()).toMatchObject({ status: 2, stderr });
  writeFileSync(path.join(killed, 'run.lock'), '');
  const { status, stdout } = await merge();
  expect(status).toBe(1);
  expect(stdout).toContain('ERROR (MOCK): nothing sure can be said of the target: the folder s1 holds no');
  expect(stdout).toContain('shard 1 of 2 is missing');
});
