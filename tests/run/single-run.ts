import { type Contract, contractOrProblem } from '../../schemas/contract.ts';
import { readConfiguration, type Target } from '../client/target.ts';
import { guardExit } from './exit-guard.ts';
import { grepIn, grepProblem } from './grep.ts';
import { plainError } from './plain-error.ts';
import { ownReportsDir } from './reports-dir.ts';
import { requirementsFor } from './results.ts';
import { isListing, isSingleRun, nameRun } from './run-id.ts';

/**
 * Begins a run as early as there is a process of it, so that no end of it leaves a report of an earlier run, and
 * no status 0. Called from `playwright.config.ts`, which workers load too: they begin nothing.
 * @throws an error without stack, for people, when another run is writing to `REPORTS_DIR`, or nothing can, `--grep`
 * selects what there is not, or a contract with a mistake is listed.
 */
export function beginSingleRun(): void {
  if (!isSingleRun() && !isListing()) return;
  const { target } = readConfiguration();
  if (isSingleRun()) guardExit(target.authModule);
  try {
    const contract = contractOrProblem();
    if (isSingleRun()) ownReportsDir(contract, target, nameRun({ onDemand: false }));
    // A run says so where it begins, and reports it.
    if (contract instanceof Error && isListing()) throw contract;
    if (!(contract instanceof Error) && isSingleRun()) assertGrep(contract, target);
  } catch (error) {
    throw plainError(error, target);
  }
}

/** @throws an error for people, before anything is asked. */
function assertGrep(contract: Contract, target: Target): void {
  const pattern = grepIn(process.argv);
  if (!pattern) return;
  const problem = grepProblem(pattern, [
    ...requirementsFor(contract, target).map(({ address }) => address),
    // The tests whose steps are the requests made.
    ...contract.operations.map(({ id }) => `${id}/requests`),
  ]);
  if (problem) throw new Error(problem);
}
