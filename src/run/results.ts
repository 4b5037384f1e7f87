import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { writeAtomically } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import type { Secrets } from '../redact/secrets.ts';
import type { RunResults } from '../verdict/results.ts';

/** Returns the settings of a run that reports show: masked target name, profile, start, contract hash, coverage and gates. */
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

/** Returns the path of the stored results of a run. The results of all shards are merged from such files. */
const getResultsPath = (reportsDir: string) => path.join(reportsDir, 'observations', 'run.json');

/** Writes the results of a run atomically to `REPORTS_DIR/observations/run.json`. */
export function writeResults({ reportsDir }: Target, results: RunResults): void {
  writeAtomically(getResultsPath(reportsDir), JSON.stringify(results));
}

/** Results of a run that neither sent requests nor read recordings. */
export const nothing: RunResults = { run: undefined, observations: [] };

/**
 * Reads the results of the last run in a folder of reports. Returns `nothing` if the file is missing, and `nothing` with a `problem`
 * if the file is not JSON.
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
