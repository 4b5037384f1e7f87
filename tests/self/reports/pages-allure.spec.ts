import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { browserOptions, needBrowser, test } from '../harness/browser.ts';
import { runScript } from '../harness/in-process-command.ts';
import { causeEveryVerdict } from '../harness/reported.ts';
import { runStepScript } from '../harness/runner-script.ts';
import { configureTarget, readConformance, readFilesBelow, writeTestFile } from '../harness/whole-run.ts';
import { formatInputName } from '../project/documented.ts';
import { Canaries } from '../redaction/canaries.ts';
import { Job, readYaml, type Step } from './action-job.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });
test.setTimeout(300_000);

interface AllureResult {
  labels: { name: string; value: string }[];
  steps: { name: string }[];
  statusDetails: { message?: string };
}

const canaries = new Canaries();
let folder: string;
let job: Job;
let judgedStep: Awaited<ReturnType<Job['run']>>;
let conformance: Conformance;

// One run for all tests, because it takes as long as the tests themselves.
test.beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pages-allure-'));
  job = new Job(folder);
  const mock = await startMock({ alter: causeEveryVerdict(canaries) });
  const { BASE_URL = '', ...variables } = configureTarget(mock.url);
  const inputs = Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [formatInputName(name), text]),
  );
  const headers = { 'api-headers': JSON.stringify({ 'X-Api-Key': canaries.getCode('key') }) };
  // The caller's folder holds the caller's ledger.
  writeFileSync(path.join(folder, 'ledger.yaml'), '');
  const settings = { 'target-name': 'staging', 'min-coverage': '100', ledger: 'ledger.yaml' };
  judgedStep = await job
    .run('Judge', { ...inputs, ...headers, ...settings }, { env: { BASE_URL }, cwd: folder })
    .finally(mock.close);
  conformance = readConformance(job.reports) as Conformance;
});

test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the action judges, renders, and outputs the verdict', () => {
  expect(judgedStep, judgedStep.output).toMatchObject({
    code: 1,
    output: expect.stringContaining('::error'),
  });
  const coverage = String(conformance.coverage.nodes.percentage);
  expect(job.outputs()).toEqual({ reports: job.reports, verdict: 'fail', coverage });
  expect(job.summary()).toMatch(/^## ❌ fail · lookup API conformance of staging/);
  expect(judgedStep.output).toMatch(
    /^::error title=run\/coverage::.* See https:\/\/github\.com\/OWNER\/lookup-api-conformance\/blob\/v1\/docs\/configuration\.md/m,
  );
  // The suite's own example is no test of the caller.
  expect(conformance.gates.map(({ address }) => address)).not.toContain('run/custom-tests');
});

async function expectAllureOverview(page: Page): Promise<void> {
  const possibleFiles = loadContract().operations.map(({ id }) => `tests/contract/${id}.spec.ts`);
  const testFiles = possibleFiles.filter((file) => existsSync(file)).sort();
  await expect(page.getByText(/^tests\/contract\/(get|list)\w+\.spec\.ts$/)).toHaveText(testFiles);
  await expect(page.getByText('Failed', { exact: true }).first()).toBeVisible();
}

async function followViolation(page: Page): Promise<void> {
  const address = 'getFeeRules/code';
  const violations = conformance.requirements.filter(({ verdict }) => verdict === 'violation');
  expect(violations.map((violation) => violation.address)).toEqual([address]);
  const statement = violations[0]?.statement ?? '';
  await page.getByText(statement, { exact: true }).first().click();
  await expect(page.getByText('Violation: the contract is broken')).toBeVisible();
  await expect(page.getByText(`UnmetRequirement: ${statement}`).first()).toBeVisible();
  await expect(page.getByText(/^judged: \d+ places? of \d+ responses?$/)).toBeVisible();
  await expect(page.getByText('application/json').first()).toBeVisible();
  await page.getByRole('link', { name: 'Contract page' }).click();
  await expect(page.locator(`[id="${address}"]`)).toBeVisible();
}

