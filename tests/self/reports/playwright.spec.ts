import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, type FullProject, test } from '@playwright/test';
import type { JSONReport, JSONReportSpec } from '@playwright/test/reporter';

import { findRefusal } from '../../../src/run/command-line.ts';
import { altering, set } from '../harness/edits.ts';
import { runAgainst, runSuite, writePassedReports } from '../harness/whole-run.ts';
import { listSpecs } from './json-report.ts';

test.describe.configure({ mode: 'default' });

type Attachments = NonNullable<JSONReportSpec['tests'][number]['results'][number]>['attachments'];

test('a piped run prints the sentences of violations, without colours, and nothing about passing tests', async () => {
  const file = test.info().outputPath('results.json');
  const args = ['--grep', '@section-2.2|@getCard/requests', '--add-reporter=json'];
  const alter = altering('getCard', set('data/card/title', 7));
  const run = await runAgainst({ alter }, { PLAYWRIGHT_JSON_OUTPUT_FILE: file, CI: '1' }, args);
  expect(run.code).toBe(1);
  expect(run.output.match(/^✗ .*$/gm)).toEqual(['✗ `title` is a string']);
  expect(run.output).not.toMatch(/^\[\d+\/|@getCard|passed|›/m);
  expect(stripVTControlCharacters(run.output)).toBe(run.output);
  expect(new Set(run.conformance?.requirements.map(({ source }) => source))).toEqual(new Set(['2.2']));
  const report: JSONReport = JSON.parse(readFileSync(file, 'utf8'));
  const specs = report.suites.flatMap(listSpecs);
  const title = specs.find(({ title: sentence }) => sentence === '`title` is a string');
  expect(title?.tags).toEqual(['MUST', 'section-2.2', 'getCard/data/card/title']);
  const findings = [
    { requirement: 'getCard/data/card/title', place: '/data/card/title', actual: 'a number' },
  ];
  const response = { status: 200, contentType: 'application/json', bytes: expect.any(Number) };
  const parseAttachments = (attachments: Attachments = []) =>
    attachments.flatMap(({ body }) => (body ? [JSON.parse(Buffer.from(body, 'base64').toString())] : []));
  expect(parseAttachments(title?.tests[0]?.results[0]?.attachments)).toMatchObject([
    { request: { method: 'GET' }, response, found: findings },
  ]);
  const requests = specs.find(({ tags }) => tags.includes('getCard/requests'))?.tests[0]?.results[0];
  expect(requests?.steps?.every(({ title: requestText }) => requestText.startsWith('GET /svc/ts/'))).toBe(
    true,
  );
  expect(requests?.attachments).toHaveLength(requests?.steps?.length ?? 0);
  for (const exchange of parseAttachments(requests?.attachments))
    expect(Object.keys(exchange)).toEqual(['request', 'response', 'found', 'note']);
  expect(title?.tests[0]?.annotations).toMatchObject([
    { type: 'description', description: 'MUST, section 2.2 of the contract' },
    { type: 'judged', description: '8 places of 8 responses' },
  ]);
});

test('a refused option (--repeat-each) is one sentence with an alternative, and the reports of the last run stay', async () => {
  const REPORTS_DIR = writePassedReports();
  const { code, output, conformance } = await runSuite({ REPORTS_DIR }, ['--repeat-each=2']);
  expect({ code, verdict: conformance?.verdict }).toEqual({ code: 1, verdict: 'pass' });
  expect(output).toMatch(
    /--repeat-each would judge the same responses again: repeat the command, as in `for i/,
  );
});

for (const [set, use, instead] of [
  ['baseURL', { baseURL: 'https://other.example' }, 'BASE_URL'],
  ['extraHTTPHeaders', { extraHTTPHeaders: { a: 'b' } }, 'API_HEADERS'],
] as const)
  test(`a project that sets use.${set} gets a message with the variable to set instead`, () => {
    const projects = [{ use: {} }, { use }] as unknown as FullProject[];
    expect(findRefusal({ projects })).toBe(`use.${set} has no effect here: set ${instead}`);
  });

const privateName =
  /\b(?:test|page|info\(\)|testInfo|config|suite|reporter|step|request|context)\._\w+|['"](?:@?playwright(?:-core)?(?:\/test)?|allure-[\w-]+)\/(?:lib|dist|src)\/[^'"]*/g;
test('the project uses no private name of Playwright or Allure', () => {
  const fileList = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.js'], { encoding: 'utf8' });
  const files = fileList.split('\n').filter((file) => file && existsSync(file));
  expect(files.length).toBeGreaterThan(100);
  const privateNames = files.map((file) => [file, readFileSync(file, 'utf8').match(privateName)]);
  expect(privateNames.filter(([, names]) => names)).toEqual([]);
});
