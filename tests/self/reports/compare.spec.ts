import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import {
  type Comparison,
  compareRuns,
  renderComparisonMarkdown,
  renderComparisonPage,
} from '../../../reports/comparison.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { findIssuesInViews } from '../harness/accessibility.ts';
import { browserOptions, needBrowser, test } from '../harness/browser.ts';
import { altering, set } from '../harness/edits.ts';
import { runScript } from '../harness/in-process-command.ts';
import { judgeMock } from '../harness/judge-mock.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });

const { questions } = loadContract();
const compare = (run: Conformance, otherRun: Conformance) => compareRuns([run, otherRun], questions);
const listDifferences = ({ tables }: Comparison) =>
  tables.filter(({ id }) => id !== 'runs').flatMap(({ rows }) => rows);

let production: Conformance;
let staging: Conformance;
test.beforeAll(async () => {
  production = await judgeMock({}, { name: 'production' });
  const alter = altering('getCard', set('data/card/expiration_date', '1/2'));
  staging = await judgeMock({ alter, choices: { repeatedParameter: 'first' } }, { name: 'staging' });
});

test('two runs of one target have no difference, even if they see different records', async () => {
  const fewerRecords = { identifiers: { CARD_IDS: [], USER_IDS: [] }, probes: false };
  const twin = await judgeMock({}, { ...fewerRecords, name: 'production' });
  expect(listDifferences(compare(production, twin))).toEqual([]);
  expect(listDifferences(compare(twin, production))).toEqual([]);
});

test('a comparison shows no text of a finding, and no text of a file becomes markup', () => {
  const run = structuredClone(staging);
  const secrets = { actual: 'SECRET1', expected: 'SECRET2', exchange: 'SECRET3', repeat: 'SECRET4' };
  for (const finding of run.findings) Object.assign(finding, secrets);
  for (const response of run.observed) Object.assign(response, { evidence: ['SECRET5'] });
  const comparison = compare({ ...run, target: '<script>|\n# x' }, production);
  const summary = renderComparisonMarkdown(comparison);
  expect(renderComparisonPage(comparison) + summary).not.toMatch(/SECRET|<script/);
  expect(summary).not.toMatch(/^# x/m);
});

test('the command writes a page and a summary with exit status 0, and rejects wrong arguments in one sentence with 2', async ({
  page,
}) => {
  const output = test.info().outputPath('out/compare');
  const files = ['staging.json', 'production.json'].map((name) => test.info().outputPath(name));
  for (const [index, file] of files.entries())
    writeFileSync(file, JSON.stringify([staging, production][index]));
  expect(await runScript('compare', [...files, '--output', output])).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(`${output}/compare.md`, 'utf8')).toContain('## 2 differences');
  for (const [args, messagePattern] of [
    [[files[0] ?? ''], /^compare: usage: npm run compare/],
    [[...files, 'third.json', '--output', output], /^compare: usage: npm run compare/],
    [[...files, '--output', 'package.json'], /^compare: --output \(package\.json\) cannot be written: /],
  ] as const) {
    const stderr = expect.stringMatching(messagePattern);
    expect(await runScript('compare', [...args])).toMatchObject({ status: 2, stderr });
  }
  await page.goto(`file://${output}/compare.html`);
  expect(await findIssuesInViews(page)).toEqual([]);
});
