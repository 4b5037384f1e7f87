import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { readConfiguration } from './tests/client/target.ts';

const { reportsDir } = readConfiguration().target;
const below = (name: string) => path.join(reportsDir, name);

export default defineConfig({
  testDir: 'tests/contract',
  outputDir: below('test-results'),
  globalSetup: './tests/setup.ts',
  // Nothing is asked from a worker, so there is nothing to trace or to repeat.
  retries: 0,
  use: { trace: 'off', screenshot: 'off', video: 'off' },
  reporter: [
    ['line'],
    ['junit', { outputFile: below('junit.xml') }],
    ['allure-playwright', { resultsDir: below('allure-results'), detail: false, suiteTitle: false }],
    ['./reports/reporter.ts'],
  ],
});
