import { defineConfig } from '@playwright/test';

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
  workers: 2,
  // Some tests are whole runs; on a machine that is busy with other things they may take their time.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  use: { ...constants, clientCertificates: [], permissions: [] },
  reporter: [[process.env.CI ? 'dot' : 'line'], ['./proof-reporter.ts']],
});
