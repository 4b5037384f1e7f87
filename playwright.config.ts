import path from 'node:path';
import { defineConfig, type PlaywrightTestProject, type ReporterDescription } from '@playwright/test';
import { explainUnwritable } from './src/client/files.ts';
import { createMask } from './src/redact/secrets.ts';
import { explainProjectOption, isInteractive, isListing, isShard } from './src/run/command-line.ts';
import { testFiles } from './src/run/custom-tests.ts';
import { defaultCustomTests, defaultReportsDir, readConfiguration } from './src/run/target.ts';
import { createPlainError, isCi } from './src/run/terminal.ts';

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

// Playwright prints this path with each failure, so that it must not hold a secret.
const canPrintReportsDir = createMask(target)(reportsDir) === reportsDir;
// In a folder that cannot be written, Playwright's own message would hide that of the suite.
const canWriteReportsDir = isListing() || !explainUnwritable(reportsDir);
const outputDir =
  canPrintReportsDir && canWriteReportsDir
    ? inReportsDir('test-results')
    : path.resolve(defaultReportsDir, 'test-results');

function selectReporters(): ReporterDescription[] {
  // Allure would report the listed tests as skipped.
  if (isListing()) return [['list']];
  const conformanceReporter: ReporterDescription = ['./reports/reporter.ts'];
  // The traces of UI mode are removed before Allure reads them.
  if (isInteractive()) return [conformanceReporter];
  // Without Playwright's own steps, which hold raw addresses and headers.
  const allureOptions = { resultsDir: inReportsDir('allure-results'), detail: false };
  return [conformanceReporter, ['allure-playwright', allureOptions]];
}

function selectProjects(): PlaywrightTestProject[] {
  const suite = { testDir: './tests', testMatch: 'tests/contract/*.spec.ts', testIgnore: 'tests/self/**' };
  const hasOneProject = !customTests || customTests === defaultCustomTests;
  const refusal = hasOneProject ? explainProjectOption() : undefined;
  if (refusal) throw createPlainError(new Error(refusal), target);
  if (!customTests) return [suite];
  // In the same project, because each project has a worker process of its own, which takes a second to start.
  if (hasOneProject) return [{ ...suite, testMatch: [suite.testMatch, `tests/custom/${testFiles}`] }];
  return [
    { ...suite, name: 'contract' },
    { name: 'custom', testDir: customTests },
  ];
}

// Workers inherit `execArgv`. With this option, Node turns an unhandled rejection of AUTH_MODULE into an uncaught error, whose message
// `exitAtUncaughtErrors` hides, because it may hold a secret.
if (authModule) process.execArgv.push('--unhandled-rejections=strict');

export default defineConfig({
  outputDir,
  globalSetup: './tests/setup.ts',
  // Files (.js, .cjs, .mjs) that Playwright does not compile, because the compiled copy on disk would show a secret in AUTH_MODULE. One
  // pattern without braces, because Playwright parses it again for each import.
  build: { external: ['**/*js', ...(isJavaScriptAuthModule ? [path.resolve(authModule)] : [])] },
  projects: selectProjects(),
  // Divides single tests among shards, because a shard without a test could not sweep its pages. Without shards, this option would only
  // make each test slower.
  fullyParallel: isShard(),
  // A forgotten `test.only` in a custom test would leave out the whole contract.
  forbidOnly: isCi(),
  // With more workers (`--workers`) each gets a share of MAX_RPS. Requests are sent once in a run in any case.
  workers: 1,
  reporter: selectReporters(),
});
