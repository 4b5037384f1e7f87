import { defineConfig } from '@playwright/test';

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
  reporter: [[process.env.CI ? 'dot' : 'line'], ['./proof-reporter.ts']],
});
