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

const folder = () => test.info().outputPath('reports');
const inFolder = (name: string) => path.join(folder(), name);

function write(name: string, text: string): void {
  mkdirSync(path.dirname(inFolder(name)), { recursive: true });
  writeFileSync(inFolder(name), text);
}

/** Renders a folder that is there. */
async function render(): Promise<string> {
  const { status, stdout, stderr } = await runCommand('reports/render.ts', [], { REPORTS_DIR: folder() });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^render: [^\n]*\n$/);
  return stderr;
}

const violated = (run: Conformance): Conformance => ({
  ...run,
  requirements: run.requirements.map((one, index) => (index > 0 ? one : { ...one, verdict: 'violation' })),
});

const runs: [name: string, change: (run: Conformance) => object, says: RegExp][] = [
  ['of another version', (run) => ({ ...run, schemaVersion: 3 }), /schemaVersion must be equal/],
  [
    'with null for a requirement',
    (run) => ({ ...run, requirements: [null] }),
    /requirements\/0 must be object/,
  ],
  ['without coverage', ({ coverage: _, ...run }) => run, /required property 'coverage'/],
  ['that passes over a violation', violated, /contradicts itself: its verdict is pass/],
];

for (const [name, change, says] of runs)
  test(`a run ${name} is not rendered`, async () => {
    write('conformance.json', JSON.stringify(change(whole)));
    expect(await render()).toMatch(says);
    expect(existsSync(inFolder('badge.svg'))).toBe(false);
  });

const result = { start: 1, stop: 2, steps: [], attachments: [] };
const reaching = { ...result, steps: [{ attachments: [{ name: 'error-context', source: '../outside' }] }] };
const files: [name: string, file: string, text: string, says: RegExp][] = [
  ['a broken result', 'allure-results/a-result.json', '{', /a-result\.json is no result of Allure/],
  ['a result of nothing', 'allure-results/a-result.json', 'null', /a-result\.json is no result of Allure/],
  [
    'a result that reaches out of its folder',
    'allure-results/a-result.json',
    JSON.stringify(reaching),
    /a-result\.json is no result of Allure/,
  ],
  ['a file in place of the results', 'allure-results', '', /allure-results is no folder: remove it/],
  ['a folder in place of the history', 'allure-history.jsonl/a', '', /allure-history\.jsonl cannot be read/],
  [
    'a folder in place of a report',
    'conformance.md/a',
    '',
    /REPORTS_DIR \(\S+\) cannot be written: a folder/,
  ],
];

for (const [name, file, text, says] of files)
  test(`${name} is said with its file`, async () => {
    write('conformance.json', JSON.stringify(whole));
    write('outside', 'outside');
    if (file.includes('history')) write('allure-results/a-result.json', JSON.stringify(result));
    write(file, text);
    expect(await render()).toMatch(says);
    expect(readFileSync(inFolder('outside'), 'utf8')).toBe('outside');
  });

test('a run of a part that is rendered leaves badge and page of the whole run in place', async () => {
  const requirements = whole.requirements.slice(0, 1);
  const selection = { selected: 1, total: whole.requirements.length };
  write('conformance.json', JSON.stringify({ ...whole, requirements, selection, gates: [] }));
  write('allure-report/index.html', '');
  const last = 'previous/production-observed.json';
  const renderAfter = async (run: object) => {
    write(last, JSON.stringify(run));
    const { status } = await runCommand('reports/render.ts', [], { REPORTS_DIR: folder() });
    expect(status).toBe(0);
  };
  const text = (name: string) => readFileSync(inFolder(name), 'utf8');
  await renderAfter(whole);
  expect(text('badge.svg')).not.toContain(' of 1 of ');
  expect(text('contract.html')).toContain(last);
  expect(text('contract.html')).not.toContain('allure-report');
  expect(text('conformance.md')).toContain('of 1 selected requirement');
  await renderAfter({ ...whole, target: 'another' });
  expect(text('contract.html')).not.toContain(last);
  expect(text('contract.html')).toContain('allure-report');
});
