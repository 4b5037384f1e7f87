import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { explainUnwritable } from './src/client/files.ts';
import { createMask } from './src/redact/secrets.ts';
import { isInteractive, isListing } from './src/run/command-line.ts';
import { defaultReportsDir, readConfiguration } from './src/run/target.ts';

const { target } = readConfiguration();
const { reportsDir, isMock, customTests, authModule } = target;
const inReportsDir = (name: string) => path.join(reportsDir, name);

// Defaults for Playwright's own reporters, such as `--reporter=html`: their folders, and the title of the run.
const { env } = process;
env.PLAYWRIGHT_HTML_OUTPUT_DIR ||= inReportsDir('playwright-report');
env.PLAYWRIGHT_BLOB_OUTPUT_DIR ||= inReportsDir('blob-report');
const runName = `lookup API conformance${isMock ? ' (MOCK)' : ''}`;
env.PLAYWRIGHT_JUNIT_SUITE_NAME ||= runName;
env.PLAYWRIGHT_HTML_TITLE ||= runName;
// Hides "Copy prompt": failures are the target's, not the test's.
env.PLAYWRIGHT_HTML_NO_COPY_PROMPT ||= '1';
// Otherwise Allure's report shows the name of this machine.
env.ALLURE_HOST_NAME ||= 'conformance';

// A module in TypeScript has to be compiled. Any other ending is JavaScript for Node.
const isJavaScriptAuthModule = authModule !== undefined && !/\.[cm]?ts$/.test(authModule);

const canPrintReportsDir = createMask(target)(reportsDir) === reportsDir;
const canWriteReportsDir = isListing() || !explainUnwritable(reportsDir);

// Workers inherit `execArgv`. With this option, Node turns an unhandled rejection of AUTH_MODULE into an uncaught error, whose message
// `exitAtUncaughtErrors` hides, because it may hold a secret.
if (authModule) process.execArgv.push('--unhandled-rejections=strict');

export default defineConfig({
  // Below REPORTS_DIR, except if the path holds a secret, because Playwright prints the path with each failure, or if the folder
  // cannot be written, because Playwright's own message would hide that of the suite.
  outputDir:
    canPrintReportsDir && canWriteReportsDir
      ? inReportsDir('test-results')
      : path.resolve(defaultReportsDir, 'test-results'),
  globalSetup: './tests/setup.ts',
  // Files that Playwright does not compile, because the compiled copy on disk would show a secret in AUTH_MODULE.
  build: { external: ['**/*.{js,cjs,mjs}', ...(isJavaScriptAuthModule ? [path.resolve(authModule)] : [])] },
  projects: [
    // Requests have a time-out of their own (REQUEST_TIMEOUT_MS).
    { name: 'contract', testDir: 'tests/contract', timeout: 0 },
    ...(customTests ? [{ name: 'custom', testDir: customTests }] : []),
  ],
  // So that `--shard` divides single tests: a shard without a test could not sweep its pages.
  fullyParallel: true,
  // With more workers (`--workers`) each gets a share of MAX_RPS. Requests are sent once in a run in any case.
  workers: 1,
  // No Allure for `--list`, whose tests it would report as skipped, or for UI mode, whose traces are removed before it reads them.
  reporter: isListing()
    ? [['list']]
    : isInteractive()
      ? [['./reports/reporter.ts']]
      : [
          ['./reports/reporter.ts'],
          [
            'allure-playwright',
            // Without Playwright's own steps, which hold raw addresses and headers.
            { resultsDir: inReportsDir('allure-results'), detail: false },
          ],
        ],
});
