import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  outputDir: '../../reports/self',
  snapshotPathTemplate: '{testDir}/{arg}{ext}',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  reporter: [[process.env.CI ? 'dot' : 'line'], ['./proof-reporter.ts']],
});
