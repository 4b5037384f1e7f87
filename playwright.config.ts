import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { tidied } from './reports/allure-results.ts';
import { unwritableReason } from './src/client/files.ts';
import { maskOf } from './src/redact/secrets.ts';
import { assertNoProject, isInteractive, isListing, isSingleRun } from './src/run/command-line.ts';
import { guardExit } from './src/run/exit-guard.ts';
import { defaultReportsDir, readConfiguration } from './src/run/target.ts';
import { noBrowser } from './tests/no-browser.ts';

const { target } = readConfiguration();
if (isSingleRun()) guardExit(target);
assertNoProject(target);

const { reportsDir, isMock } = target;
const sharded = process.argv.some((argument) => argument.startsWith('--shard'));
const below = (name: string) => path.join(reportsDir, name);

// Where Playwright's own reporters write (`--reporter=html`), and how they call the run.
const { env } = process;
env.PLAYWRIGHT_HTML_OUTPUT_DIR ||= below('playwright-report');
env.PLAYWRIGHT_BLOB_OUTPUT_DIR ||= below('blob-report');
const runName = `lookup API conformance${isMock ? ' (MOCK)' : ''}`;
env.PLAYWRIGHT_JUNIT_SUITE_NAME ||= runName;
env.PLAYWRIGHT_HTML_TITLE ||= runName;
// What fails is the target: no model is to be asked for a fix of the test.
env.PLAYWRIGHT_HTML_NO_COPY_PROMPT ||= '1';

/** A module that Node can load without Playwright, which compiles TypeScript. */
const untouchedModule = (file: string | undefined) =>
  file && !/\.[cm]?ts$/.test(file) ? [path.resolve(file)] : [];

export default defineConfig({
  testDir: 'tests/contract',
  // Playwright prints its path with each failure, also where that holds a secret.
  // Where nothing can be written, it would say so in a line of its own.
  outputDir:
    maskOf(target)(reportsDir) === reportsDir && (isListing() || !unwritableReason(reportsDir))
      ? below('test-results')
      : path.resolve(defaultReportsDir, 'test-results'),
  globalSetup: './tests/setup.ts',
  // Node loads these itself: what Playwright compiles, it writes to disk, and AUTH_MODULE may hold a secret.
  build: { external: ['**/*.{js,cjs,mjs}', ...untouchedModule(target.authModule)] },
  // All requirements stand in one file: only so can it be divided. Otherwise they go to the worker as one group,
  // since each group costs a message there and back.
  fullyParallel: sharded,
  // Nothing is asked from a worker, so there is nothing to trace or to repeat.
  retries: 0,
  use: noBrowser,
  // Allure would report what is only listed, as skipped; and it reads traces, which UI mode has, after they are removed.
  reporter: isListing()
    ? [['list']]
    : isInteractive()
      ? [['./reports/reporter.ts']]
      : [
          // First, since it takes away what Allure is not to show.
          ['./reports/reporter.ts'],
          [
            'allure-playwright',
            {
              resultsDir: below('allure-results'),
              detail: false,
              suiteTitle: false,
              listeners: [tidied],
            },
          ],
        ],
});
