import { defineConfig } from '@playwright/test';

export default defineConfig({ testDir: '.', outputDir: '../../../reports/out/bench', reporter: 'line' });
