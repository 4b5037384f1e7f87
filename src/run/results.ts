import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { isOptional, type Requirement, requirementsOf } from '../../schemas/contract/requirements.ts';
import { writeWhole } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import { evaluate } from '../verdict/evaluate.ts';
import type { Results, RunResults } from '../verdict/results.ts';

/** Requirements that a run judges; undeclared fields are one only where the configuration says so. */
export function requirementsFor(
  contract: Contract,
  { undeclaredFields }: Pick<Target, 'undeclaredFields'>,
): Requirement[] {
  return requirementsOf(contract).filter((one) => undeclaredFields === 'fail' || !isOptional(one));
}

/** Folder of the observations of a run. */
export const observationsDir = (target: Pick<Target, 'reportsDir'>): string =>
  path.join(target.reportsDir, 'observations');

type RunFile = RunResults & { id: string };

/** Writes what was asked and found, in place of what was there. */
export function writeResults(target: Target, id: string, results: RunResults): void {
  const folder = observationsDir(target);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeWhole(path.join(folder, 'run.json'), `${JSON.stringify({ id, ...results }, null, 2)}\n`);
}

const nothing: RunResults = { run: undefined, observations: [] };

/** Reads the results of a run below `REPORTS_DIR`. Those of another run are not read: a problem says so. */
export function readResults(contract: Contract, target: Target, id: string | undefined): Results {
  return evaluateResults(contract, target, readRunResults(target, id));
}

/** Results with what they say of each requirement. */
export function evaluateResults(contract: Contract, target: Target, results: RunResults): Results {
  return evaluate(requirementsFor(contract, target), results, target.profile);
}

/** What the run that has written to a folder last has left there, whichever it is. */
export function readStoredResults(reportsDir: string): RunResults {
  return readRunResults({ reportsDir }, storedRun({ reportsDir }));
}

function readRunResults(target: Pick<Target, 'reportsDir'>, id: string | undefined): RunResults {
  const file = path.join(observationsDir(target), 'run.json');
  if (!existsSync(file)) return nothing;
  try {
    const { id: found, ...results }: RunFile = JSON.parse(readFileSync(file, 'utf8'));
    return found === id ? results : { ...nothing, problem: 'the results in REPORTS_DIR are of another run' };
  } catch {
    return { ...nothing, problem: 'the results in REPORTS_DIR cannot be read' };
  }
}

/** Id of the run whose results are there. */
export function storedRun(target: Pick<Target, 'reportsDir'>): string | undefined {
  try {
    return JSON.parse(readFileSync(path.join(observationsDir(target), 'run.json'), 'utf8')).id;
  } catch {
    return undefined;
  }
}
