import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { markdownOf } from '../../../reports/markdown.ts';
import { contractPage } from '../../../reports/pages/contract-page.ts';
import { summaryOf } from '../../../reports/summary.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { gatesOf } from '../../../src/run/test-titles.ts';
import { altering } from '../harness/edits.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgedRun } from '../harness/judged-runs.ts';
import { requirementCount } from '../harness/requirement-count.ts';
import { addressesOf, expectAskedOnce, filesBelow, runAgainst, type WholeRun } from '../harness/whole-run.ts';

test.setTimeout(120_000);

test('green against the embedded mock, and nothing of an earlier run is left', async () => {
  const reportsDir = test.info().outputPath('reports');
  for (const name of [
    'observations/999-getCard.json',
    'allure-results/1-result.json',
    'allure-report/x.html',
  ])
    leave(path.join(reportsDir, name));
  for (const name of ['observations/run.json', 'conformance.json', 'conformance.md', 'junit.xml'])
    leave(path.join(reportsDir, name));
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

test('a verdict on a target does not say MOCK', async () => {
  const conformance = await judgedRun();
  expect(conformance.mock).toBe(false);
  const texts = [
    markdownOf(conformance),
    summaryOf(conformance, '/'),
    contractPage(loadContract(), conformance),
  ];
  for (const text of texts) expect(text).not.toContain('MOCK');
});

function leave(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '{"verdict":"left behind"}');
}

test('rendering without a run says what is missing', async () => {
  const reportsDir = test.info().outputPath('none');
  const render = () => runCommand('reports/render.ts', [], { REPORTS_DIR: reportsDir });
  const { status, stderr } = await render();
  expect(status).toBe(1);
  expect(stderr).toContain('render: there is no run in');
  expect(stderr).not.toMatch(/^ {4}at /m);
  leave(path.join(reportsDir, 'conformance.json'));
  const odd = await render();
  expect(odd.status).toBe(1);
  expect(odd.stderr).toMatch(/^render: \S+ is no conformance\.json .*\n$/m);
});

test('--list names every requirement, sends nothing and writes nothing', async () => {
  const run = await runAgainst({}, {}, ['--list']);
  expect(run).toMatchObject({ code: 0, requests: [] });
  const listed = [...run.output.matchAll(/ › (.*)$/gm)].map(([, titles = '']) =>
    titles.replaceAll(' › ', ' '),
  );
  expect(listed.length).toBeGreaterThan(100);
  const { target } = readConfiguration({ BASE_URL: 'http://127.0.0.1:9' }, '/nonexistent');
  const contract = loadContract();
  const tests = contract.operations.length + requirementCount + gatesOf(contract, target).length;
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
  expect(run.conformance?.requests).toBe(run.requests.length);
  expectAskedOnce(run.requests);
});
