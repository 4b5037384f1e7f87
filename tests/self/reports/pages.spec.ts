import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { brokenLinks, issuesInViews } from '../harness/accessibility.ts';
import { browserOptions, needBrowser, pageOf, showAs, test, views } from '../harness/browser.ts';
import { runKinds } from '../harness/reported.ts';
import { filesBelow, type WholeRun } from '../harness/whole-run.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });
test.setTimeout(300_000);

/** Rows of a table: question, run, place, answer. */
const questions = readFileSync(new URL('readers.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => /^\| (.*\?) \| (\w+) \| `contract\.html#(.*)` \| (.*) \|$/.exec(line)?.slice(1) ?? [])
  .filter(([question]) => question);

const at = (address: string) => `[id="${address}"]`;

/** The verdict at each place is what `conformance.json` says, and so is the head of the page. */
async function expectResults(page: Page, { conformance }: WholeRun): Promise<void> {
  const rows = await page
    .locator('tr[id]')
    .evaluateAll((all) => all.map((row) => [row.id, row.querySelector('.result')?.textContent] as const));
  const shown = new Map(rows);
  const { requirements = [], findings = [], target = '', verdict = '', coverage } = conformance ?? {};
  expect(requirements.length).toBeGreaterThan(100);
  const isShown = ({ address, verdict, reason = '' }: (typeof requirements)[number]) => {
    const text = shown.get(address) ?? '';
    const says = verdict === 'pass' ? /pass (once|\d+ times)/.test(text) : text.includes(verdict);
    return says && text.includes(reason);
  };
  const others = requirements.filter((one) => !isShown(one));
  expect(others.map((one) => [one.address, one.verdict, shown.get(one.address)])).toEqual([]);
  for (const { requirement, actual, kind } of findings)
    if (kind === 'violation') expect(shown.get(requirement)).toContain(actual);
  const head = await page.locator('header').textContent();
  for (const fact of [target, verdict.toUpperCase(), `${coverage?.nodes.percentage} %`])
    expect(head).toContain(fact);
}

test('the questions of readers are each of a kind of run', () => {
  expect(questions.length).toBeGreaterThanOrEqual(10);
  for (const [question, kind] of questions) expect(runKinds, question).toContain(kind);
});

const looks: string[] = [];
for (const kind of runKinds)
  test(`the page of a run that is ${kind}: answers of readers, results, links, no barrier, nothing of the target`, async ({
    opened,
    reported,
  }) => {
    // First, so that a page is loaded with the place it is to show.
    for (const [question, , place, answer] of questions.filter(([, one]) => one === kind)) {
      const target = (await opened(kind, place)).locator(at(place ?? ''));
      await expect(target, question).toBeInViewport();
      await expect(target, question).toContainText(answer ?? '');
    }
    const page = await opened(kind);
    const run = await reported.of(kind);
    await expectResults(page, run);
    const beside = filesBelow(run.reportsDir).map(({ name }) => name);
    expect((await brokenLinks(page)).filter((href) => !beside.includes(href))).toEqual([]);
    expect(reported.canaries.leaksIn(run.files())).toEqual([]);
    const names = kind === 'red' ? Object.keys(views) : ['desktop'];
    expect(await issuesInViews(page, looks, names)).toEqual([]);
  });

test('the search finds by name and by verdict, and a link shows what it hid', async ({ page, reported }) => {
  await page.goto(pageOf(await reported.of('red')));
  await page.getByLabel('Search this page').fill('expiration violation');
  await expect(page.locator('tr[id]:visible')).toHaveCount(1);
  await expect(page.getByRole('status').first()).toContainText('1 of ');
  await expect(page.getByRole('heading', { name: /^Examples of/ })).toHaveCount(0);
  const search = page.getByLabel('Search this page');
  for (const [query, place] of [
    ['paymenttoken token_type', 'schemas/PaymentToken/token_type'],
    ['letter case', 'observed/'],
    ['status physical', 'getCard/data/card/physical_status'],
  ] as const) {
    await search.fill(query);
    await expect(page.locator(`[id^="${place}"]:visible`).first()).toBeVisible();
    expect(await page.locator('tr[id]:visible, .observed > div:visible').count()).toBeLessThan(20);
  }
  // Words are found by how they begin: "known" is not in "unknown".
  const said = page.getByRole('status').first();
  for (const query of ['no such thing', 'xpiration']) {
    await search.fill(query);
    await expect(said).toContainText('Nothing found: all ');
    await expect(page.locator(at('getFeeRules/code'))).toBeVisible();
  }
  await search.fill('2.1');
  await expect(said).toContainText(/^\d+ of /);
  await search.fill('letter case');
  await page.getByRole('navigation').getByRole('link', { name: 'Get a customer' }).click();
  await page.evaluate(() => {
    location.hash = '#getFeeRules/code';
  });
  await expect(page.locator(at('getFeeRules/code'))).toBeInViewport();
});

test('on a telephone the verdict stands in sight', async ({ opened }) => {
  const page = await opened('red');
  await showAs(page, views.phone);
  await expect(page.locator('#verdict .sentence')).toBeInViewport({ ratio: 1 });
});

test('on paper there is no navigation, no row is cut, and the dark scheme is light', async ({ opened }) => {
  const page = await opened('red');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('#verdict')).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(page.locator('tr[id]').first()).toHaveCSS('break-inside', 'avoid');
});
