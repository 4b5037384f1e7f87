import { readConfiguration } from '../client/target.ts';
import { guardExit } from './exit-guard.ts';
import { plainError } from './plain-error.ts';
import { ownReportsDir } from './reports-dir.ts';
import { isSingleRun, nameRun } from './run-id.ts';

/**
 * Begins a run as early as there is a process of it, so that no end of it leaves a report of an earlier run, and
 * no status 0. Called from `playwright.config.ts`, which workers load too: they begin nothing.
 * @throws an error without stack, for people, when another run is writing to `REPORTS_DIR`, or nothing can.
 */
export function beginSingleRun(): void {
  if (!isSingleRun()) return;
  const { target } = readConfiguration();
  guardExit(target.authModule);
  try {
    ownReportsDir(target, nameRun({ onDemand: false }));
  } catch (error) {
    throw plainError(error, target);
  }
}
