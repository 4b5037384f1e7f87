import { writeFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import { browserOptions, needBrowser } from '../harness/browser.ts';
import { altering, set } from '../harness/edits.ts';
import { configureTarget, startSuite } from '../harness/whole-run.ts';

needBrowser();
test.use({ ...browserOptions, viewport: { width: 1400, height: 900 } });
test.setTimeout(180_000);

const breakCard = altering('getCard', set('data/card/physical_status', 7));

async function runAll(page: Page, outcome: RegExp): Promise<void> {
  await page.getByTitle('Run all').click();
  await expect(page.getByTestId('status-line')).toHaveText(outcome, { timeout: 90_000 });
}

test('each click in UI mode (--ui) sends new requests, and shows mistakes of the configuration', async ({
  page,
}) => {
  const provider: { alter: Alter } = { alter: breakCard };
  const mock = await startMock({ alter: (response, request) => provider.alter(response, request) });
  const AUTH_MODULE = test.info().outputPath('sign.mjs');
  const env = { ...configureTarget(mock.url), AUTH_MODULE };
  const grepArg = '--grep=@getCard/(requests|data/card/p)';
  const started = startSuite(env, ['--ui-port=0', '--ui-host=127.0.0.1', grepArg]);
  const readUrl = () => /http:\/\/127\.0\.0\.1:\d+\S*/.exec(started.readOutput())?.[0];
  try {
    await expect.poll(readUrl, { timeout: 60_000 }).toBeTruthy();
    await page.goto(readUrl() ?? '');
    await expect(page.getByTestId('test-tree')).toContainText('getCard', { timeout: 60_000 });

    await runAll(page, /^(\d+)\/\1 .* 1 failed, \d+ skipped/);
    await page.getByRole('tab', { name: 'Errors' }).click();
    const errors = page.getByRole('tabpanel', { name: 'Errors' });
    await expect(errors).toContainText('AUTH_MODULE names a file that does not exist', { timeout: 60_000 });
    expect(mock.requests).toEqual([]);

    writeFileSync(AUTH_MODULE, 'export default () => ({});');
    await runAll(page, /^(\d+)\/\1 .* \d+ passed, 1 failed/);
    const requestCount = mock.requests.length;
    expect(requestCount).toBeGreaterThan(10);

    provider.alter = (response) => response;
    await runAll(page, /^(\d+)\/\1 passed|^(\d+)\/\2 .* \2 passed/);
    expect(mock.requests).toHaveLength(2 * requestCount);
  } finally {
    started.child.kill('SIGINT');
    await Promise.all([started.ended, mock.close()]);
  }
});
