import { test } from '@playwright/test';
import { printable } from '../src/redact/printable.ts';
import { marks } from '../src/run/conclude.ts';
import { formatFailure } from '../src/verdict/entry.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import type { WorkerSession } from './worker-session.ts';

/** Error of a failed test. The `location` is a place in the contract, such as `spec/openapi.yaml:120:15`. */
export class UnmetRequirement extends Error {
  override name = 'UnmetRequirement';

  constructor(text: string, location?: string) {
    super(printable(text));
    this.stack = location ? `${this.message}\n    at contract (${location})` : this.message;
  }
}

/** Error of a test that cannot judge the target, for example because no response arrived. */
export class BlockedRequirement extends UnmetRequirement {
  override name = 'BlockedRequirement';
}

/** Error of a gate that did not pass. A gate, such as `run/coverage`, is a condition on the whole run. */
export class FailedGate extends UnmetRequirement {
  override name = 'FailedGate';
}

/** Ends the running test as blocked. The first blocked test of a run fails, and later blocked tests are skipped. */
export function endTestAsBlocked({ store }: WorkerSession, reason: string): never {
  const isFirstOfRun = store.mark(marks.blocked, reason);
  // One failed test makes every report red. After each failed test, Playwright starts a new worker, which takes long.
  // The retry of the first one fails again: as skipped, it would count as flaky, and no test would fail.
  const isRetry = test.info().retry > 0;
  if (!isFirstOfRun && !isRetry) test.skip(true, `blocked: ${reason}`);
  throw new BlockedRequirement(reason);
}

/** Formats the statement and the violations of a requirement. */
export function formatViolations(result: RequirementResult): string {
  const violations = result.findings.filter(({ kind }) => kind === 'violation');
  return formatFailure(result, violations);
}
