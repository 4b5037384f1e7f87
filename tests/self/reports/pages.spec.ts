import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { answerText } from '../../../reports/lines.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { issuesInViews } from '../harness/accessibility.ts';
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
    .evaluateAll((all) =>
      all.map((row) => [row.id, row.querySelector('.result')?.textContent ?? ''] as const),
    );
  const shown = new Map(rows);
  expect(rows.length).toBe(shown.size);
  const { requirements = [], findings = [], target = '', verdict = '', coverage } = conformance ?? {};
  expect(requirements.length).toBeGreaterThan(100);
  for (const { address, verdict, reason = '' } of requirements) {
    expect(shown.get(address), address).toMatch(verdict === 'pass' ? /pass (once|\d+ times)/ : verdict);
    expect(shown.get(address), address).toContain(reason);
  }
  for (const { requirement, actual, kind } of findings)
    if (kind === 'violation') expect(shown.get(requirement)).toContain(actual);
  const head = await page.locator('header').textContent();
  for (const fact of [target, verdict.toUpperCase(), `${coverage?.nodes.percentage} %`])
    expect(head).toContain(fact);
}

/** Each link within the page, and to what lies beside it, leads somewhere. */
async function expectLinks(page: Page, { reportsDir }: WholeRun): Promise<void> {
  const hrefs = await page.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''));
  const all = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => `#${id}`));
  const known = new Set([...all, ...filesBelow(reportsDir).map(({ name }) => name)]);
  expect(hrefs.filter((href) => !known.has(href))).toEqual([]);
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
    await expectLinks(page, run);
    expect(reported.canaries.leaksIn(run.files())).toEqual([]);
    const names = kind === 'red' ? Object.keys(views) : ['desktop'];
    expect(await issuesInViews(page, looks, names)).toEqual([]);
  });

test('each open question has its one answer under "Observed behaviour", in the order of the list', async ({
  opened,
  reported,
}) => {
  const page = await opened('green');
  const { conformance } = await reported.of('green');
  const asked = page.locator('#observed dt');
  const open = loadContract().questions;
  expect(await asked.evaluateAll((all) => all.map(({ id }) => id))).toEqual(
    open.map(({ id }) => `observed/${id}`),
  );
  await expect(asked).toContainText(open.map(({ question }) => question.replaceAll('`', '')));
  const answers = conformance?.observed.map(answerText) ?? [];
  await expect(page.locator('#observed dd')).toContainText(answers);
});

test('the search finds by name and by verdict, and a link shows what it hid', async ({ page, reported }) => {
  await page.goto(pageOf(await reported.of('red')));
  await page.getByLabel('Search this page').fill('expiration violation');
  await expect(page.locator('tr[id]:visible')).toHaveCount(1);
  await expect(page.getByRole('status').first()).toContainText('1 of ');
  const search = page.getByLabel('Search this page');
  for (const [query, place] of [
    ['paymenttoken token_type', 'schemas/PaymentToken/token_type'],
    ['letter case', 'observed/'],
  ] as const) {
    await search.fill(query);
    await expect(page.locator(`[id^="${place}"]:visible`).first()).toBeVisible();
    expect(await page.locator('tr[id]:visible, .observed > div:visible').count()).toBeLessThan(20);
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Get a customer' }).click();
  await page.evaluate(() => {
    location.hash = '#getFeeRules/code';
  });
  await expect(page.locator(at('getFeeRules/code'))).toBeInViewport();
});

test('on a telephone the verdict stands before the navigation', async ({ opened }) => {
  const page = await opened('red');
  await showAs(page, views.phone);
  await expect(page.locator('#verdict .sentence')).toBeInViewport({ ratio: 1 });
  const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0;
  expect(await top('#verdict')).toBeLessThan(await top('nav'));
  expect(await top('nav')).toBeLessThan(await top('main'));
});

test('on paper there is no navigation, no row is cut in two, and the dark scheme is light', async ({
  opened,
}) => {
  const page = await opened('red');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('#verdict')).toBeVisible();
  const styles = await page.evaluate(() => [
    getComputedStyle(document.body).backgroundColor,
    getComputedStyle(document.querySelector('tr[id]') as Element).breakInside,
  ]);
  expect(styles).toEqual(['rgb(255, 255, 255)', 'avoid']);
});