// One test, because an Allure report takes long to open.
test('the pages of a published run link to each other on disk, and send no request', async ({ page }) => {
  const site = path.join(folder, 'site');
  // The script of the workflow itself.
  const { steps } = readYaml('.github/workflows/conformance.yml').jobs.site as { steps: Step[] };
  const publishing = steps.find(({ run }) => run?.includes('npm run --silent site'))?.run;
  const published = await runStepScript(publishing, { RUNS: path.dirname(job.reports), SITE: site });
  expect(published).toEqual({ code: 0, output: expect.stringContaining('1 target') });
  const writtenFiles = [
    { name: 'the log', text: judgedStep.output },
    ...job.writtenFiles(),
    ...readFilesBelow(site),
  ];
  expect(canaries.findLeaks(writtenFiles)).toEqual([]);

  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || errors.push(request.url()));
  await page.goto(`file://${site}/index.html`);
  await page.getByRole('link', { name: 'Contract page' }).click();
  await expect(page.getByRole('heading', { name: 'Needs attention' })).toBeVisible();
  await page.getByRole('link', { name: 'Test report' }).click();
  await expectAllureOverview(page);
  const { edition, contract } = conformance;
  for (const fact of ['staging', 'observed', `edition ${edition} (${contract})`])
    await expect(page.getByText(fact, { exact: true }).first()).toBeVisible();

  await page.getByText('Categories').first().click();
  // A category for each verdict.
  for (const category of ['Violation', 'Deviation', 'Blocked', 'Not exercised', 'Gate'])
    await expect(page.getByText(`${category}: `)).toBeVisible();
  await page.goBack();

  await followViolation(page);
  await page.getByRole('link', { name: 'All targets' }).click();
  await expect(page.getByText('0 of 1 target passed the latest run')).toBeVisible();
  expect(errors).toEqual([]);
});

test('the Allure report has the requests of each operation as steps, and its history has the last 20 runs, each once', async () => {
  const results = readFilesBelow(path.join(job.reports, 'allure-results'))
    .filter(({ name }) => name.endsWith('-result.json'))
    .map(({ text }) => JSON.parse(text) as AllureResult);
  for (const { id } of loadContract().operations) {
    const isOfRequests = ({ labels }: AllureResult) => labels.some(({ value }) => value === `${id}/requests`);
    const steps = results.find(isOfRequests)?.steps;
    const requests = conformance.requestsMade.filter(({ operation }) => operation === id);
    expect(requests.length).toBeGreaterThan(0);
    const names = steps?.map(({ name }) => name.replace(/^sent before: /, '')) ?? [];
    expect(names.sort()).toEqual(requests.map(({ exchange }) => exchange).sort());
  }
  const failedGate = results.find(({ labels }) => labels.some(({ value }) => value === 'run/coverage'));
  expect(failedGate?.statusDetails.message).toContain(
    'See https://github.com/OWNER/lookup-api-conformance/blob/v1/docs/configuration.md',
  );
  const file = path.join(job.reports, 'allure-history.jsonl');
  const latestRun = readFileSync(file, 'utf8').trim();
  const earlier = Array.from({ length: 25 }, (_, timestamp) => ({ ...JSON.parse(latestRun), timestamp }));
  const incompleteLine = latestRun.slice(0, 40);
  writeFileSync(file, [...earlier.map((run) => JSON.stringify(run)), incompleteLine, latestRun].join('\n'));
  const rendered = await runScript('render', [], { REPORTS_DIR: job.reports });
  expect(rendered).toMatchObject({ status: 0, stderr: '' });
  const history = readFileSync(file, 'utf8').trim().split('\n');
  const keptTimes = earlier.slice(6).map(({ timestamp }) => timestamp);
  expect(history.map((line) => JSON.parse(line).timestamp)).toEqual([...keptTimes, expect.any(Number)]);
  expect(canaries.findLeaks(readFilesBelow(job.reports))).toEqual([]);
  // The page of a run that could not begin would deny that this run has judged anything.
  const pageFile = path.join(job.reports, 'contract.html');
  const page = readFileSync(pageFile, 'utf8');
  const LEDGER_FILE = writeTestFile('broken.yaml', '- requirement: [\n');
  const rejected = await runScript('render', [], { REPORTS_DIR: job.reports, LEDGER_FILE });
  expect(rejected).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^render: \S*broken\.yaml, line 2: /),
  });
  expect(readFileSync(pageFile, 'utf8')).toBe(page);
});
