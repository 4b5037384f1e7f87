import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { writeAtomically } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import type { Secrets } from '../redact/secrets.ts';
import type { RunResults } from '../verdict/results.ts';

/**
 * Returns the settings of a run that reports show: target name with secrets masked, profile, start, contract hash, `MIN_COVERAGE`,
 * `FAIL_ON`.
 */
export const describeRun = (
  contract: Contract,
  { name, profile, minCoverage, failOn }: Target,
  { mask }: Secrets,
  startedAt: string,
) => ({
  target: mask(name),
  profile,
  startedAt,
  contract: contract.hash,
  minCoverage,
  failOn,
});

/** Returns the path of the results that a run stores in its `REPORTS_DIR`. A merged run reads such a file of each shard. */
const getResultsPath = (reportsDir: string) => path.join(reportsDir, 'observations', 'run.json');

/** Writes the results of a run atomically to `REPORTS_DIR/observations/run.json`. */
export function writeResults({ reportsDir }: Target, results: RunResults): void {
  writeAtomically(getResultsPath(reportsDir), JSON.stringify(results));
}

/** Results of a run that has neither sent requests nor read recordings. */
export const nothing: RunResults = { run: undefined, observations: [] };

/**
 * Reads the results that the last run has stored in a `REPORTS_DIR`. Returns `nothing` if the file is missing, and `nothing` with a
 * `problem` if it is not JSON.
 */
export function readResults(reportsDir: string): RunResults {
  const file = getResultsPath(reportsDir);
  if (!existsSync(file)) return nothing;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunResults;
  } catch {
    return { ...nothing, problem: 'the results in REPORTS_DIR cannot be read' };
  }
}
