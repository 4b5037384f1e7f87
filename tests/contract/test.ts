import { test as base } from '@playwright/test';

/**
 * Playwright's `test` without its 27 options of a browser, which no test of ours opens: resolved one by one before each
 * test, they took a fifth of the time of a run.
 */
export const test = base.extend<{ _combinedContextOptions: object }>({ _combinedContextOptions: {} });
