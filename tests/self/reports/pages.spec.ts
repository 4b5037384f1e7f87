import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { publish } from '../../../reports/site/publish.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { issuesInViews } from '../harness/accessibility.ts';
import { browserOptions, needBrowser, pageOf, showAs, test, views } from '../harness/browser.ts';
import { type PageKind, runKinds } from '../harness/reported.ts';
import { filesBelow } from '../harness/whole-run.ts';
import { questions } from './reader-questions.ts';
import { labels } from './verdict-labels.ts';
import { barsOf } from './violation-bars.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });
test.setTimeout(300_000);

const named = `getCard/http/status getCard/rules/id-is-requested getCard/parameters/id
  getCard/data/card/expiration_date getCard/data/card/physical_status
  getCard/data/card/limits/*/period/values-that-occur listCustomers/data/customers/*/phone
  listCustomers/parameters/limit getCustomer/data/customer/default_payment_token/error_msg
  getCustomer/data/customer/uuid getFeeRules/code getFeeRules/data/fee_rules/*/user_id
  getFeeRules/rules/user-id-required`.split(/\s+/);

const at = (address: string) => `[id="${address}"]`;

test('the questions of readers are ten or more, each of a kind of run', () => {
  expect(questions.length).toBeGreaterThanOrEqual(10);
  for (const [question, kind] of questions) expect(runKinds, question).toContain(kind);
});

const looks: string[] = [];
for (const kind of runKinds) {
  // First, so that a page is loaded with the place it is to show.
  test(`${kind}: questions of readers have their answers where docs/maintainers.md says`, async ({
    opened,
  }) => {
    for (const [question, , place, answer] of questions.filter(([, one]) => one === kind)) {
      const target = (await opened(kind, place)).locator(at(place ?? ''));
      await expect(target, question).toBeInViewport();
      await expect(target, question).toContainText(answer ?? '');
    }
  });

  test(`${kind}: the verdict at each place is what conformance.json says`, async ({ opened, reported }) => {
    const run = await reported.of(kind);
    const page = await opened(kind);
    const rows = await page
      .locator('tr[id]')
      .evaluateAll((all) =>
        all.map((row) => [row.id, row.querySelector('.result')?.textContent ?? ''] as const),
      );
    const shown = new Map(rows);
    const requirements = run.conformance?.requirements ?? [];
    expect(rows.length).toBe(shown.size);
    expect(requirements.map(({ address }) => address)).toEqual(expect.arrayContaining(named));
    for (const { address, verdict, reason = '' } of requirements) {
      expect(shown.get(address), address).toMatch(labels[verdict] ?? '');
      expect(shown.get(address), address).toContain(reason);
    }
    for (const { requirement, actual, kind: found } of run.conformance?.findings ?? [])
      if (found === 'violation') expect(shown.get(requirement)).toContain(actual);
    const { target = '', verdict = '', coverage } = run.conformance ?? {};
    for (const fact of [target, verdict.toUpperCase(), `${coverage?.nodes.percentage} %`, 'just now'])
      expect(
        (await page.locator('header').textContent())?.replace(/\(\d+ minutes? ago\)/, 'just now'),
      ).toContain(fact);
  });

  test(`${kind}: each link within the page, and to what lies beside it, leads somewhere`, async ({
    opened,
    reported,
  }) => {
    const page = await opened(kind);
    const hrefs = await page.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''));
    const all = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => `#${id}`));
    const ids = new Set(all);
    const files = new Set(filesBelow((await reported.of(kind)).reportsDir).map(({ name }) => name));
    expect(hrefs.filter((href) => !ids.has(href) && !files.has(href))).toEqual([]);
    expect(all.length).toBe(ids.size);
  });

  const names = kind === 'red' ? Object.keys(views) : ['desktop'];
  test(`${kind}: no accessibility issue on ${names}, and nothing runs out of the page`, async ({
    opened,
  }) => {
    expect(await issuesInViews(await opened(kind), looks, names)).toEqual([]);
  });
}

test('enumerated values and optional fields show how often they were seen', async ({ opened, reported }) => {
  const page = await opened('green');
  const { conformance } = await reported.of('green');
  const seen = Object.entries(conformance?.coverage.seen ?? {}).filter(([state]) => state.includes(' = '));
  expect(seen.length).toBeGreaterThan(20);
  for (const [state, count] of seen) {
    const value = page.locator(at(state.replaceAll(' ', '')));
    await expect(value, state).toContainText(count === 1 ? 'once' : `${count} times`);
  }
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
  const answers = conformance?.observed.map(({ answer }) => answer.replaceAll('`', '')) ?? [];
  await expect(page.locator('#observed dd')).toContainText(answers);
});

test('no page holds anything of the target', async ({ reported }) => {
  for (const kind of runKinds)
    expect(reported.canaries.leaksIn((await reported.of(kind)).files())).toEqual([]);
});

test('the search finds by name and by verdict, and a link shows what it hid', async ({ page, reported }) => {
  await page.goto(pageOf(await reported.of('red')));
  await page.getByLabel('Search fields and rules').fill('expiration violation');
  await expect(page.locator('tr[id]:visible')).toHaveCount(1);
  await expect(page.getByRole('status').first()).toContainText('1 of ');
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

test('the bar of a broken row covers no text, and marks the whole row', async ({ opened }) => {
  const page = await opened('red');
  for (const [view, options] of Object.entries(views)) {
    await showAs(page, options);
    const bars = await page.locator('tr[data-verdict="violation"]').evaluateAll(barsOf);
    expect(bars.length, view).toBeGreaterThan(3);
    for (const { space, marked, height } of bars) {
      expect(space, view).toBeGreaterThanOrEqual(view === 'phone' ? 2 : 0);
      expect(Math.abs((marked ?? 0) - height), view).toBeLessThanOrEqual(2);
    }
  }
});

test('a newer run is shown at the same place, with the same search', async ({ page, reported }) => {
  const file = test.info().outputPath('contract.html');
  const text = (kind: PageKind) =>
    reported.of(kind).then((run) => readFileSync(pageOf(run).slice(7), 'utf8'));
  const row = page.locator(at('listCustomers/data/customers/*/phone'));
  const top = async () => Math.round((await row.boundingBox())?.y ?? 0);
  writeFileSync(file, await text('red'));
  await page.goto(`file://${file}`);
  await row.evaluate((one) => scrollBy(0, one.getBoundingClientRect().top - 20));
  expect(await top()).toBe(20);
  writeFileSync(file, await text('green'));
  await page.reload();
  await expect.poll(top).toBe(20);
  await expect(row).toContainText('pass');
  await page.getByLabel('Search fields and rules').fill('expiration');
  await page.reload();
  await expect(page.locator('tr[id]:visible')).toHaveCount(1);
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

test('nothing of a target is left in its site, which people can read on any screen', async ({
  page,
  reported,
}) => {
  const site = test.info().outputPath('site');
  publish([(await reported.of('red')).reportsDir, (await reported.of('blocked')).reportsDir], site);
  expect(reported.canaries.leaksIn(filesBelow(site))).toEqual([]);
  await page.goto(`file://${site}/index.html`);
  await expect(page.getByText('0 of 2 targets')).toBeVisible();
  expect(await issuesInViews(page)).toEqual([]);
});
