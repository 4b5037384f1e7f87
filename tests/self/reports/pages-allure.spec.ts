import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { requestLine } from '../../../src/verdict/requests-made.ts';
import { accessibilityIssues } from '../harness/accessibility.ts';
import { browserOptions, needBrowser, showAs, test, views } from '../harness/browser.ts';
import { ofEveryVerdict, render } from '../harness/reported.ts';
import { runStepScript } from '../harness/runner-script.ts';
import { filesBelow, readConformance, targetOf } from '../harness/whole-run.ts';
import { inputName } from '../project/documented.ts';
import { Canaries } from '../redaction/canaries.ts';
import { Job, readYaml, type Step } from './action-job.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });
test.setTimeout(300_000);

const canaries = new Canaries();
let folder: string;
let job: Job;
let judged: Awaited<ReturnType<Job['run']>>;
let conformance: Conformance;

// One run for all, as the action makes it: it takes as long as everything else here.
test.beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pages-allure-'));
  job = new Job(folder);
  const mock = await startMock({ alter: ofEveryVerdict(canaries) });
  const { BASE_URL = '', ...known } = targetOf(mock.url);
  const inputs = Object.fromEntries(Object.entries(known).map(([name, text]) => [inputName(name), text]));
  const headers = { 'api-headers': JSON.stringify({ 'X-Api-Key': canaries.of('key') }) };
  const named = { ...inputs, ...headers, 'target-name': 'staging', 'min-coverage': '100' };
  judged = await job.run('Judge', named, { BASE_URL }).finally(mock.close);
  conformance = readConformance(job.reports) as Conformance;
});

test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the action judges, renders, and says how the run ended', () => {
  const { verdict, coverage } = conformance;
  const percentage = coverage.nodes.percentage;
  expect(judged, judged.output).toMatchObject({ code: 1, output: expect.stringContaining('::error') });
  expect(percentage).toBeGreaterThan(0);
  expect(verdict).toBe('fail');
  expect(job.outputs()).toEqual({ reports: job.reports, verdict, coverage: String(percentage) });
  expect(job.summary()).toMatch(/^## ❌ fail · lookup API conformance of staging/);
});

/** The categories of the Allure report, one for each verdict that it shows. */
const categories = [
  'Violation: the contract is broken',
  'Deviation: known and tolerated',
  'Blocked: the target could not be judged',
  'Not exercised: no response to judge it by',
  'Gate: something that the run demands beside the contract',
];

/** What an Allure report shows first. The percentage of its ring counts no skipped test: it is not one of what was exercised. */
async function expectOverview(page: Page): Promise<void> {
  await expect(page.getByText(/^(Cards|Customers|Digital wallets)$/)).toHaveText([
    'Cards',
    'Customers',
    'Digital wallets',
  ]);
  await expect(page.getByText('Lookup API conformance', { exact: false }).first()).toBeInViewport();
  const percentages = page.locator('article').getByText('%');
  expect(await percentages.count()).toBeGreaterThan(0);
  for (const one of await percentages.all()) await expect(one).toBeHidden();
  await expect(page.getByText('Quality Gates')).toBeHidden();
  await expect(page.getByText('Global Errors')).toBeHidden();
  // One scrollbar, that of what Allure shows.
  const body = await page.evaluate(() => {
    const { overflowY } = getComputedStyle(document.body);
    return { overflowY, isWithin: document.body.clientHeight <= innerHeight };
  });
  expect(body).toEqual({ overflowY: 'hidden', isWithin: true });
}

