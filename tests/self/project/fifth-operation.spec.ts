import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { copyProject } from '../harness/project-copy.ts';
import { cleanEnvironment } from '../harness/whole-run.ts';
import { addPayouts, operation } from './fifth-operation/edits.ts';
import type { JudgedCopy } from './fifth-operation/judge-copy.ts';

const run = promisify(execFile);

test.describe.configure({ mode: 'default' });
test.setTimeout(180_000);

let folder: string;
let output: string;
let judged: JudgedCopy;
// One whole run, in whose process the copy is judged as well.
test.beforeAll(async () => {
  // The same for each run of this test, so that tsx has compiled what has not changed since.
  folder = copyProject(test.info().outputPath('copy'), (file) => !file.includes('/recordings/'));
  addPayouts(folder);
  const reporters = '--reporter=./reports/reporter.ts,./tests/self/project/fifth-operation/judge-copy.ts';
  const cli = path.join(folder, 'node_modules/@playwright/test/cli.js');
  const args = ['--import', 'tsx', cli, 'test', reporters, '--grep', `@${operation}/`];
  // Playwright leaves compiling to tsx.
  const own = { PW_DISABLE_TS_ESM: '1', REPORTS_DIR: path.join(folder, 'out'), BASE_URL: 'mock', CI: '' };
  const env = { ...cleanEnvironment(), ...own };
  output = (await run(process.execPath, args, { cwd: folder, env })).stdout;
  judged = JSON.parse(readFileSync(path.join(folder, 'judged.json'), 'utf8'));
});

test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a fifth operation has requirements, coverage, and a part of the contract page; a broken rule is red alone', () => {
  expect(judged.requirements).toEqual(
    expect.arrayContaining([
      ...['http/status', 'parameters/id', 'rules/unique-keys'].map((rest) => `getPayout/${rest}`),
      ...['status', 'paid_on', 'recipient/iban', 'items/*/amount'].map((at) => `getPayout/data/payout/${at}`),
    ]),
  );
  expect(judged.green).toMatchObject({ verdict: 'pass', percentage: 100, notExercised: [], violated: [] });
  for (const address of ['getPayout', 'getPayout/data/payout/recipient/iban', 'schemas/Payout'])
    expect(judged.green.page).toContain(`id="${address}"`);
  expect(judged.red).toMatchObject({ verdict: 'fail', violated: ['getPayout/data/payout/status'] });
});

test('nothing of what the records of a fifth operation hold is shown', () => {
  expect([...judged.green.leaks, ...judged.red.leaks]).toEqual([]);
  // The page shows the example of the contract; these are of the mock's records alone.
  for (const { page } of [judged.green, judged.red]) expect(page).not.toMatch(/pay-[23]|DE8937|2023-12-31/);
});

test('each requirement of a fifth operation has a fault, and each derived fault is killed', () => {
  expect(judged.withoutFault).toEqual([]);
  expect(judged.survived).toEqual([]);
  expect(judged.proved).toBeGreaterThan(100);
});

test('a whole run that asks a fifth operation is green', () => {
  expect(output).toMatch(/PASS \(MOCK\) of \d\d+ selected requirements/);
  const { requestsMade } = JSON.parse(readFileSync(path.join(folder, 'out/conformance.json'), 'utf8'));
  expect(JSON.stringify(requestsMade)).toContain(operation);
});
