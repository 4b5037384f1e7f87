import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import { requestLine } from '../run/requests.ts';
import { accessibilityIssues, browserOptions, needBrowser, pageOf, test, views } from './browser.ts';
import { type Kind, render } from './reported.ts';
import { filesBelow } from './whole-run.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });
test.setTimeout(300_000);

const report = 'allure-report/index.html';

test('the Allure report makes no request, is in the order of the contract, and is linked with its page', async ({
  page,
  reported,
}) => {
  const red = await reported.rendered('red');
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(pageOf(red, report));
  const broken = red.conformance?.requirements.find(({ verdict }) => verdict === 'violation');
  const leaf = page.getByText(broken?.statement ?? '', { exact: true }).first();
  const epics = page.getByText(/^(Cards|Customers|Digital wallets)$/);
  await expect(epics).toHaveText(['Cards', 'Customers', 'Digital wallets']);
  for (const fact of ['staging', 'observed', red.conformance?.contract ?? ''])
    await expect(page.getByText(fact, { exact: true }).first()).toBeVisible();
  await leaf.click();
  await expect(page.getByText('Violation: the contract is broken')).toBeVisible();
  await expect(page.getByText('error-context')).toHaveCount(0);
  expect(await accessibilityIssues(page)).toEqual([]);
  await page.getByText('Attachments', { exact: false }).first().click();
  await expect(page.getByText('application/vnd.allure.http+json').first()).toBeVisible();
  await page.getByText('Overview').first().click();
  await page.getByRole('link', { name: `contract.html#${broken?.address}` }).click();
  await expect(page.locator(`[id="${broken?.address}"]`)).toBeInViewport();
  await page.getByRole('link', { name: 'Test report' }).click();
  await expect(page.getByText('Digital wallets', { exact: true })).toBeVisible();
  await page.getByText('Report', { exact: true }).first().click();
  await page.getByText('Graphs', { exact: true }).click();
  await expect(page.getByText('Requirements over runs')).toBeVisible();
  await page.goBack();
  await page.getByText('Categories').first().click();
  await expect(page.getByText('Deviation: known and tolerated')).toBeVisible();
  expect(errors).toEqual([]);
});

test('the Allure report has the requests of each operation as steps', async ({ reported }) => {
  const red = await reported.rendered('red');
  const results = red
    .files()
    .filter(({ name }) => /^allure-results\/.*-result\.json$/.test(name))
    .map(({ text }) => JSON.parse(text) as { testCaseId: string; steps: { name: string }[] });
  const requests = red.conformance?.requestsMade ?? [];
  for (const operation of new Set(requests.map((one) => one.operation))) {
    const steps = results.find(({ testCaseId }) => testCaseId === `${operation}/requests`)?.steps;
    const own = requests.filter((one) => one.operation === operation);
    expect(steps?.map(({ name }) => name)).toEqual(own.map(requestLine));
  }
});

/** Together they have tests of every status: the red run has all of the green and of the deviating one. */
const kindsFor = (view: string): Kind[] => (view === 'desktop' ? ['red', 'empty', 'blocked'] : ['red']);

for (const [view, options] of Object.entries(views)) {
  test(`${view}: no accessibility issue in the Allure report`, async ({ browser, reported }) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    for (const kind of kindsFor(view)) {
      await page.goto(pageOf(await reported.rendered(kind), report));
      await expect(page.getByText('Digital wallets', { exact: true }), kind).toBeVisible();
      expect(await accessibilityIssues(page), kind).toEqual([]);
    }
    await context.close();
  });
}

test('history has a run once, however often it is rendered', async ({ reported }) => {
  const { reportsDir } = await reported.rendered('red');
  render(reportsDir);
  const history = readFileSync(path.join(reportsDir, 'allure-history.jsonl'), 'utf8');
  expect(history.trim().split('\n')).toHaveLength(1);
});

test('rendering takes at most 5 s, and all of it at most 12 MB without anything of the target', async ({
  reported,
}) => {
  const { reportsDir, cpuSeconds } = await reported.rendered('red');
  // Time of a processor, since other tests run beside this one.
  expect(cpuSeconds).toBeLessThan(5);
  const sizes = filesBelow(reportsDir).map(({ name }) => statSync(path.join(reportsDir, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(12_000_000);
  for (const kind of ['red', 'empty', 'blocked'] as const) {
    const rendered = await reported.rendered(kind);
    expect(reported.canaries.leaksIn(filesBelow(rendered.reportsDir)), kind).toEqual([]);
  }
});
