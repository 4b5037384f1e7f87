import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { writeAtomically } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import type { Secrets } from '../redact/secrets.ts';
import type { RunResults } from '../verdict/results.ts';

/** Describes a run, whether it sends requests or reads recordings. */
export const describeRun = (
  contract: Contract,
  { name, profile, minCoverage, failOn }: Target,
  { mask }: Secrets,
  startedAt: string,
) => ({
  ...{ target: mask(name), profile, startedAt, contract: contract.hash },
  ...{ minCoverage, failOn },
});

/** Returns the path of the results of a run, from which shards are merged. */
const getResultsPath = (reportsDir: string) => path.join(reportsDir, 'observations', 'run.json');

/** Writes the results of a run. */
export function writeResults({ reportsDir }: Target, results: RunResults): void {
  writeAtomically(getResultsPath(reportsDir), JSON.stringify(results));
}

/** Results of a run that sent nothing. */
export const nothing: RunResults = { run: undefined, observations: [] };

/** Reads the results of the last run of a folder. The key `problem` names the reason if they cannot be read. */
export function readResults(reportsDir: string): RunResults {
  const file = getResultsPath(reportsDir);
  if (!existsSync(file)) return nothing;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunResults;
  } catch {
    return { ...nothing, problem: 'the results in REPORTS_DIR cannot be read' };
  }
}
