import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { judgedRun } from '../harness/judged-runs.ts';

test.describe.configure({ mode: 'default' });

let whole: Conformance;
test.beforeAll(async () => {
  whole = await judgedRun({}, { name: 'production' });
});

const inFolder = (name: string) => test.info().outputPath('reports', name);
const text = (name: string) => readFileSync(inFolder(name), 'utf8');
const render = () => runCommand('reports/render.ts', [], { REPORTS_DIR: inFolder('') });

function write(name: string, content: unknown): void {
  mkdirSync(path.dirname(inFolder(name)), { recursive: true });
  writeFileSync(inFolder(name), JSON.stringify(content));
}

test('what cannot be rendered is one sentence', async () => {
  for (const [file, content, says] of [
    ['nothing', 0, /there is no run in/],
    [
      'conformance.json',
      { ...whole, requirements: [null] },
      /no conformance\.json .*requirements\/0 must be/,
    ],
  ] as const) {
    write(file, content);
    expect(await render()).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^render: [^\n]*\n$/),
    });
    expect((await render()).stderr).toMatch(says);
    expect(existsSync(inFolder('badge.svg'))).toBe(false);
  }
  write('conformance.json', whole);
  write('conformance.md/a', '');
  expect((await render()).stderr).toMatch(/REPORTS_DIR \(\S+\) cannot be written: a folder/);
});

test('a run of a part that is rendered leaves badge and page of the whole run in place', async () => {
  const requirements = whole.requirements.slice(0, 1);
  const selection = { selected: 1, total: whole.requirements.length };
  write('conformance.json', { ...whole, requirements, selection, gates: [] });
  write('allure-report/index.html', '');
  const last = 'previous/production-observed.json';
  expect(await render()).toMatchObject({ status: 0 });
  expect(text('contract.html')).toContain('allure-report');
  expect(text('badge.svg')).toContain(' of 1 of ');
  write(last, whole);
  expect(await render()).toMatchObject({ status: 0 });
  expect(text('badge.svg')).not.toContain(' of 1 of ');
  expect(text('contract.html')).toContain(last);
  expect(text('contract.html')).not.toContain('allure-report');
  expect(text('conformance.md')).toContain('of 1 selected requirement');
});
