import type { Reporter, TestResult } from '@playwright/test/reporter';

/**
 * Takes away what Playwright attaches to each failed test, a prompt that asks for a fix of the test: what fails here is the
 * target. It stands before the reporters that would show it.
 */
export default class PromptReporter implements Reporter {
  onTestEnd(_: unknown, result: Pick<TestResult, 'attachments'>): void {
    result.attachments = result.attachments.filter(({ name }) => name !== 'error-context');
  }

  printsToStdio(): boolean {
    return false;
  }
}
