import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { expect, type Page, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { type Alter, type Mock, startMock } from '../../../mock/server.ts';
import { browserOptions, needBrowser } from '../harness/browser.ts';
import { expectAskedOnce, type StartedRun, startSuite, targetOf } from '../harness/whole-run.ts';

needBrowser();
test.use({ ...browserOptions, viewport: { width: 1400, height: 900 } });
test.describe.configure({ mode: 'default' });
test.setTimeout(180_000);

/** What the last test of getCard is about, since Playwright replaces its worker where others follow a failed one. */
const address = 'getCard/data/card/physical_status';
const broken = altering('getCard', set('data/card/physical_status', 7));

/** A provider, and a UI mode that looks at it. */
class OpenUi {
  readonly mock: Mock;
  readonly run: StartedRun;

  constructor(mock: Mock, env: Record<string, string>, args: string[]) {
    this.mock = mock;
    this.run = startSuite({ ...targetOf(mock.url), ...env }, ['--ui-port=0', '--ui-host=127.0.0.1', ...args]);
  }

  static async open(page: Page, alter: Alter, env: Record<string, string>, args: string[]): Promise<OpenUi> {
    const ui = new OpenUi(await startMock({ alter }), env, args);
    await expect.poll(() => ui.url(), { timeout: 60_000 }).toBeTruthy();
    await page.goto(ui.url() ?? '');
    await expect(page.getByTestId('test-tree')).toContainText('getCard', { timeout: 60_000 });
    return ui;
  }

  url(): string | undefined {
    return /http:\/\/127\.0\.0\.1:\d+\S*/.exec(this.run.said())?.[0];
  }

  async close(): Promise<void> {
    this.run.child.kill('SIGINT');
    await Promise.all([this.run.ended, this.mock.close()]);
  }
}

/** Runs all tests until the status line reads so. */
async function runAll(page: Page, outcome: RegExp): Promise<void> {
  await page.getByTitle('Run all').click();
  await expect(page.getByTestId('status-line')).toHaveText(outcome, { timeout: 90_000 });
}

/** Leaves the tests whose names hold a text. */
const show = (page: Page, text: string) => page.getByPlaceholder('Filter (').fill(text);

const expectError = (page: Page, says: string) =>
  expect(page.getByRole('tabpanel', { name: 'Errors' })).toContainText(says, { timeout: 60_000 });

/** The note of the tests that were judged by the last results. */
const noted = () => test.info().outputPath('reports/observations/used.txt');
const usesNoted = () => readFileSync(noted(), 'utf8');

/** As if the click before were a moment ago, however long ago it is. */
function seemRecent(): void {
  const inAnHour = Date.now() / 1000 + 3600;
  utimesSync(noted(), inAnHour, inAnHour);
}

/** Twice what a click was measured to take beside the requests, or longer where other programs keep the processors busy. */
const graceMs = () => 4500 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

test('a click in UI mode says what is wrong with the configuration; each later one judges what the target says then, also where another reporter replaces the own one', async ({
  page,
}) => {
  const signing = test.info().outputPath('sign.mjs');
  const times: number[] = [];
  const conforming: Alter = (answer) => {
    times.push(Date.now());
    return answer;
  };
  const ui = await OpenUi.open(page, conforming, { AUTH_MODULE: signing }, ['--grep', '@getCard/']);
  try {
    await show(page, `@${address}`);
    await runAll(page, /1 failed/);
    await page.getByRole('tab', { name: 'Errors' }).click();
    await expectError(page, 'AUTH_MODULE names a file that does not exist');
    expect(ui.mock.requests).toEqual([]);
    writeFileSync(signing, 'export default () => ({});');
    await show(page, '');
    const clickedAt = Date.now();
    await runAll(page, /[1-9]\d* passed/);
    const askingMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(Date.now() - clickedAt - askingMs).toBeLessThan(graceMs());
    await expect(page.getByTestId('status-line')).toHaveText(/^(\d+)\/\1 passed|^(\d+)\/\2 .* \2 passed/);
    expect(ui.mock.requests.length).toBeGreaterThan(20);
    expectAskedOnce(ui.mock.requests);
    await page.getByText('requests made').first().click();
    await expect(page.getByText(/GET \S+ → HTTP 200, \d+ bytes, \d+ ms/).first()).toBeVisible();
  } finally {
    await ui.close();
  }

  const other = await OpenUi.open(page, broken, {}, ['--grep', `@${address}$`, '--reporter=line']);
  try {
    expect(usesNoted()).toContain(`${address}\n`);
    seemRecent();
    await runAll(page, /1 failed/);
    expect(other.mock.requests.length).toBeGreaterThan(0);
    // So that the next click, by whichever reporter, asks as this one did.
    expect(usesNoted()).toBe(`${address}\n${address} failed\n`);
  } finally {
    await other.close();
  }
});
