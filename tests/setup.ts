import type { FullConfig } from '@playwright/test';
import { beginRun } from '../src/run/begin-run.ts';
import { findRefusal, isListing } from '../src/run/command-line.ts';
import { concludeWithoutReporter } from '../src/run/conclude.ts';
import { RunStore } from '../src/run/store.ts';
import { readConfiguration } from '../src/run/target.ts';
import { createPlainError } from '../src/run/terminal.ts';

/**
 * As Playwright's global setup, begins a run that has no conformance reporter.
 * Does nothing if the conformance reporter begins the run, or if Playwright only lists the tests (`--list`).
 * @returns the global teardown, which ends the run. If no run was begun, returns undefined.
 * @throws an `Error` with a message for the user if the run cannot begin
 */
export default async function setup(config: FullConfig): Promise<(() => void) | undefined> {
  // The conformance reporter begins each run itself: UI mode calls global setup only once for many runs (Playwright issue 27258).
  const hasConformanceReporter = config.reporter.some(([name]) => name.endsWith('reports/reporter.ts'));
  if (isListing() || hasConformanceReporter) return undefined;
  const { target } = readConfiguration();
  try {
    const refusal = findRefusal(config);
    if (refusal) throw new Error(refusal);
    const shard = config.shard ?? undefined;
    const printNothing = () => {};
    const { id } = await beginRun({ shard, selected: [], print: printNothing });
    const store = new RunStore(target.reportsDir, id);
    return () => concludeWithoutReporter(store);
  } catch (error) {
    throw createPlainError(error, target);
  }
}