/** Follows a failed test of an Allure report to its place on the contract page. */
async function followViolation(page: Page): Promise<void> {
  const [{ address, statement }, ...others] = conformance.requirements.filter(
    ({ verdict }) => verdict === 'violation',
  ) as [Conformance['requirements'][number]];
  expect({ address, others }).toEqual({ address: 'getFeeRules/code', others: [] });
  await page.getByText(statement, { exact: true }).first().click();
  await expect(page.getByText('Violation: the contract is broken')).toBeVisible();
  await expect(page.getByText(`BrokenRequirement: ${statement}`).first()).toBeVisible();
  await expect(page.getByText('error-context')).toHaveCount(0);
  expect(await accessibilityIssues(page)).toEqual([]);
  await page.getByText('Attachments', { exact: false }).first().click();
  await expect(page.getByText('application/vnd.allure.http+json').first()).toBeVisible();
  await page.getByText('Overview').first().click();
  await page.getByRole('link', { name: `contract.html#${address}` }).click();
  await expect(page.locator(`[id="${address}"]`)).toBeInViewport();
}

// One walk, since an Allure report takes long to open.
test('a run of the action is published; its pages lead to each other from disk, make no request, and read without barriers', async ({
  page,
}) => {
  const site = path.join(folder, 'site');
  // As the workflow does.
  const { steps } = readYaml('.github/workflows/conformance.yml').jobs.pages as { steps: Step[] };
  const publishing = steps.find(({ run }) => run?.includes('npm run'))?.run;
  const published = await runStepScript(publishing, { RUNS: path.dirname(job.reports), SITE: site });
  expect(published).toEqual({ code: 0, output: expect.stringContaining('1 target') });
  const written = [{ name: 'the log', text: judged.output }, ...job.written(), ...filesBelow(site)];
  expect(canaries.leaksIn(written)).toEqual([]);

  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  // As it opens on a telephone, where it is most in danger of beginning elsewhere than at its beginning.
  await showAs(page, views.phone);
  await page.goto(`file://${site}/index.html`);
  await page.getByRole('link', { name: 'Contract page' }).click();
  await expect(page.getByRole('heading', { name: 'What needs a look' })).toBeVisible();
  await page.getByRole('link', { name: 'Test report' }).click();
  for (const view of ['phone', 'dark', 'desktop']) {
    await showAs(page, views[view]);
    const theme = view === 'dark' ? 'dark' : 'light';
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await expectOverview(page);
    expect(await accessibilityIssues(page, view), view).toEqual([]);
  }
  const { edition, contract } = conformance;
  for (const fact of ['staging', 'observed', `edition ${edition} (${contract})`])
    await expect(page.getByText(fact, { exact: true }).first()).toBeVisible();

  await page.getByText('Report', { exact: true }).first().click();
  await page.getByText('Graphs', { exact: true }).click();
  await expect(page.getByText('Requirements over runs')).toBeVisible();
  await expect(page.getByRole('img', { name: 'This run', exact: true })).toBeVisible();
  expect(await accessibilityIssues(page)).toEqual([]);
  await page.goBack();
  await page.getByText('Categories').first().click();
  for (const category of categories) await expect(page.getByText(category)).toBeVisible();
  // Those of an empty run, and of one that is blocked as a whole, are among them.
  expect(await accessibilityIssues(page)).toEqual([]);
  await page.goBack();

  await followViolation(page);
  await page.getByRole('link', { name: 'All targets' }).click();
  await expect(page.getByText('0 of 1 target passed the latest run')).toBeVisible();
  expect(errors).toEqual([]);
});

test('the Allure report has the requests of each operation as steps, and one that is rendered anew the run once', () => {
  const results = filesBelow(path.join(job.reports, 'allure-results'))
    .filter(({ name }) => name.endsWith('-result.json'))
    .map(({ text }) => JSON.parse(text) as { testCaseId: string; steps: { name: string }[] });
  for (const { id } of loadContract().operations) {
    const steps = results.find(({ testCaseId }) => testCaseId === `${id}/requests`)?.steps;
    const own = conformance.requestsMade.filter(({ operation }) => operation === id);
    expect(own.length).toBeGreaterThan(0);
    expect(steps?.map(({ name }) => name)).toEqual(own.map(requestLine));
  }
  render(job.reports);
  const history = readFileSync(path.join(job.reports, 'allure-history.jsonl'), 'utf8');
  expect(history.trim().split('\n')).toHaveLength(1);
  expect(canaries.leaksIn(filesBelow(job.reports))).toEqual([]);
});
