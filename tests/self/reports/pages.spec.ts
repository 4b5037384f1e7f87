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

/** Rows of `readers.md`: question, kind of run, place, answer. */
const questions = readFileSync(new URL('readers.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => /^\| (.*\?) \| (\w+) \| `contract\.html#(.*)` \| (.*) \|$/.exec(line)?.slice(1) ?? [])
  .filter(([question]) => question);

const at = (address: string) => `[id="${address}"]`;

/** Expects the verdicts of `conformance.json` at each place, and its facts at the head of the page. */
async function expectResults(page: Page, { conformance }: WholeRun): Promise<void> {
  const rows = await page
    .locator('tr[id]')
    .evaluateAll((elements) =>
      elements.map((row) => [row.id, row.querySelector('.result')?.textContent] as const),
    );
  const rowTexts = new Map(rows);
  const { requirements = [], findings = [], target = '', verdict = '', coverage } = conformance ?? {};
  expect(requirements.length).toBeGreaterThan(100);
  const isShown = ({ address, verdict, reason = '' }: (typeof requirements)[number]) => {
    const text = rowTexts.get(address) ?? '';
    const says = verdict === 'pass' ? /pass (once|\d+ times)/.test(text) : text.includes(verdict);
    return says && text.includes(reason);
  };
  const wrongRows = requirements.filter((requirement) => !isShown(requirement));
  expect(wrongRows.map(({ address, verdict }) => [address, verdict, rowTexts.get(address)])).toEqual([]);
  for (const { requirement, actual, kind } of findings)
    if (kind === 'violation') expect(rowTexts.get(requirement)).toContain(actual);
  const head = await page.locator('header').textContent();
  for (const fact of [target, verdict.toUpperCase(), `${coverage?.nodes.percentage} %`])
    expect(head).toContain(fact);
}

test('each question of readers names a kind of run', () => {
  expect(questions.length).toBeGreaterThanOrEqual(10);
  for (const [question, kind] of questions) expect(runKinds, question).toContain(kind);
});

const looks: string[] = [];
for (const kind of runKinds)
  test(`the page of a run that is ${kind} answers its readers, is accessible, and shows no value of the target`, async ({
    opened,
    reported,
  }) => {
    // First, because each page is loaded at the place that it must show.
    for (const [question, , place, answer] of questions.filter(([, runKind]) => runKind === kind)) {
      const target = (await opened(kind, place)).locator(at(place ?? ''));
      await expect(target, question).toBeInViewport();
      await expect(target, question).toContainText(answer ?? '');
    }
    const page = await opened(kind);
    const run = await reported.of(kind);
    await expectResults(page, run);
    const siblings = filesBelow(run.reportsDir).map(({ name }) => name);
    expect((await brokenLinks(page)).filter((href) => !siblings.includes(href))).toEqual([]);
    expect(reported.canaries.leaksIn(run.files())).toEqual([]);
    const names = kind === 'red' ? Object.keys(views) : ['desktop'];
    expect(await issuesInViews(page, looks, names)).toEqual([]);
  });

const rows = 'tr[id]:visible, .observed > div:visible, .client > div:visible';

test('the search finds names, verdicts and synonyms, and says if it finds nothing', async ({
  page,
  reported,
}) => {
  await page.goto(pageOf(await reported.of('red')));
  const search = page.getByLabel('Search this page');
  const hits = page.getByRole('status').first();
  await search.fill('expiration violation');
  await expect(page.locator('tr[id]:visible')).toHaveCount(1);
  await expect(hits).toContainText('1 of ');
  await expect(page.getByRole('heading', { name: 'Examples' })).toHaveCount(0);
  for (const [query, place] of [
    ['paymenttoken token_type', 'schemas/PaymentToken/token_type'],
    ['letter case', 'observed/'],
    ['status physical', 'getCard/data/card/physical_status'],
    ['paging', 'listCustomers/parameters/offset'],
    ['sort', 'observed/order-stability'],
    ['time zone', 'getCard/data/card/p_created_at'],
    ['401', 'observed/no-credentials'],
    ['error shape', 'observed/refusal-form'],
    ['absent null phone', 'listCustomers/data/customers/*/phone'],
  ] as const) {
    await search.fill(query);
    await expect(page.locator(`[id^="${place}"]:visible`).first(), query).toBeVisible();
    expect(await page.locator(rows).count(), query).toBeLessThan(40);
  }
  // The search matches the beginning of a word: "known" does not match "unknown".
  for (const query of ['no such thing', 'xpiration']) {
    await search.fill(query);
    await expect(hits).toContainText(/^Nothing found among \d+ fields, rules and answers\. Try /);
    await expect(page.locator(rows)).toHaveCount(0);
  }
  await search.fill('2.1');
  await expect(hits).toContainText(/^\d+ of /);
});

test('following a link ends the search and shows the place', async ({ page, reported }) => {
  await page.goto(pageOf(await reported.of('red')));
  const search = page.getByLabel('Search this page');
  const contents = page.getByRole('navigation');
  for (const [name, place] of [
    ['Get a customer', 'getCustomer'],
    ['CreditCard', 'schemas/CreditCard'],
    ['CreditCard', 'schemas/CreditCard'],
  ] as const) {
    await search.fill('letter case');
    await contents.getByRole('link', { name, exact: true }).click();
    await expect(search).toHaveValue('');
    await expect(page.locator(at(place))).toBeInViewport();
  }
  await search.fill('letter case');
  await page.evaluate(() => {
    location.hash = '#getFeeRules/http/json';
  });
  await expect(page.locator(at('getFeeRules/http/json'))).toBeInViewport();
});

test('on a telephone the verdict is in view, tables are folded, and the contents stay in view', async ({
  page,
  reported,
}) => {
  await showAs(page, views.phone);
  const url = pageOf(await reported.of('red'));
  await page.goto(url);
  await expect(page.locator('#verdict .sentence')).toBeInViewport({ ratio: 1 });
  const { height = 0 } = views.phone?.viewport ?? {};
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(16 * height);
  await expect(page.locator('tr[id]:visible')).toHaveCount(0);
  await page.goto(`${url}#getCard/data/card/limits`);
  await expect(page.locator(at('getCard/data/card/limits'))).toBeInViewport();
  await page.getByText('Contents', { exact: true }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Get a customer' }).click();
  await expect(page.locator(at('getCustomer-title'))).toBeInViewport();
  await expect(page.getByText('Contents', { exact: true })).toBeInViewport();
});

test('on paper there is no navigation, no row is cut, and the dark scheme is light', async ({ opened }) => {
  const page = await opened('red');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('#verdict')).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(page.locator('tr[id]').first()).toHaveCSS('break-inside', 'avoid');
});
