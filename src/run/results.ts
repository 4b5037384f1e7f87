import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { writeWhole } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import type { Secrets } from '../redact/secrets.ts';
import type { RunResults } from '../verdict/results.ts';

/** What a run says of itself, however it has its responses. */
export const aboutRun = (
  contract: Contract,
  { name, profile, minCoverage, failOn }: Target,
  { mask }: Secrets,
  startedAt: string,
) => ({
  ...{ target: mask(name), profile, startedAt, contract: contract.hash },
  ...{ minCoverage, failOn },
});

/** File of what was sent and found in a run, which shards are merged from. */
const fileOf = (reportsDir: string) => path.join(reportsDir, 'observations', 'run.json');

/** Writes what was sent and found in a run. */
export function writeResults({ reportsDir }: Target, results: RunResults): void {
  writeWhole(fileOf(reportsDir), JSON.stringify(results));
}

/** Results of a run that sent nothing. */
export const nothing: RunResults = { run: undefined, observations: [] };

/** Reads the results of the last run of a folder. A problem says why there are none. */
export function readResults(reportsDir: string): RunResults {
  const file = fileOf(reportsDir);
  if (!existsSync(file)) return nothing;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunResults;
  } catch {
    return { ...nothing, problem: 'the results in REPORTS_DIR cannot be read' };
  }
}
