import { test } from '@playwright/test';
import { printable } from '../src/redact/printable.ts';
import { marks } from '../src/run/conclude.ts';
import { formatFailure } from '../src/verdict/entry.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import type { WorkerSession } from './worker-session.ts';

/**
 * Error of a violated requirement. Its stack is only the line of the contract, so that Playwright prints this line and no line of
 * the test.
 */
export class UnmetRequirement extends Error {
  override name = 'UnmetRequirement';

  /** @param location file, line and column from the root of the project, such as `spec/openapi.yaml:120:15` */
  constructor(text: string, location?: string) {
    super(printable(text));
    this.stack = location ? `${this.message}\n    at contract (${location})` : this.message;
  }
}

/** Error of a test whose requirement cannot be judged, because no request was sent or no response shows whether it is met. */
export class BlockedRequirement extends UnmetRequirement {
  override name = 'BlockedRequirement';
}

/** Error of a failed gate: a condition of the run such as `run/coverage`, and no requirement of the contract. */
export class FailedGate extends UnmetRequirement {
  override name = 'FailedGate';
}

/**
 * Ends the running test. Fails the first such test of a run, so that no report of the run is green, and skips the others, because
 * Playwright starts a new worker after each failed test, which takes time.
 * @throws {BlockedRequirement} in the first such test of the run
 */
export function blockTest({ store }: WorkerSession, reason: string): never {
  const isFirstOfRun = store.mark(marks.blocked, reason);
  if (!isFirstOfRun) test.skip(true, `blocked: ${reason}`);
  throw new BlockedRequirement(reason);
}

/** Returns whether an error is of a class of this file, by its message as Playwright reports it: `FailedGate: …`. */
export const isErrorOfSuite = (message: string): boolean =>
  /^(UnmetRequirement|BlockedRequirement|FailedGate): /.test(message);

/** Formats the text of a violated requirement from its violations, without other findings such as deviations. */
export const formatViolations = (result: RequirementResult): string =>
  formatFailure(
    result,
    result.findings.filter(({ kind }) => kind === 'violation'),
  );
