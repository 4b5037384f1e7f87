import { type Contract, contractOrProblem } from '../../schemas/contract/contract.ts';
import { readConfiguration, type Target } from '../configuration/target.ts';
import { guardExit } from './exit-guard.ts';
import { grepIn, grepProblem } from './grep.ts';
import { plainError } from './plain-error.ts';
import { ownReportsDir } from './reports-dir.ts';
import { isListing, isSingleRun, nameRun } from './run-id.ts';
import { testsOf } from './test-titles.ts';

/**
 * Begins a run as early as there is a process of it, so that no end of it leaves a report of an earlier run, and
 * no status 0. Called from `playwright.config.ts`, which workers load too: they begin nothing.
 * @throws an error without stack, for people, when another run is writing to `REPORTS_DIR`, or nothing can.
 */
export function beginSingleRun(): void {
  if (!isSingleRun() && !isListing()) return;
  const { target } = readConfiguration();
  const contract = contractOrProblem();
  try {
    if (isListing()) assertContract(contract);
    else beginIn(contract, target);
  } catch (error) {
    throw plainError(error, target);
  }
}

/** A list of tests ends without a test that could fail. */
function assertContract(contract: Contract | Error): void {
  if (contract instanceof Error) throw contract;
}

/** A contract with a mistake is what the run itself reports. */
function beginIn(contract: Contract | Error, target: Target): void {
  guardExit(target.authModule);
  ownReportsDir(contract, target, nameRun({ onDemand: false }));
}

/**
 * Called before anything is asked, and not before there is a reporter to report it.
 * @throws an error for people, when `--grep` of a single run is a mistake or selects no test.
 */
export function assertGrep(contract: Contract, target: Target): void {
  const pattern = isSingleRun() ? grepIn(process.argv) : undefined;
  if (!pattern) return;
  const problem = grepProblem(pattern, testsOf(contract, target));
  if (problem) throw new Error(problem);
}
