import { rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestResult } from '@playwright/test/reporter';

/**
 * Takes away the file that Playwright attaches to each failed test, a prompt that asks for a fix of the test: what fails here
 * is the target. It stands before the reporters that would name it.
 */
export default class PromptReporter implements Reporter {
  onTestEnd(_: unknown, result: Pick<TestResult, 'attachments'>): void {
    const prompts = result.attachments.filter(({ name }) => name === 'error-context');
    result.attachments = result.attachments.filter((attachment) => !prompts.includes(attachment));
    for (const { path: file } of prompts) if (file) remove(file);
  }

  printsToStdio(): boolean {
    return false;
  }
}

/** Removes a file, and its folder if nothing else is in it. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
    rmdirSync(path.dirname(file));
  } catch {
    // A file that stays is noise, and no reason to fail.
  }
}
