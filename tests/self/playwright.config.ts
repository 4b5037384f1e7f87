import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from '@playwright/test';

/** Names of the specs whose text matches. */
function specsWith(pattern: RegExp): string[] {
  const specs = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.spec.ts'));
  return specs.filter((name) => pattern.test(readFileSync(path.join(import.meta.dirname, name), 'utf8')));
}

const browser = specsWith(/from '\.\/browser\.ts'/);
const processes = specsWith(/\b(runSuite|startSuite|runAgainst|watch)\(|\bexecFile\b/).filter(
  (name) => !browser.includes(name),
);

/** Options of a browser as Playwright has them. Where they are no constants, it computes each of them for each test. */
const constants = {
  acceptDownloads: true,
  bypassCSP: false,
  colorScheme: 'light',
  contrast: 'no-preference',
  extraHTTPHeaders: {},
  forcedColors: 'none',
  hasTouch: false,
  ignoreHTTPSErrors: false,
  isMobile: false,
  javaScriptEnabled: true,
  locale: 'en-US',
  offline: false,
  reducedMotion: 'no-preference',
  serviceWorkers: 'allow',
  viewport: { width: 1280, height: 720 },
} as const;

export default defineConfig({
  testDir: '.',
  outputDir: '../../reports/out/self',
  snapshotPathTemplate: '{testDir}/{arg}{ext}',
  fullyParallel: true,
  // Many tests wait for a process, or for time to pass.
  workers: 1 + availableParallelism(),
  // Some tests are whole runs; on a machine that is busy with other things they may take their time.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  // What takes longest begins first; and what starts a browser needs a worker of its own kind.
  projects: [
    { name: 'browser', testMatch: browser },
    { name: 'process', testMatch: processes },
    { name: 'quick', testIgnore: [...browser, ...processes] },
  ],
  use: { ...constants, clientCertificates: [], permissions: [] },
  reporter: [[process.env.CI ? 'dot' : 'line'], ['./proof-reporter.ts']],
});
