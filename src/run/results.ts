import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { writeAtomically } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import type { Secrets } from '../redact/secrets.ts';
import type { RunResults } from '../verdict/results.ts';

/** Selects the settings of a run for its reports, such as `profile`. Secrets in the name of the target are masked. */
export const selectReportedSettings = (
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

const getResultsPath = (reportsDir: string) => path.join(reportsDir, 'observations', 'run.json');

export function writeResults({ reportsDir }: Target, results: RunResults): void {
  writeAtomically(getResultsPath(reportsDir), JSON.stringify(results));
}

export const emptyResults: RunResults = { run: undefined, observations: [] };

export function readResults(reportsDir: string): RunResults {
  const file = getResultsPath(reportsDir);
  if (!existsSync(file)) return emptyResults;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunResults;
  } catch {
    return { ...emptyResults, problem: 'the results in REPORTS_DIR cannot be read' };
  }
}
