import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, type FullProject, test } from '@playwright/test';
import type { JSONReport, JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';

import { refusalOf } from '../../../src/run/command-line.ts';
import { altering, set } from '../harness/edits.ts';
import { passedBefore, runAgainst, runSuite } from '../harness/whole-run.ts';

test.describe.configure({ mode: 'default' });

type Attachments = NonNullable<JSONReportSpec['tests'][number]['results'][number]>['attachments'];

const specsOf = ({ specs, suites = [] }: JSONReportSuite): JSONReportSpec[] => [
  ...specs,
  ...suites.flatMap(specsOf),
];

test('a piped run says what is broken by its sentence, without colours, and nothing of what passes', async () => {
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
  const specs = report.suites.flatMap(specsOf);
  const title = specs.find(({ title: sentence }) => sentence === '`title` is a string');
  expect(title?.tags).toEqual(['MUST', 'section-2.2', 'getCard/data/card/title']);
  const found = [{ requirement: 'getCard/data/card/title', place: '/data/card/title', actual: 'a number' }];
  const response = { status: 200, contentType: 'application/json', bytes: expect.any(Number) };
  const shown = (some: Attachments = []) =>
    some.flatMap(({ body }) => (body ? [JSON.parse(Buffer.from(body, 'base64').toString())] : []));
  expect(shown(title?.tests[0]?.results[0]?.attachments)).toMatchObject([
    { request: { method: 'GET' }, response, found },
  ]);
  const requests = specs.find(({ tags }) => tags.includes('getCard/requests'))?.tests[0]?.results[0];
  expect(requests?.steps?.every(({ title: sent }) => sent.startsWith('GET /svc/ts/'))).toBe(true);
  expect(requests?.attachments).toHaveLength(requests?.steps?.length ?? 0);
  for (const exchange of shown(requests?.attachments))
    expect(Object.keys(exchange)).toEqual(['request', 'response', 'found', 'note']);
  expect(title?.tests[0]?.annotations).toMatchObject([
    { type: 'description', description: 'MUST, section 2.2 of the contract' },
    { type: 'judged', description: '8 places of 8 responses' },
  ]);
});

test('an option that is refused (--repeat-each) is one sentence with the way to get the same, and leaves the reports of the last run', async () => {
  const REPORTS_DIR = passedBefore();
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
  test(`a project that sets use.${set} is told what to use instead`, () => {
    const projects = [{ use: {} }, { use }] as unknown as FullProject[];
    expect(refusalOf({ projects })).toBe(`use.${set} has no effect here: set ${instead}`);
  });

const privateName =
  /\b(?:test|page|info\(\)|testInfo|config|suite|reporter|step|request|context)\._\w+|['"](?:@?playwright(?:-core)?(?:\/test)?|allure-[\w-]+)\/(?:lib|dist|src)\/[^'"]*/g;
test('no private name of Playwright or Allure is used', () => {
  const listed = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.js'], { encoding: 'utf8' });
  const files = listed.split('\n').filter((file) => file && existsSync(file));
  expect(files.length).toBeGreaterThan(100);
  const found = files.map((file) => [file, readFileSync(file, 'utf8').match(privateName)]);
  expect(found.filter(([, names]) => names)).toEqual([]);
});
