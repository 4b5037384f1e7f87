import type { FullConfig } from '@playwright/test';

/**
 * Playwright's global setup: makes sure that the reporter is there that asks and judges before the tests run
 * (`reports/reporter.ts`), in a run, in UI mode and in an editor alike.
 * @throws an error without stack, for people, where `--reporter` leaves it out.
 */
export default function setup({ reporter }: FullConfig): void {
  if (reporter.some(([name]) => name.endsWith('reports/reporter.ts'))) return;
  const error = new Error(
    '--reporter takes the place of the reporter that asks and judges: name others with --add-reporter',
  );
  error.stack = error.message;
  throw error;
}
