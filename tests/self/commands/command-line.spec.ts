import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { selectGates } from '../../../src/verdict/gates.ts';
import { requirementCount } from '../harness/examples.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { cleanEnvironment, runAgainst } from '../harness/whole-run.ts';

test.setTimeout(120_000);

test('a run against the embedded mock passes, is marked as such, and leaves nothing of an earlier run', async () => {
  const reportsDir = test.info().outputPath('reports');
  const earlierFiles = ['observations/run.json', 'allure-results/1-result.json', 'allure-report/x.html'];
  for (const name of [...earlierFiles, 'junit.xml', 'conformance.json', 'conformance.md']) {
    mkdirSync(path.dirname(path.join(reportsDir, name)), { recursive: true });
    writeFileSync(path.join(reportsDir, name), '{"verdict":"left behind"}');
  }
  const run = await runInProcess({ REPORTS_DIR: reportsDir, PROBES: 'off' });
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass', findings: [], mock: true } });
  expect(run.output).toContain('PASS (MOCK): ');
  expect(run.files().filter(({ text }) => text.includes('left behind'))).toEqual([]);
});

test('--list names every requirement, sends nothing and writes nothing', async () => {
  const run = await runAgainst({}, {}, ['--list']);
  expect(run).toMatchObject({ code: 0, requests: [] });
  const listedTests = [...run.output.matchAll(/ › (.*)$/gm)].map(([, titles = '']) =>
    titles.replaceAll(' › ', ' '),
  );
  expect(listedTests.length).toBeGreaterThan(100);
  const { target } = readConfiguration({ BASE_URL: 'http://127.0.0.1:9' }, '/nonexistent');
  const contract = loadContract();
  // The requests of each operation, the open questions, and the example of a custom test.
  const otherTests = contract.operations.length + 2;
  const tests = otherTests + requirementCount + selectGates(target, contract.ledger).length;
  expect(new Set(listedTests).size).toBe(tests);
  expect(run.files()).toEqual([]);
});

test('arguments after -- reach Playwright unchanged', async () => {
  const args = ['run', '--silent', 'conformance', '--', '--reporter', "no 'such $one", '--list'];
  const env = { ...cleanEnvironment(), REPORTS_DIR: test.info().outputPath('none') };
  const run = promisify(execFile)('npm', args, { env });
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("no 'such $one") });
});
