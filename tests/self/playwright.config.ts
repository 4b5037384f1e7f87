import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  outputDir: '../../reports/self',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  reporter: [['line']],
});
