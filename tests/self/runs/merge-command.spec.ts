import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
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

test('a merge that is rejected leaves no earlier verdict', async () => {
  const verdict = below('all/conformance.json');
  mkdirSync(below('all'), { recursive: true });
  writeFileSync(verdict, '{"verdict":"pass"}');
  expect((await runCommand('reports/merge.ts', ['tests', '--output', below('all')])).status).toBe(2);
  expect(existsSync(verdict)).toBe(false);
});
