import { defineConfig } from '@playwright/test';

export default defineConfig({ testDir: '.', outputDir: '../../reports/bench', reporter: 'line' });
