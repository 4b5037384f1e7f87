import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { explainUnwritable } from './src/client/files.ts';
import { createMask } from './src/redact/secrets.ts';
import { isInteractive, isListing } from './src/run/command-line.ts';
import { defaultReportsDir, readConfiguration } from './src/run/target.ts';

const { target } = readConfiguration();
const { reportsDir, isMock, customTests } = target;
const below = (name: string) => path.join(reportsDir, name);

// Where Playwright's own reporters write (`--reporter=html`), and how they call the run.
const { env } = process;
env.PLAYWRIGHT_HTML_OUTPUT_DIR ||= below('playwright-report');
env.PLAYWRIGHT_BLOB_OUTPUT_DIR ||= below('blob-report');
const runName = `lookup API conformance${isMock ? ' (MOCK)' : ''}`;
env.PLAYWRIGHT_JUNIT_SUITE_NAME ||= runName;
env.PLAYWRIGHT_HTML_TITLE ||= runName;
// Hides "Copy prompt": failures are the target's, not the test's.
env.PLAYWRIGHT_HTML_NO_COPY_PROMPT ||= '1';
// Takes the place of the name of the machine.
env.ALLURE_HOST_NAME ||= 'conformance';

/** Returns the path of a module that needs no compiling, as a list: Node loads it, and Playwright writes no compiled copy to disk. */
const listUncompiled = (file: string | undefined) =>
  file && !/\.[cm]?ts$/.test(file) ? [path.resolve(file)] : [];

// For the workers: a rejection that AUTH_MODULE does not handle is hidden like an error that it throws.
if (target.authModule) process.execArgv.push('--unhandled-rejections=strict');

export default defineConfig({
  // Playwright prints its path with each failure, also if that holds a secret, and complains itself if it cannot write there.
  outputDir:
    createMask(target)(reportsDir) === reportsDir && (isListing() || !explainUnwritable(reportsDir))
      ? below('test-results')
      : path.resolve(defaultReportsDir, 'test-results'),
  globalSetup: './tests/setup.ts',
  // Node loads these itself: what Playwright compiles, it writes to disk, and AUTH_MODULE may hold a secret.
  build: { external: ['**/*.{js,cjs,mjs}', ...listUncompiled(target.authModule)] },
  projects: [
    // Requests have a time-out of their own (REQUEST_TIMEOUT_MS).
    { name: 'contract', testDir: 'tests/contract', timeout: 0 },
    { name: 'custom', testDir: customTests },
  ],
  // More workers share the rate of the run; fixtures are set up once in a run all the same.
  workers: 1,
  // Allure would report what is only listed, as skipped; and it reads traces, which UI mode has, after they are removed.
  reporter: isListing()
    ? [['list']]
    : isInteractive()
      ? [['./reports/reporter.ts']]
      : [
          ['./reports/reporter.ts'],
          [
            'allure-playwright',
            // Steps of Playwright's own hold raw addresses and headers.
            { resultsDir: below('allure-results'), detail: false },
          ],
        ],
});
