import { writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { compareRuns } from '../../../reports/comparison/compare-runs.ts';
import { comparisonPage } from '../../../reports/pages/comparison-page.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { issuesInViews } from '../harness/accessibility.ts';
import { browserOptions, needBrowser, showAs, test, views } from '../harness/browser.ts';
import { judgedRun } from '../harness/judged-runs.ts';

needBrowser();
test.use(browserOptions);

test('the page reads without barriers on a desktop, on a phone and in the dark', async ({ page }) => {
  const broken = { alter: altering('getCard', set('data/card/title', 7)), choices: { maxLimit: 50 } };
  const staging = await judgedRun(broken, { name: 'staging', maxPages: 1 });
  const partial = await judgedRun({}, { name: 'production', probes: false, identifiers: { USER_IDS: [] } });
  const file = test.info().outputPath('compare.html');
  writeFileSync(file, comparisonPage(compareRuns([staging, partial], loadContract().questions)));
  await page.goto(`file://${file}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('between staging and production');
  const hrefs = await page
    .locator('nav a[href^="#"]')
    .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
  for (const href of hrefs) await expect(page.locator(href ?? ''), href ?? '').toHaveCount(1);
  await page.locator('summary').click();
  for (const [view, options] of Object.entries(views)) {
    await showAs(page, options);
    // Where the head of a table is not in sight, each cell says which run it is of.
    const labels = await page
      .locator('#runs tbody tr')
      .first()
      .locator('td')
      .evaluateAll((all) => all.map((cell) => getComputedStyle(cell, '::before').content));
    const said = view === 'phone' ? ['"staging: "', '"production: "'] : ['none', 'none'];
    expect(labels, view).toEqual(said);
  }
  expect(await issuesInViews(page)).toEqual([]);
});

test('what the rows of a long table have twice, or refer to in vain, is found', async ({ page }) => {
  const row = '<tr><td><span id="a">x</span><label for="b">y</label></td></tr>';
  await page.setContent(`<table>${row.repeat(3)}</table>`);
  const issues = await issuesInViews(page);
  expect(issues).toEqual(expect.arrayContaining(['the id a is there twice', 'for="b" refers to nothing']));
});
