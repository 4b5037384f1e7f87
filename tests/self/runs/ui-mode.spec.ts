import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { type Alter, type Mock, startMock } from '../../../mock/server.ts';
import { browserOptions, needBrowser } from '../harness/browser.ts';
import { type StartedRun, startSuite, targetOf } from '../harness/whole-run.ts';

needBrowser();
test.use({ ...browserOptions, viewport: { width: 1400, height: 900 } });
test.describe.configure({ mode: 'default' });
test.setTimeout(180_000);

/** What the last test of getCard is about, since Playwright replaces its worker where others follow a failed one. */
const address = 'getCard/data/card/physical_status';
const broken = altering('getCard', set('data/card/physical_status', 7));

/** A provider that can be fixed while the suite looks at it, and a UI mode that looks. */
class OpenUi {
  readonly mock: Mock;
  readonly run: StartedRun;
  readonly provider: { alter: Alter };

  constructor(mock: Mock, provider: { alter: Alter }, env: Record<string, string>, args: string[]) {
    this.mock = mock;
    this.provider = provider;
    this.run = startSuite({ ...targetOf(mock.url), ...env }, ['--ui-port=0', '--ui-host=127.0.0.1', ...args]);
  }

  static async open(page: Page, env: Record<string, string> = {}, args: string[] = []): Promise<OpenUi> {
    const provider: { alter: Alter } = { alter: broken };
    const mock = await startMock({ alter: (answer, request) => provider.alter(answer, request) });
    const ui = new OpenUi(mock, provider, env, args);
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

const below = (name: string) => test.info().outputPath('reports/observations', name);

/** As if the click before were a moment ago, however long ago it is. */
function seemRecent(file: string): void {
  const inAnHour = Date.now() / 1000 + 3600;
  utimesSync(file, inAnHour, inAnHour);
}

/** Two seconds are enough where nothing else runs; here other tests keep the processors busy. */
const graceMs = 10_000;

test('a click in UI mode says what is wrong with the configuration; then each judges what the target says now, also where another reporter replaces the own one, unless another run holds the folder', async ({
  page,
}) => {
  const signing = test.info().outputPath('sign.mjs');
  const ui = await OpenUi.open(page, { AUTH_MODULE: signing }, ['--grep', '@getCard/']);
  const times: number[] = [];
  const conforming: Alter = (answer) => {
    times.push(Date.now());
    return answer;
  };
  try {
    await show(page, `@${address}`);
    await runAll(page, /1 failed/);
    await page.getByRole('tab', { name: 'Errors' }).click();
    await expectError(page, 'AUTH_MODULE names a file that does not exist');
    expect(ui.mock.requests).toEqual([]);
    writeFileSync(signing, 'export default () => ({});');
    await show(page, '');
    await runAll(page, /^(\d+)\/\1 .* \d\d+ passed, 1 failed/);
    const asked = ui.mock.requests.length;
    expect(asked).toBeGreaterThan(20);
    ui.provider.alter = conforming;
    const clickedAt = Date.now();
    await page.getByTitle('Run all').click();
    const allPassed = /^(\d+)\/\1 passed|^(\d+)\/\2 .* \2 passed/;
    const status = () => page.getByTestId('status-line').textContent();
    await expect.poll(status, { intervals: [50], timeout: 90_000 }).toMatch(allPassed);
    const askingMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(Date.now() - clickedAt - askingMs).toBeLessThan(graceMs);
    expect(ui.mock.requests).toHaveLength(2 * asked);
    await page.getByText('requests made').first().click();
    await expect(page.getByText(/GET \S+ → HTTP 200, \d+ bytes, \d+ ms/).first()).toBeVisible();
  } finally {
    await ui.close();
  }

  const other = await OpenUi.open(page, {}, ['--grep', `@${address}$`, '--reporter=line']);
  try {
    const used = below('used.txt');
    expect(readFileSync(used, 'utf8')).toContain(`${address}\n`);
    seemRecent(used);
    await runAll(page, /1 failed/);
    const asked = other.mock.requests.length;
    expect(asked).toBeGreaterThan(0);
    seemRecent(below('run.json'));
    const holder = { pid: process.pid, machine: '', run: 'another' };
    writeFileSync(below('../run.lock'), JSON.stringify(holder));
    await page.getByRole('tab', { name: 'Errors' }).click();
    await page.getByTitle('Run all').click();
    await expectError(page, `another run (process ${process.pid}) is writing to`);
    expect(other.mock.requests).toHaveLength(asked);
  } finally {
    await other.close();
  }
});
