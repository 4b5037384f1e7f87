import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { gatesFor } from '../../../src/verdict/gates.ts';
import { altering } from '../harness/edits.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { requirementCount } from '../harness/requirement-count.ts';
import {
  addressesOf,
  cleanEnvironment,
  expectAskedOnce,
  filesBelow,
  runAgainst,
  type WholeRun,
} from '../harness/whole-run.ts';

test.setTimeout(120_000);

test('green against the embedded mock, and nothing of an earlier run is left', async () => {
  const reportsDir = test.info().outputPath('reports');
  const earlier = [
    'observations/run.json',
    'allure-results/1-result.json',
    'allure-report/x.html',
    'junit.xml',
  ];
  for (const name of [...earlier, 'conformance.json', 'conformance.md']) leave(path.join(reportsDir, name));
  const run = await runInProcess({ REPORTS_DIR: reportsDir, PROBES: 'off' });
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass', findings: [] } });
  const names = run.files().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['conformance.json', 'conformance.md', 'junit.xml']));
  expect(filesBelow(reportsDir).filter(({ text }) => text.includes('left behind'))).toEqual([]);
  expectMockMark(run);
});

/** A verdict on the mock must not be read as one on a target. */
function expectMockMark(run: WholeRun): void {
  const textOf = (file: string) => run.files().find(({ name }) => name === file)?.text ?? '';
  expect(run.conformance).toMatchObject({ mock: true });
  expect(run.output).toContain('PASS (MOCK): ');
  expect(textOf('conformance.md')).toMatch(/^## .* pass \(MOCK\) · /);
  expect(textOf('badge.svg')).toContain('pass (MOCK), 100 % exercised');
  expect(textOf('contract.html')).toContain('<strong>PASS (MOCK): ');
  expect(textOf('junit.xml')).toContain('<testsuites name="lookup API conformance of mock (MOCK)"');
}

function leave(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '{"verdict":"left behind"}');
}

test('--list names every requirement, sends nothing and writes nothing', async () => {
  const run = await runAgainst({}, {}, ['--list']);
  expect(run).toMatchObject({ code: 0, requests: [] });
  const listed = [...run.output.matchAll(/ › (.*)$/gm)].map(([, titles = '']) =>
    titles.replaceAll(' › ', ' '),
  );
  expect(listed.length).toBeGreaterThan(100);
  const { target } = readConfiguration({ BASE_URL: 'http://127.0.0.1:9' }, '/nonexistent');
  const contract = loadContract();
  const tests = contract.operations.length + requirementCount + gatesFor(target, contract.ledger).length;
  expect(new Set(listed).size).toBe(tests);
  expect(run.files()).toEqual([]);
});

test('each request is sent once, however many requirements fail', async () => {
  const run = await runInProcessAgainst({
    alter: altering('getCard', (answer) => {
      const { card } = (answer.body as { data: { card: Record<string, unknown> } }).data;
      for (const name of Object.keys(card).slice(0, 7)) card[name] = null;
      return answer;
    }),
  });
  expect(addressesOf(run, 'violation')).toHaveLength(7);
  // A verdict on a target is not marked as one on the mock.
  for (const { text } of run.files()) expect(text).not.toContain('(MOCK)');
  expect(run.output).not.toContain('MOCK');
  expect(run.conformance?.requests).toBe(run.requests.length);
  expectAskedOnce(run.requests);
});

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
