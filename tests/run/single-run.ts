import { contractOrProblem } from '../../schemas/contract.ts';
import { readConfiguration } from '../client/target.ts';
import { guardExit } from './exit-guard.ts';
import { plainError } from './plain-error.ts';
import { ownReportsDir } from './reports-dir.ts';
import { isListing, isSingleRun, nameRun } from './run-id.ts';

/**
 * Begins a run as early as there is a process of it, so that whatever ends it leaves no report of an earlier run, and
 * no status 0. Called from `playwright.config.ts`, which workers load too: they begin nothing.
 * @throws an error without stack, for people, when the contract has a mistake, another run is writing to `REPORTS_DIR`,
 * or nothing can.
 */
export function beginSingleRun(): void {
  if (!isSingleRun() && !isListing()) return;
  const { target } = readConfiguration();
  if (isSingleRun()) guardExit(target.authModule);
  try {
    const contract = contractOrProblem();
    if (isSingleRun()) ownReportsDir(contract, target, nameRun({ onDemand: false }));
    if (contract instanceof Error) throw contract;
  } catch (error) {
    throw plainError(error, target);
  }
}
