import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { findBrokenLinks, findIssuesInViews } from '../harness/accessibility.ts';
import { browserOptions, locatePage, needBrowser, setView, test, views } from '../harness/browser.ts';
import { runKinds } from '../harness/reported.ts';
import { readFilesBelow } from '../harness/whole-run.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });
test.setTimeout(300_000);

interface ReaderQuestion {
  question: string;
  /** Kind of run, such as `red` (a run with violations). */
  kind: string;
  /** Id of an element on the contract page, such as `getCard/code`. */
  place: string;
  answer: string;
}

const questionRow = /^\| (.*\?) \| (\w+) \| `contract\.html#(.*)` \| (.*) \|$/;

function readQuestions(): ReaderQuestion[] {
  const lines = readFileSync(new URL('readers.md', import.meta.url), 'utf8').split('\n');
  const rows = lines.map((line) => questionRow.exec(line)).filter((row) => row !== null);
  return rows.map(([, question = '', kind = '', place = '', answer = '']) => {
    return { question, kind, place, answer };
  });
}

const questions = readQuestions();

const at = (address: string) => `[id="${address}"]`;

async function readResultTexts(page: Page): Promise<Map<string, string>> {
  const rows = await page
    .locator('tr[id]')
    .evaluateAll((elements) =>
      elements.map((row) => [row.id, row.querySelector('.result')?.textContent ?? ''] as const),
    );
  return new Map(rows);
}

function showsVerdict(text: string, verdict: string): boolean {
  // A passed requirement also shows how often it passed.
  if (verdict === 'pass') return /pass (once|\d+ times)/.test(text);
  return text.includes(verdict);
}

async function expectResults(page: Page, { requirements, findings }: Conformance): Promise<void> {
  expect(requirements.length).toBeGreaterThan(100);
  const textByAddress = await readResultTexts(page);
  const wrongRows = requirements.filter(({ address, verdict, reason = '' }) => {
    const text = textByAddress.get(address) ?? '';
    return !showsVerdict(text, verdict) || !text.includes(reason);
  });
  expect(wrongRows.map(({ address, verdict }) => [address, verdict, textByAddress.get(address)])).toEqual([]);
  for (const { requirement, actual, kind } of findings)
    if (kind === 'violation') expect(textByAddress.get(requirement)).toContain(actual);
}

async function expectHeader(page: Page, { target, verdict, coverage }: Conformance): Promise<void> {
  const headerText = await page.locator('header').textContent();
  expect(headerText).toContain(target);
  expect(headerText).toContain(verdict.toUpperCase());
  const { percentage } = coverage.nodes;
  // A page of a run that judged nothing has no coverage.
  expect(headerText?.includes(`${percentage} %`)).toBe(percentage > 0);
}

test('each question of readers names a kind of run', () => {
  expect(questions.length).toBeGreaterThanOrEqual(10);
  for (const { question, kind } of questions) expect(runKinds, question).toContain(kind);
});

const looks: string[] = [];
for (const kind of runKinds)
  test(`the page of a run that is ${kind} answers its readers, is accessible, and shows no value of the target`, async ({
    openReport,
    reported,
  }) => {
    // First, because each page is loaded at the place that it must show.
    for (const { question, place, answer } of questions.filter((row) => row.kind === kind)) {
      const target = (await openReport(kind, place)).locator(at(place));
      await expect(target, question).toBeInViewport();
      await expect(target, question).toContainText(answer);
    }
    const page = await openReport(kind);
    const run = await reported.getRun(kind);
    const conformance = run.conformance as Conformance;
    await expectResults(page, conformance);
    await expectHeader(page, conformance);
    const siblings = readFilesBelow(run.reportsDir).map(({ name }) => name);
    expect((await findBrokenLinks(page)).filter((href) => !siblings.includes(href))).toEqual([]);
    expect(reported.canaries.findLeaks(run.files())).toEqual([]);
    const names = kind === 'red' ? Object.keys(views) : ['desktop'];
    expect(await findIssuesInViews(page, looks, names)).toEqual([]);
  });

const rows = 'tr[id]:visible, .observed > div:visible, .client > div:visible';

