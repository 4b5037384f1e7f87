import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { runCommand } from '../harness/in-process-command.ts';

const below = (name: string) => test.info().outputPath(name);

const commands: [name: string, args: string[], says: string][] = [
  ['no folder', ['--output', 'x'], 'usage: npm run merge'],
  ['no --output', ['x'], 'usage: npm run merge'],
  ['an empty folder', ['tests', '--output', 'x'], 'holds no conformance.json'],
  ['the folder of a shard as output', ['tests', '--output', 'tests'], 'must be another folder'],
];

for (const [name, args, says] of commands) {
  test(`the command rejects ${name} in one line`, async () => {
    const { status, stdout, stderr } = await runCommand('reports/merge.ts', args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
}

for (const option of [[], ['--fast']])
  test(`a merge that is rejected leaves nothing of an earlier one (${option})`, async () => {
    for (const folder of ['all/allure-report', 'all/allure-results'])
      mkdirSync(below(folder), { recursive: true });
    writeFileSync(below('all/conformance.json'), '{"verdict":"pass"}');
    writeFileSync(below('all/allure-report/index.html'), '');
    const args = ['tests', '--output', below('all'), ...option];
    expect((await runCommand('reports/merge.ts', args)).status).toBe(2);
    expect(readdirSync(below('all'))).toEqual([]);
  });

const holding: [name: string, args: string[], says: string][] = [
  ['a link to a shard as output', ['shard', 'other', '--output', 'link'], 'must be another folder'],
  ['a mistyped option beside one', ['shard', '--output', 'link', '--fast'], 'must be another folder'],
  ['the folder of a shard that is not named', ['other', '--output', 'shard'], 'holds the report of a shard'],
];

for (const [name, args, says] of holding)
  test(`the command rejects ${name}, and removes nothing`, async () => {
    mkdirSync(below('shard'), { recursive: true });
    writeFileSync(below('shard/conformance.json'), '{"shard":{}}');
    symlinkSync(below('shard'), below('link'));
    const folders = args.map((arg) => (arg.startsWith('--') ? arg : below(arg)));
    const { status, stderr } = await runCommand('reports/merge.ts', folders);
    expect(status).toBe(2);
    expect(stderr).toContain(says);
    expect(readdirSync(below('shard'))).toEqual(['conformance.json']);
  });
