import type { FullConfig } from '@playwright/test';
import { beginRun } from '../src/run/begin-run.ts';
import { findRefusal, isListing } from '../src/run/command-line.ts';
import { concludeWithoutReporter } from '../src/run/conclude.ts';
import { RunStore } from '../src/run/store.ts';
import { readConfiguration } from '../src/run/target.ts';
import { createPlainError } from '../src/run/terminal.ts';

/**
 * Begins the run if the conformance reporter is missing, as with `--reporter=list`. The conformance reporter itself begins each run,
 * because UI mode calls global setup only once for many runs (Playwright issue 27258).
 * @returns the global teardown, which judges the run
 */
export default async function setup(config: FullConfig): Promise<(() => void) | undefined> {
  const hasConformanceReporter = config.reporter.some(([name]) => name.endsWith('reports/reporter.ts'));
  if (isListing() || hasConformanceReporter) return undefined;
  const { target } = readConfiguration();
  try {
    const refusal = findRefusal(config);
    if (refusal) throw new Error(refusal);
    const shard = config.shard ?? undefined;
    const { id } = await beginRun({ shard, selected: [], print: () => {} });
    return () => concludeWithoutReporter(new RunStore(target.reportsDir, id));
  } catch (error) {
    throw createPlainError(error, target);
  }
}
