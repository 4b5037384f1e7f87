import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { namedByTag } from './reports/allure-results.ts';
import { defaultReportsDir } from './tests/configuration/read-target.ts';
import { readConfiguration } from './tests/configuration/target.ts';
import { maskOf } from './tests/redaction/secrets.ts';
import { noBrowser } from './tests/run/no-browser.ts';
import { asksOnDemand, isInteractive, isListing } from './tests/run/run-id.ts';
import { beginSingleRun } from './tests/run/single-run.ts';

beginSingleRun();

const { target } = readConfiguration();
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

// A requirement is linked to its place on the contract page.
const links = { tms: { urlTemplate: '../contract.html#%s', nameTemplate: 'contract.html#%s' } };

export default defineConfig({
  testDir: 'tests/contract',
  // A test that passes leaves nothing behind, but for UI mode, which shows its steps from a trace.
  preserveOutput: asksOnDemand() ? 'always' : 'failures-only',
  // Playwright prints its path with each failure, also where that holds a secret.
  outputDir:
    maskOf(target)(reportsDir) === reportsDir
      ? below('test-results')
      : path.resolve(defaultReportsDir, 'test-results'),
  globalSetup: './tests/setup.ts',
  // All requirements stand in one file: only so can it be divided. Otherwise they go to the worker as one group,
  // since each group costs a message there and back.
  fullyParallel: sharded,
  // Nothing is asked from a worker, so there is nothing to trace or to repeat.
  retries: 0,
  use: { ...noBrowser, trace: 'off', screenshot: 'off', video: 'off' },
  // Allure would report what is only listed, as skipped; and it reads traces, which UI mode has, after they are removed.
  reporter: isListing()
    ? [['list']]
    : isInteractive()
      ? [['./reports/reporter.ts']]
      : [
          ['./reports/prompt-reporter.ts'],
          ['line'],
          [
            './reports/allure-reporter.ts',
            {
              resultsDir: below('allure-results'),
              detail: false,
              suiteTitle: false,
              links,
              listeners: [namedByTag],
            },
          ],
          ['./reports/reporter.ts'],
          // Annotations on the page of a workflow run, one for each violation.
          ...(env.GITHUB_ACTIONS ? ([['github']] as const) : []),
        ],
});
