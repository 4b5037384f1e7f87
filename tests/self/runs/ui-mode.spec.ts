import { writeFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import { browserOptions, needBrowser } from '../harness/browser.ts';
import { altering, set } from '../harness/edits.ts';
import { startSuite, targetOf } from '../harness/whole-run.ts';

needBrowser();
test.use({ ...browserOptions, viewport: { width: 1400, height: 900 } });
test.setTimeout(180_000);

const broken = altering('getCard', set('data/card/physical_status', 7));

/** Runs all tests until the status line reads so. */
async function runAll(page: Page, outcome: RegExp): Promise<void> {
  await page.getByTitle('Run all').click();
  await expect(page.getByTestId('status-line')).toHaveText(outcome, { timeout: 90_000 });
}

test('each click in UI mode (--ui) sends requests anew, and says what is wrong with the configuration', async ({
  page,
}) => {
  const provider: { alter: Alter } = { alter: broken };
  const mock = await startMock({ alter: (answer, request) => provider.alter(answer, request) });
  const AUTH_MODULE = test.info().outputPath('sign.mjs');
  const env = { ...targetOf(mock.url), AUTH_MODULE };
  const some = '--grep=@getCard/(requests|data/card/p)';
  const ui = startSuite(env, ['--ui-port=0', '--ui-host=127.0.0.1', some]);
  const url = () => /http:\/\/127\.0\.0\.1:\d+\S*/.exec(ui.said())?.[0];
  try {
    await expect.poll(url, { timeout: 60_000 }).toBeTruthy();
    await page.goto(url() ?? '');
    await expect(page.getByTestId('test-tree')).toContainText('getCard', { timeout: 60_000 });

    await runAll(page, /^(\d+)\/\1 .* 1 failed, \d+ skipped/);
    await page.getByRole('tab', { name: 'Errors' }).click();
    const errors = page.getByRole('tabpanel', { name: 'Errors' });
    await expect(errors).toContainText('AUTH_MODULE names a file that does not exist', { timeout: 60_000 });
    expect(mock.requests).toEqual([]);

    writeFileSync(AUTH_MODULE, 'export default () => ({});');
    await runAll(page, /^(\d+)\/\1 .* \d+ passed, 1 failed/);
    const asked = mock.requests.length;
    expect(asked).toBeGreaterThan(10);

    provider.alter = (answer) => answer;
    await runAll(page, /^(\d+)\/\1 passed|^(\d+)\/\2 .* \2 passed/);
    expect(mock.requests).toHaveLength(2 * asked);
  } finally {
    ui.child.kill('SIGINT');
    await Promise.all([ui.ended, mock.close()]);
  }
});