test('the search finds names, verdicts and synonyms, and says if it finds nothing', async ({
  page,
  reported,
}) => {
  await page.goto(locatePage(await reported.getRun('red')));
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

/** Search query and the id of the best matching row: `['429', 'getCard/client/rate-limit']`. */
const bestRows: [query: string, place: string][] = [
  ['sort', 'observed/order-stability'],
  ['ordering', 'observed/order-stability'],
  ['429', 'getCard/client/rate-limit'],
  ['retry', 'getCard/client/rate-limit'],
  ['throttle', 'getCard/client/rate-limit'],
  ['unauthorized', 'getCard/client/authentication'],
  ['login', 'getCard/client/authentication'],
  ['api key', 'getCard/client/authentication'],
  ['authorization', 'getCard/client/authentication'],
  ['bearer', 'getCard/client/authentication'],
  ['enum', 'getCard/data/card/type'],
  ['new values', 'getCard/data/card/type'],
  ['round', 'getCard/client/amounts'],
  ['money', 'getCard/client/amounts'],
  ['float', 'schemas/Decimal'],
  ['page', 'listCustomers/client/read-all-pages'],
  ['pagination', 'listCustomers/client/read-all-pages'],
  ['format', 'observed/limit-amount-forms'],
  ['null', 'getCard/client/null-values'],
  ['error', 'getCard/client/errors'],
  ['used_amount', 'getCard/data/card/limits/*/used_amount'],
];

for (const view of ['desktop', 'phone'] as const)
  test(`on a ${view}, the search scrolls to the row that fits best`, async ({ page, reported }) => {
    await setView(page, views[view]);
    await page.goto(locatePage(await reported.getRun('green')));
    for (const [query, place] of bestRows) {
      await page.getByLabel('Search this page').fill(query);
      const row = page.locator('.best');
      await expect(row, query).toBeInViewport();
      const addresses = await row.evaluate((element) => [element.id, element.querySelector('dt')?.id]);
      expect(addresses, query).toContain(place);
    }
  });

test('Back restores the query after a link was followed', async ({ page, reported }) => {
  await page.goto(locatePage(await reported.getRun('red')));
  const search = page.getByLabel('Search this page');
  await search.fill('letter case');
  const count = await page.locator(rows).count();
  await page.getByRole('navigation').getByRole('link', { name: 'Get a customer', exact: true }).click();
  await expect(search).toHaveValue('');
  await page.goBack();
  await expect(search).toHaveValue('letter case');
  expect(await page.locator(rows).count()).toBe(count);
  await page.goto('about:blank');
  await page.goBack();
  await expect(search).toHaveValue('letter case');
  await search.fill('');
  await expect(page).not.toHaveURL(/search/);
});

test('following a link ends the search and shows the place', async ({ page, reported }) => {
  await page.goto(locatePage(await reported.getRun('red')));
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
  await setView(page, views.phone);
  const url = locatePage(await reported.getRun('red'));
  await page.goto(url);
  await expect(page.locator('#verdict .sentence')).toBeInViewport({ ratio: 1 });
  await expect(page.locator('tr[id]:visible')).toHaveCount(0);
  await expect(page.locator(at('getCard/client/send'))).toBeHidden();
  await expect(page.locator('#getCard .errors')).toContainText('Not promised: status and body');
  await expect(page.locator('#getCard .errors')).toBeVisible();
  await page.goto(`${url}#getCard/data/card/limits`);
  await expect(page.locator(at('getCard/data/card/limits'))).toBeInViewport();
  await page.getByText('Contents', { exact: true }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Get a customer' }).click();
  await expect(page.locator(at('getCustomer-title'))).toBeInViewport();
  await expect(page.getByText('Contents', { exact: true })).toBeInViewport();
});

const maxScreens = { blocked: 9.5, green: 10, red: 15 } as const;
test('on a telephone a page is short, and shortest if nothing was judged', async ({ page, reported }) => {
  await setView(page, views.phone);
  const { height = 0 } = views.phone?.viewport ?? {};
  const heights: number[] = [];
  for (const kind of ['blocked', 'green', 'red'] as const) {
    await page.goto(locatePage(await reported.getRun(kind)));
    const pageHeight = await page.evaluate(() => document.documentElement.scrollHeight);
    expect(pageHeight, kind).toBeLessThan(maxScreens[kind] * height);
    heights.push(pageHeight);
  }
  expect(heights).toEqual(heights.toSorted((a, b) => a - b));
});

test('on paper, the content of closed tables and commands is visible', async ({ page, reported }) => {
  await page.goto(locatePage(await reported.getRun('red')));
  for (const selector of ['.fold:not(:has(> .example), [open])', '.result details:not([open])']) {
    const content = page.locator(`${selector} > :not(summary)`).first();
    await page.emulateMedia({ media: 'screen' });
    await expect(content).toBeHidden();
    await page.emulateMedia({ media: 'print' });
    await expect(content).toBeVisible();
  }
});

test('on paper there is no navigation, no row is cut, and the dark scheme is light', async ({
  openReport,
}) => {
  const page = await openReport('red');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('#verdict')).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(page.locator('tr[id]').first()).toHaveCSS('break-inside', 'avoid');
});
